# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Picking the rows that draw a line, without the interpreter."""

from libc.math cimport NAN as NO_MEAN, isfinite
from libc.stdint cimport int64_t
from libc.stdlib cimport free

import numpy as np

from mindscope.stats._pyramid cimport FINITE, GROUPS, Level, NAN, NEGATIVE, NONE, POSITIVE, Pyramid, SUM_SCALE, Summary, clear, sum_up
from mindscope.stats._rows cimport Rows, filled, push
from mindscope.stats._values cimport Column, Values, is_finite

ctypedef fused coordinate:
    int64_t
    double


cdef bint _pick(Rows *rows, const Summary *summary) noexcept nogil:
    """Append the rows that draw a bucket, each once, ascending; False when there is no memory."""
    cdef int64_t found[2 * GROUPS + 2]
    cdef int64_t row
    cdef int count = 0, group, index
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
        index = group
        while index > 0 and found[index - 1] > row:
            found[index] = found[index - 1]
            index -= 1
        found[index] = row
    for index in range(count):
        if (index == 0 or found[index] != found[index - 1]) and not push(rows, found[index]):
            return False
    return True


cdef object _pick_all(const Column *y, const int64_t[::1] edges, const Level *levels):
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
                clear(&summary)
                sum_up(&summary, y, edges[bucket], edges[bucket + 1], levels)
                for group in range(GROUPS):
                    missing[group] += summary.count[group]
                has_room = has_room and _pick(&rows, &summary)
        if not has_room:
            raise MemoryError
        return filled(&rows, np.empty(rows.length, np.int64)), (missing[NAN], missing[POSITIVE], missing[NEGATIVE])
    finally:
        free(rows.data)


def pick(Values y not None, const int64_t[::1] edges, Pyramid pyramid=None):
    """(rows that draw the buckets between ``edges``, ascending; how many values are NaN, +Inf and -Inf).

    Of each bucket these are the first and last finite row, the first row of the lowest and of the highest value, and
    the first and last NaN, +Inf and -Inf. ``pyramid`` is one of the same ``y``.
    """
    return _pick_all(&y.column, edges, _levels(y, edges, pyramid))


def means(Values y not None, const int64_t[::1] edges, Pyramid pyramid=None):
    """Return the means of the finite values between ``edges``, float64; NaN without any. See ``pick``."""
    cdef const Level *levels = _levels(y, edges, pyramid)
    found = np.empty(max(edges.shape[0] - 1, 0))
    cdef double[::1] mean = found
    cdef Summary summary
    cdef Py_ssize_t bucket
    with nogil:
        for bucket in range(mean.shape[0]):
            clear(&summary)
            sum_up(&summary, &y.column, edges[bucket], edges[bucket + 1], levels)
            mean[bucket] = summary.total / summary.count[FINITE] / SUM_SCALE if summary.count[FINITE] else NO_MEAN
    return found


def course(
    Values y not None, const double[::1] means, const int64_t[::1] edges, const coordinate[::1] firsts,
    const coordinate[::1] lasts, const int64_t[::1] rows, const coordinate[::1] x
):
    """Return the line through the ``means`` between ``edges`` at ``rows``, float64, and how many values are settled.

    A mean lies in the middle of ``firsts`` and ``lasts``, the x of the first and last row of its stretch. ``x`` are
    those of ``rows``; all ascend. The line is NaN where ``y`` is not finite, and constant before the first middle and
    after the last. Values beyond the middle of the last stretch but one change with that: they are not settled.
    """
    cdef Py_ssize_t size = means.shape[0]
    if edges.shape[0] != size + 1 and size:
        raise ValueError(f"{edges.shape[0]} edges have {size} means, want one fewer than edges")
    if firsts.shape[0] != size or lasts.shape[0] != size or x.shape[0] != rows.shape[0]:
        raise ValueError(f"x of {firsts.shape[0]}, {lasts.shape[0]} and {x.shape[0]} rows, want {size} and {rows.shape[0]}")
    if rows.shape[0] and not 0 <= rows[0] <= rows[rows.shape[0] - 1] < len(y):
        raise ValueError(f"rows are {rows[0]} to {rows[rows.shape[0] - 1]}, want them within {len(y)} rows")
    found = np.empty(rows.shape[0])
    cdef double[::1] line = found
    cdef double[::1] mean = np.empty(size)
    cdef double[::1] middle = np.empty(size)
    cdef int64_t last_start = 0, start = 0
    cdef Py_ssize_t each, count = 0, settled = 0
    with nogil:
        for each in range(size):
            if isfinite(means[each]):
                last_start, start = start, edges[each]
                mean[count] = means[each]
                middle[count] = <double>firsts[each] / 2 + <double>lasts[each] / 2
                count += 1
        _interpolate(line, x, middle, mean, count)
        for each in range(line.shape[0]):
            if not is_finite(&y.column, rows[each]):
                line[each] = NO_MEAN
        while count > 1 and settled < rows.shape[0] and rows[settled] < last_start:
            settled += 1
    return found, settled


cdef void _interpolate(
    double[::1] line, const coordinate[::1] x, double[::1] middle, double[::1] mean, Py_ssize_t count
) noexcept nogil:
    """Fill the straight lines through the first ``count`` middles and means, in the order of operations of NumPy."""
    cdef Py_ssize_t row, right = 0
    cdef double at
    for row in range(line.shape[0]):
        at = <double>x[row]
        while right < count and middle[right] <= at:
            right += 1
        if count == 0:
            line[row] = NO_MEAN
        elif right == 0 or right == count or middle[right - 1] == at:
            line[row] = mean[max(right - 1, 0)]
        else:
            line[row] = _between(at, middle[right - 1], middle[right], mean[right - 1], mean[right])


cdef double _between(double at, double left, double right, double low, double high) noexcept nogil:
    """Return the value at ``at`` of the straight line from (left, low) to (right, high)."""
    cdef double slope = (high - low) / (right - left)
    cdef double value = slope * (at - left) + low, share
    if value != value:
        value = slope * (at - right) + high
    if not isfinite(value):  # a difference beyond the largest number
        share = (at / 2 - left / 2) / (right / 2 - left / 2)
        value = low * (1 - share) + high * share if isfinite(share) else low
    return value


cdef const Level *_levels(Values y, const int64_t[::1] edges, Pyramid pyramid) except? NULL:
    """Return the levels of a pyramid, or NULL; refuse edges that go back or beyond the column."""
    cdef Py_ssize_t each
    cdef int64_t last = 0
    for each in range(edges.shape[0]):
        if edges[each] < last:
            raise ValueError(f"edge {each} is {edges[each]}, want at least {last}")
        last = edges[each]
    if last > len(y) or (pyramid is not None and len(pyramid) > len(y)):
        raise ValueError(f"column has {len(y)} rows, want {max(last, 0 if pyramid is None else len(pyramid))} or more")
    return NULL if pyramid is None else &pyramid.levels[0]


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
