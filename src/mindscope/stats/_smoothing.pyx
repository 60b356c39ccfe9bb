# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""The running average of a column that comes in pieces, without the interpreter."""

from cython cimport floating

import numpy as np


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
