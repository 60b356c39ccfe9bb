# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Statistics of the memory of a tensor, in one pass."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint8_t, uint64_t, uintptr_t

cdef extern from "_tensor_statistics.h" nogil:
    ctypedef struct MsStatistics:
        int64_t count, nan, positive_inf, negative_inf, zero, below, above, near_max, subnormal
        double min, max, sum, sum_abs, sum_squares
        uint64_t hash

    void ms_summarize(MsStatistics *found, const char *data, int kind, int64_t count)
    void ms_summarize_bytes(
        MsStatistics *found, const uint8_t *data, int64_t count, const double *meaning, double near_max, double tiny)
    void ms_update(const char *now, const char *before, int kind, int64_t count, double *means)

cdef enum:
    RELEASED = 4096  # numbers from which on other threads of Python may run


cdef class StatisticsRows:
    """Writes rows of statistics into arrays of its caller.

    Args:
        values: shape (capacity, columns), C-ordered; the first 14 columns are written as ``FIELDS`` orders them, two
            more by ``update``.
        digests: shape (capacity,).
    """

    cdef double[:, ::1] values
    cdef uint64_t[::1] digests
    cdef Py_ssize_t capacity

    def __init__(self, double[:, ::1] values not None, uint64_t[::1] digests not None):
        if values.shape[1] < 16 or digests.shape[0] != values.shape[0]:
            raise ValueError("values need 16 columns, and digests as many rows")
        self.values = values
        self.digests = digests
        self.capacity = values.shape[0]

    def summarize(self, Py_ssize_t row, uintptr_t address, int kind, int64_t count):
        """Statistics of ``count`` numbers at an address; ``kind`` as in ``KINDS``."""
        cdef MsStatistics found
        if not 0 <= row < self.capacity or not 0 <= kind < 10:
            raise IndexError(f"row {row} of {self.capacity}, kind {kind}")
        if count < RELEASED:
            ms_summarize(&found, <const char *> address, kind, count)
        else:
            with nogil:
                ms_summarize(&found, <const char *> address, kind, count)
        self.write(row, &found)

    def summarize_bytes(
        self, Py_ssize_t row, uintptr_t address, int64_t count, double[::1] meaning not None, double near_max,
        double tiny
    ):
        """Statistics of ``count`` numbers of one byte; ``meaning`` are the numbers of the 256 bytes."""
        cdef MsStatistics found
        if not 0 <= row < self.capacity or meaning.shape[0] != 256:
            raise IndexError(f"row {row} of {self.capacity}, {meaning.shape[0]} meanings")
        if count < RELEASED:
            ms_summarize_bytes(&found, <const uint8_t *> address, count, &meaning[0], near_max, tiny)
        else:
            with nogil:
                ms_summarize_bytes(&found, <const uint8_t *> address, count, &meaning[0], near_max, tiny)
        self.write(row, &found)

    def update(self, Py_ssize_t row, uintptr_t now, uintptr_t before, int kind, int64_t count):
        """Means of |now - before| and |before| of floats into the last two columns."""
        if not 0 <= row < self.capacity or not 0 <= kind < 4:
            raise IndexError(f"row {row} of {self.capacity}, kind {kind}")
        cdef double *means = &self.values[row, 14]
        with nogil:
            ms_update(<const char *> now, <const char *> before, kind, count, means)

    cdef void write(self, Py_ssize_t row, MsStatistics *found) noexcept:
        cdef double *values = &self.values[row, 0]
        cdef bint is_empty = found.zero + found.below + found.above == 0
        values[0] = <double> found.count
        values[1] = <double> found.nan
        values[2] = <double> found.positive_inf
        values[3] = <double> found.negative_inf
        values[4] = <double> found.zero
        values[5] = <double> found.below
        values[6] = <double> found.above
        values[7] = NAN if is_empty else found.min
        values[8] = NAN if is_empty else found.max
        values[9] = found.sum
        values[10] = found.sum_abs
        values[11] = found.sum_squares
        values[12] = <double> found.near_max
        values[13] = <double> found.subnormal
        values[14] = NAN
        values[15] = NAN
        self.digests[row] = mixed(found.hash, found.count)


cdef uint64_t mixed(uint64_t hash, int64_t count) noexcept:
    """A hash of a sum and a count that is not 0. Source: the finalizer of SplitMix64."""
    cdef uint64_t state = hash + <uint64_t> count * 0xD1B54A32D192ED03u
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u
    state = (state ^ (state >> 27)) * 0x94D049BB133111EBu
    state ^= state >> 31
    return state if state else 1


def mix(uint64_t hash, int64_t count):
    """The digest of a sum that another program computed."""
    return mixed(hash, count)
