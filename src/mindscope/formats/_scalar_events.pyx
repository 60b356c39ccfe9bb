# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Encodes scalars of MindSpore's dialect directly to bytes: this runs on the hot path of the training loop."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from mindscope.formats._varints cimport put_varint, varint_size

from mindscope.errors import WireError

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()
    uint32_t crc32c_masked(const uint8_t *data, size_t length)

crc32c_initialise()

cdef extern from *:
    """
    /* Size of Value.exact_scalar_value: written if float32 overflows, underflows, or has an error of 1 or more.
     * For all other numbers, the 7 digits of float32 suffice. */
    #include <math.h>
    static inline int exact_size(double value) {
        double size = fabs(value);
        if (size <= 16777216.0 && size >= 1.1754943508222875e-38) return 0;
        return (double)(float)value == value || value != value ? 0 : 10;
    }
    """
    Py_ssize_t exact_size(double value) nogil

cdef enum:
    HEADER = 12  # of a record, see _frames.pyx
    FOOTER = 4


def encode_scalar_values(list tags not None, list values not None):
    """The ``Summary.value`` fields of MindSpore's dialect for scalars: UTF-8 ``tags`` and floats, paired in order."""
    cdef Py_ssize_t total = 0, index, count = len(tags), tag_size, body
    cdef uint8_t *out
    cdef double value
    cdef bytes tag
    if len(values) != count:
        raise WireError(f"{count} tags for {len(values)} values, want as many")
    for index in range(count):
        tag_size = len(<bytes?>tags[index])
        body = _scalar_size(tag_size, exact_size(values[index]))
        total += 1 + varint_size(body) + body
    cdef bytes result = PyBytes_FromStringAndSize(NULL, total)
    out = <uint8_t *>PyBytes_AS_STRING(result)
    for index in range(count):
        tag = <bytes>tags[index]
        tag_size = PyBytes_GET_SIZE(tag)
        value = values[index]
        out[0] = 0x0A  # Summary.value
        out = put_varint(out + 1, _scalar_size(tag_size, exact_size(value)))
        out = _put_scalar(out, PyBytes_AS_STRING(tag), tag_size, value, exact_size(value))
    return result


cdef inline Py_ssize_t _head_size(uint64_t step_bits, Py_ssize_t size) noexcept:
    return 9 + 1 + varint_size(step_bits) + 1 + varint_size(size)


cdef inline uint8_t *_put_head(uint8_t *out, double wall_time, uint64_t step_bits, Py_ssize_t size) noexcept:
    """Write the fields of an Event before the ``size`` bytes of its Summary; returns the position after them."""
    out[0] = 0x09  # Event.wall_time
    memcpy(out + 1, &wall_time, 8)
    out[9] = 0x10  # Event.step
    out = put_varint(out + 10, step_bits)
    out[0] = 0x2A  # Event.summary
    return put_varint(out + 1, size)


def encode_summary_event(double wall_time, int64_t step, bytes values not None):
    """Return the payload of an Event with a Summary made of ``values``, concatenated ``Summary.value`` fields."""
    cdef Py_ssize_t size = PyBytes_GET_SIZE(values)
    cdef uint64_t step_bits = <uint64_t>step
    cdef bytes result = PyBytes_FromStringAndSize(
        NULL, _head_size(step_bits, size) + size)
    cdef uint8_t *out = <uint8_t *>PyBytes_AS_STRING(result)
    out = _put_head(out, wall_time, step_bits, size)
    memcpy(out, PyBytes_AS_STRING(values), size)
    return result


def encode_scalar_record(double wall_time, int64_t step, dict scalars not None):
    """The record of a MindSpore Event whose Summary holds ``scalars``, tag -> float, framed and with its checksums.

    Raises UnicodeEncodeError for a tag that UTF-8 can't encode.
    """
    cdef Py_ssize_t values = 0, payload, tag_size, value_size, exact
    cdef bint has_exact = False
    cdef uint64_t step_bits = <uint64_t>step, length
    cdef const char *tag
    cdef uint32_t crc
    cdef double value
    for key, number in scalars.items():
        PyUnicode_AsUTF8AndSize(key, &tag_size)
        exact = exact_size(number)
        has_exact = has_exact or exact != 0
        value_size = _scalar_size(tag_size, exact)
        values += 1 + varint_size(value_size) + value_size
    payload = _head_size(step_bits, values) + values
    cdef bytes record = PyBytes_FromStringAndSize(NULL, HEADER + payload + FOOTER)
    cdef uint8_t *start = <uint8_t *>PyBytes_AS_STRING(record)
    cdef uint8_t *out = start + HEADER
    out = _put_head(out, wall_time, step_bits, values)
    for key, number in scalars.items():
        tag = PyUnicode_AsUTF8AndSize(key, &tag_size)
        value = number
        exact = exact_size(value) if has_exact else 0
        out[0] = 0x0A  # Summary.value
        out = put_varint(out + 1, _scalar_size(tag_size, exact))
        out = _put_scalar(out, tag, tag_size, value, exact)
    length = payload
    memcpy(start, &length, 8)
    crc = crc32c_masked(start, 8)
    memcpy(start + 8, &crc, 4)
    crc = crc32c_masked(start + HEADER, payload)
    memcpy(start + HEADER + payload, &crc, 4)
    return record


cdef inline Py_ssize_t _scalar_size(Py_ssize_t tag_size, Py_ssize_t exact) noexcept nogil:
    """Bytes of a Summary.Value with a tag and a scalar, without its own key and length; ``exact`` counts its double."""
    return 1 + varint_size(tag_size) + tag_size + 5 + exact


cdef inline uint8_t *_put_scalar(
    uint8_t *out, const char *tag, Py_ssize_t tag_size, double value, Py_ssize_t exact
) noexcept nogil:
    """Write the fields of that value; returns the position after them."""
    cdef float narrow = <float>value
    out[0] = 0x0A  # Value.tag
    out = put_varint(out + 1, tag_size)
    memcpy(out, tag, tag_size)
    out[tag_size] = 0x1D  # Value.scalar_value
    memcpy(out + tag_size + 1, &narrow, 4)
    out += tag_size + 5
    if exact:
        out[0], out[1] = 0xC9, 0x3E  # Value.exact_scalar_value
        memcpy(out + 2, &value, 8)
        out += 10
    return out
