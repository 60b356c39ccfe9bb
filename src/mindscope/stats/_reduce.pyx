# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""The loops of ``stats`` without the interpreter: surveying x, cutting it into buckets, picking rows, smoothing.

Everything that scans points releases the interpreter, so that several series are reduced in parallel. Row numbers that
come from outside are checked against the arrays before they are used.
"""

from cython cimport floating
from libc.math cimport INFINITY, floor
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

import numpy as np

ctypedef fused coordinate:
    int64_t
    double


# ---- row numbers that grow without the interpreter ------------------------------------------------------------------

cdef struct Rows:
    int64_t *data
    size_t length
    size_t capacity


cdef inline bint _push(Rows *rows, int64_t row) noexcept nogil:
    """Append a row number; False when there is no memory."""
    cdef size_t capacity
    cdef int64_t *grown
    if rows.length == rows.capacity:
        capacity = 1024 if rows.capacity == 0 else rows.capacity * 2
        grown = <int64_t *>realloc(rows.data, capacity * sizeof(int64_t))
        if grown == NULL:
            return False
        rows.data = grown
        rows.capacity = capacity
    rows.data[rows.length] = row
    rows.length += 1
    return True


cdef object _as_array(Rows *rows):
    array = np.empty(rows.length, np.int64)
    cdef int64_t[::1] view = array
    if rows.length:
        memcpy(&view[0], rows.data, rows.length * sizeof(int64_t))
    return array


# ---- x --------------------------------------------------------------------------------------------------------------

def survey(const coordinate[::1] x):
    """(whether ``x`` never goes back and holds no NaN, its lowest finite value or None)."""
    cdef Py_ssize_t row, size = x.shape[0]
    cdef bint ascends = True
    cdef double value, last = -INFINITY, lowest = INFINITY
    with nogil:
        for row in range(size):
            value = <double>x[row]
            ascends &= value >= last
            last = value
            if value < lowest and value > -INFINITY:
                lowest = value
    return bool(ascends), None if lowest == INFINITY else lowest


def find(const coordinate[::1] x, double origin, double limit, bint after):
    """The first row whose ``x - origin`` is at least ``limit``, or above it if ``after``; x ascends."""
    cdef Py_ssize_t low = 0, high = x.shape[0], middle
    cdef double value
    with nogil:
        while low < high:
            middle = low + (high - low) // 2
            value = <double>x[middle] - origin
            if value < limit or (after and value == limit):
                low = middle + 1
            else:
                high = middle
    return low


cdef inline double _bucket(const coordinate *x, Py_ssize_t row, double origin, double width) noexcept nogil:
    return floor((<double>x[row] - origin) / width)


cdef Py_ssize_t _bucket_end(
    const coordinate *x, Py_ssize_t row, Py_ssize_t stop, double origin, double width
) noexcept nogil:
    """The first row behind the bucket of ``row``: strides double until one is too far, then halve."""
    cdef double bucket = _bucket(x, row, origin, width)
    cdef Py_ssize_t low = row + 1, stride = 1, high = stop, middle
    while low < high:
        middle = row + stride
        if middle >= stop:
            break
        if _bucket(x, middle, origin, width) > bucket:
            high = middle
            break
        low = middle + 1
        stride *= 2
    while low < high:
        middle = low + (high - low) // 2
        if _bucket(x, middle, origin, width) > bucket:
            high = middle
        else:
            low = middle + 1
    return low


def cut(const coordinate[::1] x, Py_ssize_t start, Py_ssize_t stop, double origin, double width):
    """Edges of the buckets of rows ``start`` to ``stop``: the first row of each, then ``stop``; x ascends.

    A bucket holds the rows with the same ``floor((x - origin) / width)``.
    """
    if not 0 <= start <= stop <= x.shape[0]:
        raise ValueError(f"rows are {start} to {stop}, want them within 0 to {x.shape[0]}")
    cdef Rows edges = Rows(NULL, 0, 0)
    cdef Py_ssize_t row = start
    cdef bint has_room = True
    try:
        with nogil:
            while row < stop and has_room:
                has_room = _push(&edges, row)
                row = _bucket_end(&x[0], row, stop, origin, width)
            has_room = has_room and _push(&edges, stop)
        if not has_room:
            raise MemoryError
        return _as_array(&edges)
    finally:
        free(edges.data)


# ---- what is known of a stretch of rows -----------------------------------------------------------------------------

cdef enum:
    FINITE = 0
    NAN = 1
    POSITIVE = 2   # +Inf
    NEGATIVE = 3   # -Inf
    GROUPS = 4
    NONE = -1
    BLOCK = 256    # rows that a summary of the lowest level stands for
    FAN = 16       # summaries that one of the next level stands for
    LANES = 8
    LEVELS = 14    # 256 * 16**13 is more rows than there can be

cdef struct Summary:
    int64_t first[GROUPS]   # row, NONE when the group is empty
    int64_t last[GROUPS]
    int64_t count[GROUPS]
    int64_t lowest          # first row of the lowest finite value, NONE without any
    int64_t highest
    double low              # that value, +Inf without any
    double high


cdef inline void _clear(Summary *summary) noexcept nogil:
    cdef int group
    for group in range(GROUPS):
        summary.first[group] = summary.last[group] = NONE
        summary.count[group] = 0
    summary.lowest = summary.highest = NONE
    summary.low = INFINITY
    summary.high = -INFINITY


cdef inline void _note(Summary *summary, int group, int64_t row) noexcept nogil:
    if summary.count[group] == 0:
        summary.first[group] = row
    summary.last[group] = row
    summary.count[group] += 1


cdef void _scan(Summary *summary, const floating *y, int64_t start, int64_t stop) noexcept nogil:
    """Add the rows ``start`` to ``stop``, which come behind those that ``summary`` knows."""
    cdef int64_t row, first = NONE, last = NONE, finite = 0
    cdef int64_t lowest = summary.lowest, highest = summary.highest
    cdef double value, low = summary.low, high = summary.high
    for row in range(start, stop):
        value = y[row]
        if value - value == 0.0:
            if value < low:
                low = value
                lowest = row
            if value > high:
                high = value
                highest = row
            if finite == 0:
                first = row
            last = row
            finite += 1
        else:
            _note(summary, NAN if value != value else POSITIVE if value > 0.0 else NEGATIVE, row)
    if finite:
        if summary.count[FINITE] == 0:
            summary.first[FINITE] = first
        summary.last[FINITE] = last
        summary.count[FINITE] += finite
        summary.low, summary.lowest = low, lowest
        summary.high, summary.highest = high, highest


cdef bint _scan_finite(Summary *summary, const floating *y, int64_t start, int64_t stop) noexcept nogil:
    """Like ``_scan`` of an empty summary for rows that are all finite; False, and nothing done, when they aren't.

    The extremes are found in lanes and without a jump, as a processor likes it, then their rows are looked up.
    """
    cdef floating lows[LANES]
    cdef floating highs[LANES]
    cdef floating zeros[LANES]
    cdef floating value
    cdef int lane
    cdef int64_t row = start
    for lane in range(LANES):
        lows[lane] = highs[lane] = y[start]
        zeros[lane] = 0.0
    while row + LANES <= stop:
        for lane in range(LANES):
            value = y[row + lane]
            zeros[lane] += value - value
            lows[lane] = value if value < lows[lane] else lows[lane]
            highs[lane] = value if value > highs[lane] else highs[lane]
        row += LANES
    while row < stop:
        value = y[row]
        zeros[0] += value - value
        lows[0] = value if value < lows[0] else lows[0]
        highs[0] = value if value > highs[0] else highs[0]
        row += 1
    for lane in range(1, LANES):
        zeros[0] += zeros[lane]
        lows[0] = lows[lane] if lows[lane] < lows[0] else lows[0]
        highs[0] = highs[lane] if highs[lane] > highs[0] else highs[0]
    if zeros[0] != 0.0:
        return False
    summary.lowest = summary.highest = summary.first[FINITE] = start
    while y[summary.lowest] != lows[0]:
        summary.lowest += 1
    while y[summary.highest] != highs[0]:
        summary.highest += 1
    summary.low, summary.high = lows[0], highs[0]
    summary.last[FINITE], summary.count[FINITE] = stop - 1, stop - start
    return True


cdef void _add(Summary *summary, const Summary *behind) noexcept nogil:
    """Add the rows of ``behind``, which come behind those that ``summary`` knows."""
    cdef int group
    for group in range(GROUPS):
        if behind.count[group]:
            if summary.count[group] == 0:
                summary.first[group] = behind.first[group]
            summary.last[group] = behind.last[group]
            summary.count[group] += behind.count[group]
    if behind.low < summary.low:
        summary.low, summary.lowest = behind.low, behind.lowest
    if behind.high > summary.high:
        summary.high, summary.highest = behind.high, behind.highest


# ---- the pyramid ----------------------------------------------------------------------------------------------------

cdef struct Level:
    Summary *data
    int64_t length
    int64_t capacity


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

    Blocks are whole: rows behind the last one are scanned when they are asked for. The column itself is not kept; every
    call is given it. One thread at a time.
    """

    cdef Level levels[LEVELS]

    def __dealloc__(self):
        cdef int level
        for level in range(LEVELS):
            free(self.levels[level].data)

    def __len__(self):
        """Rows that are summed up."""
        return self.levels[0].length * BLOCK

    @property
    def nbytes(self):
        """Memory in bytes: 128 for every 256 rows and a 15th more, and up to half of that again as room to grow."""
        cdef int level
        return sum(self.levels[level].capacity * sizeof(Summary) for level in range(LEVELS))

    def extend(self, y not None):
        """Sum up the whole blocks of ``y``, float32 or float64, that came since; rows known before are unchanged."""
        cdef bint has_room
        if y.dtype == np.float32:
            has_room = _grow[float](&self.levels[0], y)
        else:
            has_room = _grow[double](&self.levels[0], y)
        if not has_room:
            raise MemoryError


