# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Summaries of stretches of rows: scanned, or put together of those of blocks that are kept.

Values may lie in several pieces of memory; a scan touches only the pieces with its rows.
"""

from cython cimport floating
from libc.math cimport INFINITY
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc

from mindscope.stats._values cimport Column, Piece, Values, piece_of


# ---- what is known of a stretch of rows -----------------------------------------------------------------------------

cdef void clear(Summary *summary) noexcept nogil:
    cdef int group
    for group in range(GROUPS):
        summary.first[group] = summary.last[group] = NONE
        summary.count[group] = 0
    summary.lowest = summary.highest = NONE
    summary.low = INFINITY
    summary.high = -INFINITY
    summary.total = 0.0


cdef inline void _note(Summary *summary, int group, int64_t row) noexcept nogil:
    if summary.count[group] == 0:
        summary.first[group] = row
    summary.last[group] = row
    summary.count[group] += 1


cdef void _scan_piece(Summary *summary, const floating *y, int64_t size, int64_t at) noexcept nogil:
    """Add ``size`` values after those in ``summary``; the first one is row ``at``."""
    cdef int64_t row, first = NONE, last = NONE, finite = 0
    cdef int64_t lowest = summary.lowest, highest = summary.highest
    cdef double value, low = summary.low, high = summary.high, total = 0.0
    for row in range(size):
        value = y[row]
        if value - value == 0.0:
            if value < low:
                low = value
                lowest = at + row
            if value > high:
                high = value
                highest = at + row
            if finite == 0:
                first = at + row
            last = at + row
            finite += 1
            total += value * SUM_SCALE
        else:
            _note(summary, NAN if value != value else POSITIVE if value > 0.0 else NEGATIVE, at + row)
    if finite:
        if summary.count[FINITE] == 0:
            summary.first[FINITE] = first
        summary.last[FINITE] = last
        summary.count[FINITE] += finite
        summary.low, summary.lowest = low, lowest
        summary.high, summary.highest = high, highest
        summary.total += total


cdef bint _scan_finite(Summary *summary, const floating *y, int64_t size, int64_t at) noexcept nogil:
    """Like ``_scan_piece`` of an empty summary for rows that are all finite; False, and nothing done, when they aren't.

    The extremes are found in lanes and without a jump, as a processor likes it, then their rows are looked up.
    """
    cdef floating lows[LANES]
    cdef floating highs[LANES]
    cdef floating zeros[LANES]
    cdef double totals[LANES]
    cdef floating value
    cdef int lane
    cdef int64_t row = 0, low = 0, high = 0
    for lane in range(LANES):
        lows[lane] = highs[lane] = y[0]
        zeros[lane] = 0.0
        totals[lane] = 0.0
    while row + LANES <= size:
        for lane in range(LANES):
            value = y[row + lane]
            zeros[lane] += value - value
            totals[lane] += value * SUM_SCALE
            lows[lane] = value if value < lows[lane] else lows[lane]
            highs[lane] = value if value > highs[lane] else highs[lane]
        row += LANES
    while row < size:
        value = y[row]
        zeros[0] += value - value
        totals[0] += value * SUM_SCALE
        lows[0] = value if value < lows[0] else lows[0]
        highs[0] = value if value > highs[0] else highs[0]
        row += 1
    for lane in range(1, LANES):
        zeros[0] += zeros[lane]
        totals[0] += totals[lane]
        lows[0] = lows[lane] if lows[lane] < lows[0] else lows[0]
        highs[0] = highs[lane] if highs[lane] > highs[0] else highs[0]
    if zeros[0] != 0.0:
        return False
    while y[low] != lows[0]:
        low += 1
    while y[high] != highs[0]:
        high += 1
    summary.low, summary.lowest = lows[0], at + low
    summary.high, summary.highest = highs[0], at + high
    summary.first[FINITE], summary.last[FINITE], summary.count[FINITE] = at, at + size - 1, size
    summary.total = totals[0]
    return True


cdef inline void _scan_either(Summary *summary, const floating *y, int64_t size, int64_t at) noexcept nogil:
    if size < BLOCK or summary.lowest != NONE or not _scan_finite(summary, y, size, at):
        _scan_piece(summary, y, size, at)


cdef void _scan(Summary *summary, const Column *y, int64_t start, int64_t stop) noexcept nogil:
    """Add the rows ``start`` to ``stop``, which follow those in ``summary``."""
    cdef int64_t row = start, end
    cdef Py_ssize_t number
    cdef const Piece *piece
    if start >= stop:
        return
    number = piece_of(y, start)
    while row < stop:
        piece = &y.pieces[number]
        end = min(stop, piece.stop)
        if y.is_double:
            _scan_either(summary, <const double *>piece.data + (row - piece.start), end - row, row)
        else:
            _scan_either(summary, <const float *>piece.data + (row - piece.start), end - row, row)
        row = end
        number += 1


cdef void _add(Summary *summary, const Summary *after) noexcept nogil:
    """Add the rows of ``after``, which follow those in ``summary``."""
    cdef int group
    for group in range(GROUPS):
        if after.count[group]:
            if summary.count[group] == 0:
                summary.first[group] = after.first[group]
            summary.last[group] = after.last[group]
            summary.count[group] += after.count[group]
    summary.total += after.total
    if after.low < summary.low:
        summary.low, summary.lowest = after.low, after.lowest
    if after.high > summary.high:
        summary.high, summary.highest = after.high, after.highest


# ---- the pyramid ----------------------------------------------------------------------------------------------------

cdef bint _append(Level *level, const Summary *summary) noexcept nogil:
    """Append a summary; False when there is no memory."""
    cdef int64_t capacity
    cdef Summary *grown
    if level.length == level.capacity:
        capacity = level.capacity + level.capacity // 2 + 4
        grown = <Summary *>realloc(level.data, capacity * sizeof(Summary))
        if grown == NULL:
            return False
        level.data = grown
        level.capacity = capacity
    level.data[level.length] = summary[0]
    level.length += 1
    return True


cdef class Pyramid:
    """Summaries of the blocks of a growing column: level 0 of 256 rows each, every further level of 16 below it.

    Blocks are whole: a query scans the rows after the last one. The column itself is not kept; every
    call is given it. One thread at a time.
    """

    def __dealloc__(self):
        cdef int level
        for level in range(LEVELS):
            free(self.levels[level].data)

    def __len__(self):
        """Rows that are summed up."""
        return self.levels[0].length * BLOCK

    @property
    def nbytes(self):
        """Memory in bytes: 136 for every 256 rows and a 15th more, and up to half of that again as room to grow."""
        cdef int level
        return sum(self.levels[level].capacity * sizeof(Summary) for level in range(LEVELS))

    def extend(self, Values y not None):
        """Sum up the whole blocks of ``y`` that came since; rows known before are unchanged."""
        cdef bint has_room = True
        cdef int64_t size = len(y)
        with nogil:
            while has_room and (self.levels[0].length + 1) * BLOCK <= size:
                has_room = _append_block(&self.levels[0], &y.column)
        if not has_room:
            raise MemoryError


cdef bint _append_block(Level *levels, const Column *y) noexcept nogil:
    """Sum up the next block, and on every level above it what it completes."""
    cdef Summary summary
    cdef int level = 0, each
    cdef int64_t start = levels[0].length * BLOCK
    clear(&summary)
    _scan(&summary, y, start, start + BLOCK)
    while _append(&levels[level], &summary):
        if levels[level].length % FAN:
            return True
        clear(&summary)
        for each in range(FAN):
            _add(&summary, &levels[level].data[levels[level].length - FAN + each])
        level += 1
    return False


cdef void sum_up(Summary *summary, const Column *y, int64_t start, int64_t stop, const Level *levels) noexcept nogil:
    """Add the rows ``start`` to ``stop`` by the fewest summaries: up while aligned, down again towards the end."""
    cdef int64_t row = start, size, edge
    cdef int level
    if levels == NULL or stop - start < 2 * BLOCK:
        _scan(summary, y, start, stop)
        return
    edge = (start + BLOCK - 1) // BLOCK * BLOCK
    _scan(summary, y, start, edge)
    row = edge
    while row + BLOCK <= stop and row // BLOCK < levels[0].length:
        level, size = 0, BLOCK
        while (
            level + 1 < LEVELS and row % (size * FAN) == 0 and row + size * FAN <= stop
            and row // (size * FAN) < levels[level + 1].length
        ):
            level += 1
            size *= FAN
        _add(summary, &levels[level].data[row // size])
        row += size
    _scan(summary, y, row, stop)
