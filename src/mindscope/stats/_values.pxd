# SPDX-License-Identifier: Apache-2.0
"""A column of float32 or float64 in several pieces of memory."""

from libc.math cimport isfinite
from libc.stdint cimport int64_t


cdef struct Piece:
    const void *data
    int64_t start    # row of its first value
    int64_t stop


cdef struct Column:
    Piece *pieces    # in order, none of them empty
    Py_ssize_t count
    bint is_double   # float64, else float32


cdef class Values:
    cdef Column column
    cdef tuple _views    # keeps the memory of the pieces
    cdef int _add(self, part) except -1


cdef inline Py_ssize_t piece_of(const Column *column, int64_t row) noexcept nogil:
    """Return the piece that holds a row of the column."""
    cdef Py_ssize_t low = 0, high = column.count - 1, middle
    while low < high:
        middle = low + (high - low) // 2
        if column.pieces[middle].stop <= row:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline bint is_finite(const Column *column, int64_t row) noexcept nogil:
    """Return whether a row of the column holds a finite value."""
    cdef const Piece *piece = &column.pieces[piece_of(column, row)]
    if column.is_double:
        return isfinite((<const double *>piece.data)[row - piece.start])
    return isfinite((<const float *>piece.data)[row - piece.start])
