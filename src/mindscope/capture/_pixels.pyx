# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Converts brightness from 0 to 1 to bytes, in one pass."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

cdef enum:
    BLOCK = 4096  # numbers to convert between two range checks


def brightness_to_bytes(const float[::1] numbers not None, uint8_t[::1] pixels not None):
    """Fill ``pixels`` with 255 times the ``numbers``, rounded half to even.

    Returns whether all lie in [0, 1]; if not, the content of ``pixels`` is undefined.
    """
    cdef Py_ssize_t start = 0, index, end, size = numbers.shape[0]
    cdef float number, shifted
    cdef uint32_t bits
    cdef int outside = 0
    if pixels.shape[0] != size:
        raise ValueError(f"{pixels.shape[0]} pixels for {size} numbers, want as many")
    with nogil:
        while start < size and not outside:
            end = min(start + BLOCK, size)
            for index in range(start, end):
                number = numbers[index]
                outside |= (not number >= 0) | (not number <= 1)
                # adding 2**23 rounds to an integer, which is then in the lowest bits of the float
                shifted = number * <float>255 + <float>8388608
                memcpy(&bits, &shifted, 4)
                pixels[index] = <uint8_t>bits
            start = end
    return not outside
