# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Recognizing a column by 64 bits."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy


def fingerprint(const unsigned char[::1] data, uint64_t seed=0):
    """64 bits that two different columns share by chance only; ``seed`` is that of the columns before."""
    cdef uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ull, word
    cdef Py_ssize_t at = 0, size = data.shape[0]
    with nogil:
        state ^= state >> 32
        while at < size:
            word = 0
            memcpy(&word, &data[at], 8 if size - at >= 8 else size - at)
            # The finaliser of splitmix64 (Steele, Lea, Flood 2014): one multiplication would leave the low bits weak.
            state = (state ^ word) * 0xBF58476D1CE4E5B9ull
            state ^= state >> 29
            at += 8
        state = (state ^ <uint64_t>size) * 0x94D049BB133111EBull
        state ^= state >> 31
    return state
