# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Histogram of an array, computed and encoded in C.

Two passes over the elements: the first finds extremes, sum and whether all are finite; the second counts the buckets.
Both compare in float64, which is exact except for integers beyond 2**53.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport INFINITY, fabs, isfinite, isnan
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mindscope.formats._varints cimport put_varint, varint_size

cdef enum:
    MOST = 90  # buckets
    LARGEST_COUNTED_BY_TEN = 880
    BLOCK = 256  # elements whose buckets are computed at a time
    LANES = 8  # running sums side by side, so that the processor adds several at once

cdef double LARGEST = 1.7976931348623157e308

ctypedef fused number:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    float
    double


cdef struct Distribution:
    int64_t size
    int64_t nan_count
    int64_t pos_inf_count
    int64_t neg_inf_count
    double low  # of the finite elements, as are high and total
    double high
    double total
    int buckets
    double edges[MOST + 1]
    int64_t counts[MOST]


# ---- the passes over the elements -----------------------------------------------------------------------------------

cdef void _survey(const number *data, Py_ssize_t size, Distribution *found) noexcept nogil:
    """Extremes and sum as if all were finite; a finite sum means that they are."""
    cdef double sums[LANES]
    cdef number low[LANES]
    cdef number high[LANES]
    cdef Py_ssize_t index = 0, whole = size - size % LANES
    cdef int lane
    cdef number value
    for lane in range(LANES):
        sums[lane] = 0
        low[lane] = high[lane] = data[0]
    while index < whole:
        for lane in range(LANES):
            value = data[index + lane]
            low[lane] = value if value < low[lane] else low[lane]
            high[lane] = value if value > high[lane] else high[lane]
            sums[lane] += <double>value
        index += LANES
    while index < size:
        value = data[index]
        low[0] = value if value < low[0] else low[0]
        high[0] = value if value > high[0] else high[0]
        sums[0] += <double>value
        index += 1
    found.low, found.high, found.total = <double>low[0], <double>high[0], sums[0]
    for lane in range(1, LANES):
        found.low = <double>low[lane] if <double>low[lane] < found.low else found.low
        found.high = <double>high[lane] if <double>high[lane] > found.high else found.high
        found.total += sums[lane]


cdef void _survey_finite(const number *data, Py_ssize_t size, Distribution *found) noexcept nogil:
    """Like ``_survey``, for arrays that may hold NaN or infinities, which it counts."""
    cdef Py_ssize_t index
    cdef double value
    found.low, found.high, found.total = INFINITY, -INFINITY, 0
    for index in range(size):
        value = <double>data[index]
        if isfinite(value):
            found.low = value if value < found.low else found.low
            found.high = value if value > found.high else found.high
            found.total += value
        elif isnan(value):
            found.nan_count += 1
        elif value > 0:
            found.pos_inf_count += 1
        else:
            found.neg_inf_count += 1


cdef void _count(const number *data, Py_ssize_t size, Distribution *found) noexcept nogil:
    """Count the finite elements: a bucket includes its left edge, the last one also its right edge.

    Computes the bucket and then corrects it by the edges, because rounding may be off by one. Scales numbers by 1/4,
    because the range may exceed float64.
    """
    cdef int last = found.buckets - 1
    cdef double origin = found.edges[0] * 0.25, reach = found.edges[found.buckets] * 0.25 - origin
    cdef double greatest = max(fabs(found.edges[0]), fabs(found.edges[found.buckets]))
    if found.nan_count or found.pos_inf_count or found.neg_inf_count or reach < max(greatest * 2.0 ** -40, 1e-290):
        _count_carefully(data, size, found, last, origin, found.buckets / reach)
    else:
        _count_finite(data, size, found, last, origin, found.buckets / reach)


cdef void _count_finite(
    const number *data, Py_ssize_t size, Distribution *found, int last, double origin, double scale
) noexcept nogil:
    """For finite elements, and buckets that are far wider than the rounding error of their edges.

    Computes the buckets of a block first, so that the compiler can vectorize it. Adjacent elements use different
    tables, so that an increment does not wait for the previous one.
    """
    cdef int64_t tables[2][MOST]
    cdef double left[MOST]  # left edges; the first one is -inf
    cdef double right[MOST]  # right edges; the last one is +inf
    cdef int buckets[BLOCK]
    cdef Py_ssize_t start = 0, index, count
    cdef int bucket
    cdef double value, share, most = last + 0.5
    memset(tables, 0, sizeof(tables))
    memcpy(left, found.edges, sizeof(left))
    memcpy(right, &found.edges[1], sizeof(right))
    left[0], right[last] = -INFINITY, INFINITY
    while start < size:
        count = min(size - start, BLOCK)
        for index in range(count):
            share = (<double>data[start + index] * 0.25 - origin) * scale
            share = share if share > 0 else 0
            buckets[index] = <int>(share if share < most else most)
        for index in range(count):
            value = <double>data[start + index]
            bucket = buckets[index]
            bucket += (value >= right[bucket]) - (value < left[bucket])
            tables[index & 1][bucket] += 1
        start += count
    for bucket in range(found.buckets):
        found.counts[bucket] = tables[0][bucket] + tables[1][bucket]


