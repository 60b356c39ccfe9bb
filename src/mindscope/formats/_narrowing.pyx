# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Columns of numbers in the smallest dtype that holds them."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.float cimport FLT_MAX, FLT_MIN
from libc.math cimport fabs
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp

cdef extern from "math.h" nogil:
    int signbit(double value)

cdef double WHOLE = 4294967296.0


def narrow_floats(const double[:] values not None, bint is_rounded):
    """``dtype, bytes`` of numbers of shape (n,): one of them if all have the same bytes.

    Whole numbers below 2**32 become unsigned integers, those that float32 holds exactly, or rounds if that is allowed,
    become ``f4``.
    """
    cdef Py_ssize_t count = values.shape[0], index
    cdef bint is_same = count > 0, is_whole = count > 0, is_single = True, is_near = True
    cdef double value, magnitude, first = values[0] if count else 0.0, largest = 0.0
    for index in range(count):
        value = values[index]
        is_same &= memcmp(&value, &first, sizeof(double)) == 0
        is_whole = is_whole and 0 <= value < WHOLE and not signbit(value) and <double> <uint32_t> value == value
        if value == value:
            magnitude = fabs(value)
            largest = magnitude if magnitude > largest else largest
            is_near &= magnitude == 0 or FLT_MIN <= magnitude <= FLT_MAX
            is_single = is_single and (magnitude <= FLT_MAX or magnitude > 1.7976931348623157e308) and (
                <double> <float> value == value)
    if is_same:
        count = 1
    if is_rounded and is_near:
        return "f4", singles(values, count)
    if is_whole:
        return integers_of(values, count, <uint64_t> largest)
    if is_single:
        return "f4", singles(values, count)
    data = PyBytes_FromStringAndSize(NULL, count * 8)
    cdef double *doubles = <double *> PyBytes_AS_STRING(data)
    for index in range(count):
        doubles[index] = values[index]
    return "f8", data


def narrow_integers(const uint64_t[:] values not None):
    """Narrow unsigned integers as ``narrow_floats`` does."""
    cdef Py_ssize_t count = values.shape[0], index
    cdef uint64_t largest = 0
    cdef bint is_same = count > 0
    for index in range(count):
        is_same &= values[index] == values[0]
        largest = max(largest, values[index])
    return integers_of(values, 1 if is_same else count, largest)


ctypedef fused number:
    double
    uint64_t

ctypedef fused integer:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef tuple integers_of(const number[:] values, Py_ssize_t count, uint64_t largest):
    cdef int size = 1 if largest <= 0xFF else 2 if largest <= 0xFFFF else 4 if largest <= 0xFFFFFFFF else 8
    data = PyBytes_FromStringAndSize(NULL, count * size)
    cdef char *into = PyBytes_AS_STRING(data)
    if size == 1:
        fill(values, count, <uint8_t *> into)
    elif size == 2:
        fill(values, count, <uint16_t *> into)
    elif size == 4:
        fill(values, count, <uint32_t *> into)
    else:
        fill(values, count, <uint64_t *> into)
    return f"u{size}", data


cdef void fill(const number[:] values, Py_ssize_t count, integer *into) noexcept:
    cdef Py_ssize_t index
    for index in range(count):
        into[index] = <integer> values[index]


cdef bytes singles(const double[:] values, Py_ssize_t count):
    data = PyBytes_FromStringAndSize(NULL, count * 4)
    cdef float *into = <float *> PyBytes_AS_STRING(data)
    cdef Py_ssize_t index
    for index in range(count):
        into[index] = <float> values[index]
    return data
