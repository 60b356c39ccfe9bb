# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Which slices of a track lie in which others, and the row that each is drawn in."""

from libc.stdint cimport int64_t, uint16_t, uint32_t

import numpy as np

cdef enum:
    MOST_OPEN = 4096   # slices that are open at once on a track; deeper ones share the last row


def nest(const int64_t[::1] start not None, const int64_t[::1] duration not None, const uint32_t[::1] track not None,
         const int64_t[::1] order not None, int64_t overhang=0):
    """Parents, rows and time without children.

    start, duration, track  (n,) of each slice
    order                   (n,) slices by track, then start, then the longer first
    overhang                by which a slice may end after the one that contains it

    Returns ``(parent, row, own, overlaps)``: (n,) int64 the innermost slice of the track that contains a slice, -1
    without one; (n,) uint16 the first row of the track from which on all are free, so that nothing is drawn over
    another slice; (n,) int64 the duration minus those of the children, where they do not overlap each other; the
    number of slices that begin in another one and end after it.
    """
    cdef Py_ssize_t count = order.shape[0], place, depth, kept
    parent_array, row_array = np.full(count, -1, np.int64), np.zeros(count, np.uint16)
    own_array = np.array(duration, np.int64)
    covered_array = np.empty(count, np.int64)          # until when children cover a slice
    stack_array = np.empty(MOST_OPEN, np.int64)
    cdef int64_t[::1] parent = parent_array, own = own_array, covered = covered_array, stack = stack_array
    cdef uint16_t[::1] row = row_array
    cdef int64_t slice, above, end, begin, overlaps = 0
    cdef uint32_t last = 0
    cdef bint is_inside
    with nogil:
        depth = 0
        for place in range(count):
            slice = order[place]
            begin, end = start[slice], start[slice] + duration[slice]
            covered[slice] = begin
            if place == 0 or track[slice] != last:
                depth = 0
                last = track[slice]
            kept = 0
            for above in range(depth):                 # open slices are kept in the order of their rows
                if start[stack[above]] + duration[stack[above]] > begin:
                    stack[kept] = stack[above]
                    kept += 1
            depth = kept
            is_inside = True
            for above in range(depth - 1, -1, -1):
                if start[stack[above]] + duration[stack[above]] + overhang >= end:
                    parent[slice] = stack[above]
                    break
                is_inside = False
            if not is_inside:
                overlaps += 1
            if parent[slice] >= 0:
                above = parent[slice]
                begin = max(begin, covered[above])
                end = min(end, start[above] + duration[above])
                if end > begin:
                    own[above] -= end - begin
                    covered[above] = end
            row[slice] = <uint16_t>(row[stack[depth - 1]] + 1 if depth else 0)
            if depth < MOST_OPEN:
                stack[depth] = slice
                depth += 1
            else:
                row[slice] = row[stack[depth - 1]]
    return parent_array, row_array, own_array, int(overlaps)