cdef void _count_carefully(
    const number *data, Py_ssize_t size, Distribution *found, int last, double origin, double scale
) noexcept nogil:
    """For elements that may not be finite, or if the computed bucket may be far off."""
    cdef Py_ssize_t index
    cdef int bucket
    cdef double value, share
    for index in range(size):
        value = <double>data[index]
        if not isfinite(value):
            continue
        share = (value * 0.25 - origin) * scale
        bucket = <int>share if share >= 0 and share < found.buckets else last if share > 0 else 0
        while bucket > 0 and value < found.edges[bucket]:
            bucket -= 1
        while bucket < last and value >= found.edges[bucket + 1]:
            bucket += 1
        found.counts[bucket] += 1


# ---- buckets --------------------------------------------------------------------------------------------------------

cdef int _bucket_count(int64_t valid) noexcept nogil:
    """About ten values for each bucket, at most 90 buckets; same as MindSpore."""
    if valid <= 10:
        return 0 if valid == 0 else 2 if valid <= 5 else 3
    return <int>(valid // 10 + 1) if valid <= LARGEST_COUNTED_BY_TEN else MOST


cdef void _set_edges(Distribution *found, int count) noexcept nogil:
    """Increasing edges of at most ``count`` buckets; fewer if float64 can't represent them.

    A single value gets half a unit on both sides, or more if rounding would lose half a unit.
    """
    cdef double low = found.low, high = found.high, reach, start, step, edge
    cdef int number
    if low == high:
        reach = fabs(low) * 2.0 ** -50
        reach = reach if reach > 0.5 else 0.5
        low = low - reach if low - reach > -LARGEST else -LARGEST
        high = high + reach if high + reach < LARGEST else LARGEST
    start = low / 4
    step = (high / 4 - start) / count
    found.buckets = 0
    found.edges[0] = low
    for number in range(1, count + 1):
        # if the step underflows float64, its multiples do not
        edge = (number * step + start) * 4 if step > 0 else ((<double>number / count) * (high / 4 - start) + start) * 4
        if number == count or edge > high:
            edge = high
        if edge > found.edges[found.buckets]:
            found.buckets += 1
            found.edges[found.buckets] = edge


def bucket_count(int64_t valid):
    """Return the number of buckets for ``valid`` finite values: one for about ten values, at most 90."""
    return _bucket_count(valid)


# ---- bytes ----------------------------------------------------------------------------------------------------------

cdef inline uint8_t *_put_double(uint8_t *out, uint8_t key, double value) noexcept nogil:
    out[0] = key
    memcpy(out + 1, &value, 8)
    return out + 9


cdef inline uint8_t *_put_count(uint8_t *out, uint8_t key, int64_t value) noexcept nogil:
    out[0] = key
    return put_varint(out + 1, <uint64_t>value)


cdef uint8_t *_put_histogram(uint8_t *out, const Distribution *found) noexcept nogil:
    """The fields of a ``Summary.Histogram``; at most 90 * (2 + 18 + 11) + 71 bytes."""
    cdef int bucket
    for bucket in range(found.buckets):
        out[0] = 0x0A  # buckets
        out = put_varint(out + 1, 18 + 1 + varint_size(<uint64_t>found.counts[bucket]))
        out = _put_double(out, 0x09, found.edges[bucket])  # left
        out = _put_double(out, 0x11, found.edges[bucket + 1] - found.edges[bucket])  # width
        out = _put_count(out, 0x18, found.counts[bucket])
    out = _put_count(out, 0x10, found.nan_count)
    out = _put_count(out, 0x18, found.pos_inf_count)
    out = _put_count(out, 0x20, found.neg_inf_count)
    out = _put_double(out, 0x29, found.high)
    out = _put_double(out, 0x31, found.low)
    out = _put_double(out, 0x39, found.total)
    return _put_count(out, 0x40, found.size)


def encode_histogram(bytes tag not None, const number[::1] flat not None):
    """The ``Summary.value`` field with the histogram of ``flat``, for the UTF-8 ``tag``."""
    cdef Distribution found
    cdef uint8_t body[MOST * 31 + 128]
    cdef Py_ssize_t size = flat.shape[0], tag_size = PyBytes_GET_SIZE(tag), length, inner
    cdef int64_t valid
    with nogil:
        memset(&found, 0, sizeof(found))
        found.size = valid = size
        if size:
            _survey(&flat[0], size, &found)
            if not isfinite(found.total):
                _survey_finite(&flat[0], size, &found)
                valid -= found.nan_count + found.pos_inf_count + found.neg_inf_count
        if valid:
            _set_edges(&found, _bucket_count(valid))
            _count(&flat[0], size, &found)
        else:
            found.low = found.high = found.total = 0
        length = _put_histogram(body, &found) - body
    inner = 1 + varint_size(tag_size) + tag_size + 1 + varint_size(length) + length
    cdef bytes result = PyBytes_FromStringAndSize(NULL, 1 + varint_size(inner) + inner)
    cdef uint8_t *out = <uint8_t *>PyBytes_AS_STRING(result)
    out[0] = 0x0A  # Summary.value
    out = put_varint(out + 1, inner)
    out[0] = 0x0A  # Value.tag
    out = put_varint(out + 1, tag_size)
    memcpy(out, PyBytes_AS_STRING(tag), tag_size)
    out += tag_size
    out[0] = 0x4A  # Value.histogram
    out = put_varint(out + 1, length)
    memcpy(out, body, length)
    return result
