# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""A column of float32 or float64 in several pieces of memory."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

import numpy as np


cdef class Values:
    """The values of ``parts``, arrays of one type, float32 or float64, in order and not copied."""

    def __cinit__(self, parts not None):
        self._views = tuple(part for part in parts if len(part))
        self.column.pieces = <Piece *>malloc((len(self._views) + 1) * sizeof(Piece))
        if self.column.pieces == NULL:
            raise MemoryError
        self.column.is_double = len(self._views) > 0 and self._views[0].dtype == np.float64
        for part in self._views:
            self._add(part)

    cdef int _add(self, part) except -1:
        cdef const float[::1] floats
        cdef const double[::1] doubles
        cdef Piece *piece = &self.column.pieces[self.column.count]
        if self.column.is_double:
            doubles = part
            piece.data = &doubles[0]
        else:
            floats = part
            piece.data = &floats[0]
        piece.start = len(self)
        piece.stop = piece.start + len(part)
        self.column.count += 1
        return 0

    def __dealloc__(self):
        free(self.column.pieces)

    def __len__(self):
        return self.column.pieces[self.column.count - 1].stop if self.column.count else 0
