# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False
"""Row numbers that grow without the interpreter; their owner frees ``data``."""

from libc.stdint cimport int64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy


cdef struct Rows:
    int64_t *data
    size_t length
    size_t capacity


cdef inline bint push(Rows *rows, int64_t row) noexcept nogil:
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


cdef inline object filled(const Rows *rows, array):
    """``array``, int64 of shape (rows.length,), with the row numbers."""
    cdef int64_t[::1] view = array
    if rows.length:
        memcpy(&view[0], rows.data, rows.length * sizeof(int64_t))
    return array