cdef bint _grow(Level *levels, const floating[::1] y) except -1:
    cdef bint has_room = True
    with nogil:
        while has_room and (levels[0].length + 1) * BLOCK <= y.shape[0]:
            has_room = _append_block(levels, &y[0])
    return has_room


cdef bint _append_block(Level *levels, const floating *y) noexcept nogil:
    """Sum up the next block, and on every level above it what it completes."""
    cdef Summary summary
    cdef int level = 0, each
    cdef int64_t start = levels[0].length * BLOCK
    _clear(&summary)
    if not _scan_finite(&summary, y, start, start + BLOCK):
        _scan(&summary, y, start, start + BLOCK)
    while _append(&levels[level], &summary):
        if levels[level].length % FAN:
            return True
        _clear(&summary)
        for each in range(FAN):
            _add(&summary, &levels[level].data[levels[level].length - FAN + each])
        level += 1
    return False


cdef void _sum_up(
    Summary *summary, const floating *y, int64_t start, int64_t stop, const Level *levels
) noexcept nogil:
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


# ---- picking rows ---------------------------------------------------------------------------------------------------

cdef bint _pick(Rows *rows, const Summary *summary) noexcept nogil:
    """Append the rows that draw a bucket, each once, ascending; False when there is no memory."""
    cdef int64_t found[2 * GROUPS + 2]
    cdef int64_t row
    cdef int count = 0, group, place
    for group in range(GROUPS):
        if summary.count[group]:
            found[count] = summary.first[group]
            found[count + 1] = summary.last[group]
            count += 2
    if summary.lowest != NONE:
        found[count] = summary.lowest
        found[count + 1] = summary.highest
        count += 2
    for group in range(1, count):
        row = found[group]
        place = group
        while place > 0 and found[place - 1] > row:
            found[place] = found[place - 1]
            place -= 1
        found[place] = row
    for place in range(count):
        if (place == 0 or found[place] != found[place - 1]) and not _push(rows, found[place]):
            return False
    return True


