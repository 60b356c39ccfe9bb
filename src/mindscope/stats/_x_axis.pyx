# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""The loops over a column of x: surveying it, finding an index, cutting it into buckets."""

from libc.math cimport INFINITY, floor
from libc.stdint cimport int64_t
from libc.stdlib cimport free

import numpy as np

from mindscope.stats._rows cimport Rows, filled, push

ctypedef fused coordinate:
    int64_t
    double


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
    """The first row after the bucket of ``row``: strides double until one is too far, then halve."""
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
                has_room = push(&edges, row)
                row = _bucket_end(&x[0], row, stop, origin, width)
            has_room = has_room and push(&edges, stop)
        if not has_room:
            raise MemoryError
        return filled(&edges, np.empty(edges.length, np.int64))
    finally:
        free(edges.data)
