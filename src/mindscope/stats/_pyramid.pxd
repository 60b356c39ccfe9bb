# SPDX-License-Identifier: Apache-2.0
"""Summaries of a stretch of rows, and of all blocks of a column."""

from libc.stdint cimport int64_t

from mindscope.stats._values cimport Column


cdef enum:
    FINITE = 0
    NAN = 1
    POSITIVE = 2   # +Inf
    NEGATIVE = 3   # -Inf
    GROUPS = 4
    NONE = -1
    BLOCK = 256    # rows in a summary of the lowest level
    FAN = 16       # summaries in one of the next level
    LANES = 8
    LEVELS = 14    # 256 * 16**13 is more rows than there can be


cdef extern from *:
    '''
    #define SUM_SCALE 0x1p-64
    '''
    const double SUM_SCALE  # of sums: those of any number of finite values are finite


cdef struct Summary:
    int64_t first[GROUPS]   # row, NONE when the group is empty
    int64_t last[GROUPS]
    int64_t count[GROUPS]
    int64_t lowest          # first row of the lowest finite value, NONE without any
    int64_t highest
    double low              # that value, +Inf without any
    double high
    double total            # of the finite values, times SUM_SCALE


cdef struct Level:
    Summary *data
    int64_t length
    int64_t capacity


cdef class Pyramid:
    cdef Level levels[LEVELS]


cdef void clear(Summary *summary) noexcept nogil
cdef void sum_up(Summary *summary, const Column *y, int64_t start, int64_t stop, const Level *levels) noexcept nogil
