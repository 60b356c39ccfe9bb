# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Brightness from 0 to 1 as bytes, in one pass."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

cdef enum:
    BLOCK = 4096  # numbers that are converted before it is asked whether all were in the range


def brightness_to_bytes(const float[::1] numbers not None, uint8_t[::1] pixels not None):
    """Fill ``pixels`` with 255 times the ``numbers``, rounded half to even.

    Returns whether all lie in [0, 1]; where one does not, ``pixels`` holds nothing of use.
    """
    cdef Py_ssize_t start = 0, place, end, size = numbers.shape[0]
    cdef float number, shifted
    cdef uint32_t bits
    cdef int outside = 0
    if pixels.shape[0] != size:
        raise ValueError(f"{pixels.shape[0]} pixels for {size} numbers, want as many")
    with nogil:
        while start < size and not outside:
            end = min(start + BLOCK, size)
            for place in range(start, end):
                number = numbers[place]
                outside |= (not number >= 0) | (not number <= 1)
                # where floats are a whole number apart, adding rounds to one, which then stands in the lowest bits
                shifted = number * <float>255 + <float>8388608
                memcpy(&bits, &shifted, 4)
                pixels[place] = <uint8_t>bits
            start = end
    return not outside
