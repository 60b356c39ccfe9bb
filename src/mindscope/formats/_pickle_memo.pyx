# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Looks for what a pickle needs: numbers under which it remembers its values, and memory, without making the values."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memchr

import pickletools

cdef enum:
    BY_LINE = -1         # sizes of arguments as pickletools names them: a line,
    BY_SIZE_1 = -2       # or its size before it, of this width
    BY_SIZE_4 = -3
    BY_SIZE_4U = -4
    BY_SIZE_8U = -5
    UNKNOWN = -100

cdef int[256] ARGUMENTS
cdef int[256] SIZES          # bytes of what an opcode makes, of texts without their characters


def _fill():
    containers = {"}": 232, "d": 232, "]": 88, "l": 88, "\x8f": 216, "\x91": 216,
                  "t": 72, "\x85": 72, "\x86": 72, "\x87": 72}
    references = "hjgqrp\x94\x95"
    for opcode in range(256):
        ARGUMENTS[opcode] = UNKNOWN
    for each in pickletools.opcodes:
        ARGUMENTS[ord(each.code)] = 0 if each.arg is None else each.arg.n
        is_value = each.arg is not None and each.code not in references
        SIZES[ord(each.code)] = containers.get(each.code, 64 if is_value else 16)


_fill()


cdef uint64_t _little(const uint8_t *bytes, int width) noexcept nogil:
    cdef uint64_t found = 0
    cdef int index
    for index in range(width):
        found |= <uint64_t>bytes[index] << (8 * index)
    return found


cdef uint64_t _decimal(const uint8_t *text, uint64_t length) noexcept nogil:
    """Return the number of the digits in a text, at most 2 to the power of 40."""
    cdef uint64_t found = 0, index
    for index in range(length):
        if c"0" <= text[index] <= c"9":
            found = min(<uint64_t>1 << 40, found * 10 + text[index] - c"0")
    return found


def scan_pickle(const uint8_t[::1] data not None, bint with_names=False):
    """The greatest number under which the pickle stores a value, 0 without any; about how many bytes its values take.

    It ends where an unpickler ends or fails: at the end of the pickle, bytes that are no opcode, or, without
    ``with_names``, a name of a class.
    """
    cdef uint64_t size = data.shape[0], at = 0, length, greatest = 0, memory = 0
    cdef const uint8_t *bytes
    cdef const void *end
    cdef uint8_t opcode
    cdef int argument, width
    if not size:
        return 0, 0
    bytes = &data[0]
    with nogil:
        while at < size:
            opcode = bytes[at]
            at += 1
            argument = ARGUMENTS[opcode]
            if opcode == c"." or argument == UNKNOWN:
                break
            if opcode == c"c" or opcode == c"i":
                end = memchr(bytes + at, c"\n", size - at) if with_names else NULL
                if end == NULL:
                    break
                at = <const uint8_t *>end - bytes + 1  # the name of the module; that of the class follows
            if argument >= 0:
                length = argument
            elif argument == BY_LINE:
                end = memchr(bytes + at, c"\n", size - at)
                if end == NULL:
                    break
                length = <const uint8_t *>end - bytes - at + 1
            else:
                width = 1 if argument == BY_SIZE_1 else 8 if argument == BY_SIZE_8U else 4
                if width > size - at:
                    break
                length = _little(bytes + at, width)
                at += width
            if length > size - at:
                break
            if opcode == c"q" or opcode == c"r":
                greatest = max(greatest, _little(bytes + at, <int>length))
            elif opcode == c"p":
                greatest = max(greatest, _decimal(bytes + at, length))
            at += length
            memory += SIZES[opcode] + length
    return greatest, memory
