# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Nest the slices of a track, and give each the row that it is drawn in."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

import numpy as np

cdef enum:
    MOST_OPEN = 4096   # slices that are open at once on a track; deeper ones share the last row


def nest(const int64_t[::1] start not None, const int64_t[::1] duration not None, const uint32_t[::1] track not None,
         const int32_t[::1] order not None, int64_t overhang=0):
    """Parents, rows and time without children.

    start, duration, track  (n,) of each slice
    order                   (n,) slices by track, then start, then the longer first
    overhang                by which a slice may end after the one that contains it

    Returns ``(parent, row, own, overlaps)``: (n,) int32 the innermost slice of the track that contains a slice, -1
    without one; (n,) uint16 the first row of the track from which on all are free, so that nothing is drawn over
    another slice; (n,) int64 the duration minus those of the children, where they do not overlap each other; the
    number of slices that begin in another one and end after it.
    """
    cdef Py_ssize_t count = order.shape[0], index, depth, kept
    parent_array, row_array = np.full(count, -1, np.int32), np.zeros(count, np.uint16)
    own_array = np.array(duration, np.int64)
    stack_array = np.empty(MOST_OPEN, np.int32)
    end_array = np.empty(MOST_OPEN, np.int64)
    covered_array = np.empty(MOST_OPEN, np.int64)
    cdef int32_t[::1] parent = parent_array
    cdef int32_t[::1] stack = stack_array              # the open slices, in the order of their rows
    cdef int64_t[::1] ends = end_array                 # of each
    cdef int64_t[::1] covered = covered_array          # until when its children cover it
    cdef int64_t[::1] own = own_array
    cdef uint16_t[::1] row = row_array
    cdef int32_t slice, around
    cdef int64_t above, end, begin, overlaps = 0
    cdef uint32_t last = 0
    cdef bint is_inside
    with nogil:
        depth = 0
        for index in range(count):
            slice = order[index]
            begin, end = start[slice], start[slice] + duration[slice]
            if index == 0 or track[slice] != last:
                depth = 0
                last = track[slice]
            kept = 0
            for above in range(depth):
                if ends[above] > begin:
                    stack[kept], ends[kept], covered[kept] = stack[above], ends[above], covered[above]
                    kept += 1
            depth = kept
            is_inside = True
            around = -1
            for above in range(depth - 1, -1, -1):
                if ends[above] + overhang >= end:
                    around = <int32_t>above
                    break
                is_inside = False
            if not is_inside:
                overlaps += 1
            row[slice] = <uint16_t>(row[stack[depth - 1]] + 1 if depth else 0)
            if around >= 0:
                parent[slice] = stack[around]
                begin = max(begin, covered[around])
                end = min(end, ends[around])
                if end > begin:
                    own[stack[around]] -= end - begin
                    covered[around] = end
            if depth < MOST_OPEN:
                stack[depth] = slice
                ends[depth] = start[slice] + duration[slice]
                covered[depth] = start[slice]
                depth += 1
            else:
                row[slice] = row[stack[depth - 1]]
    return parent_array, row_array, own_array, int(overlaps)


def lift(int32_t[::1] parent not None, const uint8_t[::1] is_kept not None, const int32_t[::1] order not None):
    """Replaces each parent that is not kept by its nearest ancestor that is; -1 without one.

    parent   (n,) changed in place
    is_kept  (n,) 0 or 1
    order    (n,) in which parents precede their children
    """
    cdef Py_ssize_t index
    cdef int32_t slice, above
    with nogil:
        for index in range(order.shape[0]):
            slice = order[index]
            above = parent[slice]
            if above >= 0 and not is_kept[above]:
                parent[slice] = parent[above]          # which is lifted already