cdef object _pick_all(const floating[::1] y, const int64_t[::1] edges, const Level *levels):
    cdef Rows rows = Rows(NULL, 0, 0)
    cdef Summary summary
    cdef Py_ssize_t bucket
    cdef int64_t missing[GROUPS]
    cdef int group
    cdef bint has_room = True
    for group in range(GROUPS):
        missing[group] = 0
    try:
        with nogil:
            for bucket in range(edges.shape[0] - 1):
                _clear(&summary)
                _sum_up(&summary, &y[0], edges[bucket], edges[bucket + 1], levels)
                for group in range(GROUPS):
                    missing[group] += summary.count[group]
                has_room = has_room and _pick(&rows, &summary)
        if not has_room:
            raise MemoryError
        return _as_array(&rows), (missing[NAN], missing[POSITIVE], missing[NEGATIVE])
    finally:
        free(rows.data)


def pick(y not None, const int64_t[::1] edges, Pyramid pyramid=None):
    """(rows that draw the buckets between ``edges``, ascending; how many values are NaN, +Inf and -Inf).

    Of each bucket these are the first and last finite row, the first row of the lowest and of the highest value, and
    the first and last NaN, +Inf and -Inf. ``pyramid`` is one of the same ``y``, float32 or float64.
    """
    cdef Py_ssize_t each
    cdef int64_t last = 0
    for each in range(edges.shape[0]):
        if edges[each] < last:
            raise ValueError(f"edge {each} is {edges[each]}, want at least {last}")
        last = edges[each]
    if last > len(y) or (pyramid is not None and len(pyramid) > len(y)):
        raise ValueError(f"column has {len(y)} rows, want {max(last, 0 if pyramid is None else len(pyramid))} or more")
    cdef const Level *levels = NULL if pyramid is None else &pyramid.levels[0]
    return _pick_all[float](y, edges, levels) if y.dtype == np.float32 else _pick_all[double](y, edges, levels)


def merge(const int64_t[::1] one, const int64_t[::1] other):
    """The row numbers that are in either, each once; both ascend."""
    union = np.empty(one.shape[0] + other.shape[0], np.int64)
    cdef int64_t[::1] rows = union
    cdef Py_ssize_t i = 0, j = 0, count = 0
    with nogil:
        while i < one.shape[0] or j < other.shape[0]:
            if j == other.shape[0] or (i < one.shape[0] and one[i] <= other[j]):
                if j < other.shape[0] and one[i] == other[j]:
                    j += 1
                rows[count] = one[i]
                i += 1
            else:
                rows[count] = other[j]
                j += 1
            count += 1
    return union[:count]


