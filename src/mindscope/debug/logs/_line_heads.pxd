# SPDX-License-Identifier: Apache-2.0
"""Beginnings of log lines, for compiled modules: what they hold, and where they end."""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcmp

cdef enum:
    LONGEST_HEAD = 512      # bytes of a line that are parsed
    LONGEST_MODULE = 80
    STREAM_NAME = 6         # bytes of stdout and stderr

cdef struct Head:
    int level
    int64_t time_ns
    int64_t rank
    const uint8_t* module
    Py_ssize_t module_length
    const uint8_t* text     # what follows the head
    bint takes_lines
    bint has_time


cdef struct Captured:
    int64_t time_ns
    const uint8_t* stream
    bint is_whole


cdef inline bint is_digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline bint is_word(uint8_t c) noexcept nogil:
    return is_digit(c) or 65 <= c <= 90 or 97 <= c <= 122 or c == 95


cdef inline bint is_space(uint8_t c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


cdef inline bint begins(const uint8_t* s, const uint8_t* end, const char* text, Py_ssize_t length) noexcept nogil:
    return end - s >= length and memcmp(s, text, length) == 0


cdef const uint8_t* rank_prefix(const uint8_t* s, const uint8_t* end, Head* head) noexcept nogil
cdef const uint8_t* captured_text(const uint8_t* s, const uint8_t* end, Captured* found) noexcept nogil
cdef const uint8_t* glued_message(const uint8_t* s, const uint8_t* end) noexcept nogil
cdef bint parse(const uint8_t* s, const uint8_t* end, int year, Head* head) noexcept nogil
