# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Slices of a time range at the width of a screen: wide ones as themselves, narrow ones merged pixel by pixel."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

import numpy as np

cdef enum:
    FAN_BITS = 4             # 16 entries of a level make one of the next


cdef struct Levels:
    const int64_t *duration
    const int32_t *longest   # all levels one after the other
    const int64_t *longest_ns
    const int64_t *offsets   # where each level begins; the first one has no entries: it is the slices
    int count


cdef struct Best:
    Py_ssize_t slice         # -1: none yet
    int64_t duration


cdef inline Py_ssize_t _first_from(const int64_t *start, Py_ssize_t first, Py_ssize_t guess, Py_ssize_t end,
                                   int64_t time) noexcept nogil:
    """Return the first of ``first`` to ``end`` that begins at ``time`` or later; searches near ``guess`` first."""
    cdef Py_ssize_t step = 8, low = first, high = end, middle
    guess = min(max(guess, first), end)
    if guess < end and start[guess] < time:
        low = guess + 1
        while low + step < end and start[low + step] < time:
            low += step
            step *= 2
        high = min(end, low + step)
    else:
        high = guess
        while high - step > first and start[high - step] >= time:
            high -= step
            step *= 2
        low = max(first, high - step)
    while low < high:
        middle = (low + high) // 2
        if start[middle] < time:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline void _compare(const Levels *levels, Best *best, int level, Py_ssize_t entry) noexcept nogil:
    cdef Py_ssize_t index = levels.offsets[level] + entry
    cdef int64_t duration = levels.duration[entry] if level == 0 else levels.longest_ns[index]
    cdef Py_ssize_t found
    if best.slice >= 0 and duration < best.duration:
        return
    found = entry if level == 0 else levels.longest[index]
    if best.slice < 0 or duration > best.duration or found < best.slice:
        best.slice, best.duration = found, duration


cdef Py_ssize_t _longest(const Levels *levels, Py_ssize_t first, Py_ssize_t end) noexcept nogil:
    """Return the longest of the slices ``first`` to ``end``; of equal ones the first."""
    cdef Best best
    cdef int level = 0
    cdef Py_ssize_t fan = 1 << FAN_BITS
    best.slice, best.duration = -1, 0
    while end - first > 2 * fan and level + 1 < levels.count:
        while first & (fan - 1):
            _compare(levels, &best, level, first)
            first += 1
        while end & (fan - 1):
            end -= 1
            _compare(levels, &best, level, end)
        first >>= FAN_BITS
        end >>= FAN_BITS
        level += 1
    while first < end:
        _compare(levels, &best, level, first)
        first += 1
    return best.slice


def cells(const int64_t[::1] start not None, const int64_t[::1] duration not None, const int64_t[::1] before not None,
          const int32_t[::1] longest not None, const int64_t[::1] longest_ns not None,
          const int64_t[::1] level_offsets not None,
          const int64_t[::1] lane_first not None, const int64_t[::1] lane_end not None,
          int64_t begin, int64_t pixel, int width):
    """Cells and wide slices of lanes, from ``begin`` on, ``width`` pixels of ``pixel`` nanoseconds.

    start, duration     (n,) of all slices; those of a lane follow each other and do not overlap
    before              (n + 1,) sum of the durations of the slices before each
    longest, longest_ns entries of all levels: the longest slice of 16, of 256, ..., and its duration
    level_offsets       (levels,) where each begins; the first level is the slices themselves
    lane_first, lane_end  (lanes,) which slices are those of each lane

    Returns ``(lane_cells, pixels, counts, names_of, busy, lane_wide, wide)``: (lanes + 1,) int64 where the cells of each
    lane begin; of each cell its uint16 pixel, the uint32 number of the narrow slices that begin in it, the int32 longest
    of them, the sum of their durations as int64; (lanes + 1,) int64 where the wide slices of each lane begin, and the
    wide slices as int32: those of a pixel or longer that overlap the range.
    """
    cdef Py_ssize_t lanes = lane_first.shape[0], lane, index, end, stop, like, cell = 0, shown = 0
    cdef int64_t finish = begin + pixel * width, column, last
    lane_cells_array, lane_wide_array = np.zeros(lanes + 1, np.int64), np.zeros(lanes + 1, np.int64)
    most = int(min(<int64_t>width + 2, start.shape[0])) * int(lanes) + 1
    pixels_array, counts_array = np.empty(most, np.uint16), np.empty(most, np.uint32)
    names_array, busy_array, wide_array = np.empty(most, np.int32), np.empty(most, np.int64), np.empty(most, np.int32)
    cdef int64_t[::1] lane_cells = lane_cells_array, lane_wide = lane_wide_array, busy = busy_array
    cdef uint16_t[::1] pixels = pixels_array
    cdef uint32_t[::1] counts = counts_array
    cdef int32_t[::1] names_of = names_array, wide = wide_array
    cdef Levels levels
    if start.shape[0] == 0:
        return lane_cells_array, pixels_array[:0], counts_array[:0], names_array[:0], busy_array[:0], \
            lane_wide_array, wide_array[:0]
    levels.duration, levels.longest = &duration[0], (&longest[0] if longest.shape[0] else NULL)
    levels.longest_ns = &longest_ns[0] if longest_ns.shape[0] else NULL
    levels.offsets, levels.count = &level_offsets[0], <int>level_offsets.shape[0]
    with nogil:
        for lane in range(lanes):
            end, last, like = lane_end[lane], -1, 1
            index = _first_from(&start[0], lane_first[lane], (lane_first[lane] + end) // 2, end, begin)
            if index > lane_first[lane] and duration[index - 1] >= pixel and start[index - 1] + duration[index - 1] > begin:
                wide[shown] = <int32_t>(index - 1)
                shown += 1
            while index < end and start[index] < finish:
                column = (start[index] - begin) // pixel
                if duration[index] >= pixel:
                    if column != last:                # slices below the deepest row overlap, and share a pixel
                        wide[shown] = <int32_t>index
                        shown += 1
                        last = column
                    index += 1
                    continue
                stop = _first_from(&start[0], index + 1, index + like, end, begin + (column + 1) * pixel)
                like = stop - index
                if duration[stop - 1] >= pixel:        # only the last one of a pixel can reach the next
                    stop -= 1
                pixels[cell] = <uint16_t>column
                counts[cell] = <uint32_t>(stop - index)
                names_of[cell] = <int32_t>_longest(&levels, index, stop)
                busy[cell] = before[stop] - before[index]
                cell += 1
                index = stop
            lane_cells[lane + 1] = cell
            lane_wide[lane + 1] = shown
    return (lane_cells_array, pixels_array[:cell], counts_array[:cell], names_array[:cell], busy_array[:cell],
            lane_wide_array, wide_array[:shown])