# ---- smoothing ------------------------------------------------------------------------------------------------------

cdef enum:
    SPAN = 8   # finite values from one settled sum to the next

cdef double FORGOTTEN = 2.0 ** -60


cdef struct Average:
    double weight
    double powers[SPAN + 1]   # of the weight
    double settled            # the average, not debiased, up to the last multiple of SPAN finite values
    double recent             # what came since adds to it
    int since                 # how many finite values came since
    double debt               # weight ** (number of finite values): how much of the average is still the 0 it began with
    double constant           # the first finite value
    bint has_begun
    bint is_constant          # all finite values were equal so far


cdef inline double _take(Average *average, double value) noexcept nogil:
    """The average after one more finite value.

    The sum is carried once in SPAN values; within, each row needs the sum as it was carried and the few values since,
    so that a processor works on several spans at once. Rounding doesn't depend on how a column is cut into calls.
    """
    cdef double total
    if not average.has_begun:
        average.has_begun = True
        average.constant = value
    average.is_constant &= value == average.constant
    average.since += 1
    average.recent = average.weight * average.recent + (1.0 - average.weight) * value
    total = average.powers[average.since] * average.settled + average.recent
    if average.since == SPAN:
        average.settled, average.recent, average.since = total, 0.0, 0
    if average.debt != 0.0:
        average.debt *= average.weight
        if average.debt < FORGOTTEN:
            average.debt = 0.0
        total /= 1.0 - average.debt
    return value if average.is_constant else total


cdef inline bint _take_span(Average *average, const floating *values, floating *smoothed) noexcept nogil:
    """``_take`` for the next SPAN values at once, if they are finite and the beginning is forgotten."""
    cdef double total = 0.0, recent = 0.0, zero = 0.0
    cdef int each
    for each in range(SPAN):
        zero += values[each] - values[each]
    if zero != 0.0:
        return False
    for each in range(SPAN):
        recent = average.weight * recent + (1.0 - average.weight) * values[each]
        total = average.powers[each + 1] * average.settled + recent
        smoothed[each] = <floating>total
    average.settled = total
    return True


cdef void _smooth(Average *average, const floating *values, floating *smoothed, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t row = 0
    while row < size:
        if average.debt == 0.0 and average.since == 0 and not average.is_constant and row + SPAN <= size:
            if _take_span(average, values + row, smoothed + row):
                row += SPAN
                continue
        smoothed[row] = <floating>_take(average, values[row]) if values[row] - values[row] == 0.0 else values[row]
        row += 1


cdef class RunningAverage:
    """The debiased exponential average of a column that comes in pieces; see ``smooth`` for its meaning."""

    cdef Average average

    def __cinit__(self, double weight):
        cdef int power
        self.average.weight = weight  # every other field begins as 0
        self.average.debt = self.average.powers[0] = 1.0
        self.average.is_constant = True
        for power in range(SPAN):
            self.average.powers[power + 1] = self.average.powers[power] * weight

    def smooth(self, values not None, smoothed not None):
        """Smooth the next ``values`` into ``smoothed``: two arrays of one length, both float32 or both float64."""
        if len(values) != len(smoothed) or values.dtype != smoothed.dtype:
            raise ValueError(f"{len(smoothed)} rows of {smoothed.dtype} are no room for {len(values)} of {values.dtype}")
        if values.dtype == np.float32:
            _smooth_column[float](&self.average, values, smoothed)
        else:
            _smooth_column[double](&self.average, values, smoothed)


cdef int _smooth_column(Average *average, const floating[::1] values, floating[::1] smoothed) except -1:
    with nogil:
        if values.shape[0]:
            _smooth(average, &values[0], &smoothed[0], values.shape[0])
    return 0


# ---- recognising a column -------------------------------------------------------------------------------------------

def fingerprint(const unsigned char[::1] data, uint64_t seed=0):
    """64 bits that two different columns share by chance only; ``seed`` is that of the columns before."""
    cdef uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ull, word
    cdef Py_ssize_t at = 0, size = data.shape[0]
    with nogil:
        state ^= state >> 32
        while at < size:
            word = 0
            memcpy(&word, &data[at], 8 if size - at >= 8 else size - at)
            # The finaliser of splitmix64 (Steele, Lea, Flood 2014): one multiplication would leave the low bits weak.
            state = (state ^ word) * 0xBF58476D1CE4E5B9ull
            state ^= state >> 29
            at += 8
        state = (state ^ <uint64_t>size) * 0x94D049BB133111EBull
        state ^= state >> 31
    return state
