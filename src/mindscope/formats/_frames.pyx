# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Checksums and framing. A record on disk:

    offset  0        8          12             12+n        16+n
            | n: u64 | crc(n)   | payload (n)  | crc(payload)
    all little-endian, crc = masked CRC-32C: ((c >> 15) | (c << 17)) + 0xa282ead8

Each read checks the end of the buffer first; the directives above only switch off Cython's duplicate check.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from mindscope.errors import WireError

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()
    uint32_t crc32c_after(uint32_t before, const uint8_t *data, size_t length, bint by_table)
    uint32_t crc32c_masked(const uint8_t *data, size_t length)
    int crc32c_use_instruction

crc32c_initialise()

cdef enum:
    HEADER = 12
    FOOTER = 4
    LARGE = 65536   # bytes from which a checksum is worth releasing the interpreter lock

WHOLE = 0
BAD_LENGTH = 1
BAD_PAYLOAD = 2


cdef uint32_t _masked(const uint8_t *data, Py_ssize_t length) noexcept:
    cdef uint32_t crc
    if length >= LARGE:
        with nogil:
            crc = crc32c_masked(data, length)
        return crc
    return crc32c_masked(data, length)


def crc32c(const uint8_t[::1] data not None, bint by_table=False, uint32_t before=0):
    """CRC-32C of ``data``, unmasked; ``before`` is the CRC-32C of the bytes that precede it.

    ``by_table`` computes it without the processor's CRC instruction.
    """
    cdef const uint8_t *start = &data[0] if data.shape[0] else NULL
    cdef size_t length = data.shape[0]
    cdef uint32_t crc
    if length < LARGE:
        return crc32c_after(before, start, length, by_table)
    with nogil:
        crc = crc32c_after(before, start, length, by_table)
    return crc


def has_crc_instruction():
    """Return whether this processor has a CRC-32C instruction."""
    return bool(crc32c_use_instruction)


def frame(const uint8_t[::1] payload not None):
    """Return the record that holds ``payload``."""
    cdef Py_ssize_t length = payload.shape[0]
    cdef bytes record = PyBytes_FromStringAndSize(NULL, length + HEADER + FOOTER)
    cdef uint8_t *out = <uint8_t *>PyBytes_AS_STRING(record)
    cdef uint64_t length64 = length
    cdef uint32_t crc
    memcpy(out, &length64, 8)
    crc = crc32c_masked(out, 8)
    memcpy(out + 8, &crc, 4)
    if length:
        memcpy(out + HEADER, &payload[0], length)
    crc = _masked(out + HEADER, length)
    memcpy(out + HEADER + length, &crc, 4)
    return record


def scan_frames(const uint8_t[::1] chunk not None, Py_ssize_t position):
    """Read intact records from ``position`` on, until the chunk ends or a record is damaged.

    Returns ``(spans, position, status, needed)``: the payload spans ``(start, end)`` in the chunk, the stop position,
    the reason (WHOLE: the chunk ended, perhaps inside a record; BAD_LENGTH or BAD_PAYLOAD: the record at ``position``
    is damaged), and how many bytes from ``position`` on complete the record that the end of the chunk cuts.
    """
    cdef const uint8_t *data = &chunk[0] if chunk.shape[0] else NULL
    cdef Py_ssize_t end = chunk.shape[0]
    cdef uint64_t length
    cdef uint32_t crc
    cdef list spans = []
    while True:
        if end - position < HEADER:
            return spans, position, WHOLE, HEADER
        memcpy(&length, data + position, 8)
        memcpy(&crc, data + position + 8, 4)
        if crc != crc32c_masked(data + position, 8):
            return spans, position, BAD_LENGTH, 0
        if length > <uint64_t>(1 << 62) or <uint64_t>(end - position) < length + HEADER + FOOTER:
            # a Python int: a corrupt length may exceed int64
            return spans, position, WHOLE, int(length) + HEADER + FOOTER
        memcpy(&crc, data + position + HEADER + length, 4)
        if crc != _masked(data + position + HEADER, length):
            return spans, position, BAD_PAYLOAD, 0
        spans.append((position + HEADER, position + HEADER + <Py_ssize_t>length))
        position += length + HEADER + FOOTER


cdef enum:
    LONGEST_BITS = 48   # no file has longer records; this check alone rejects most positions
    SHORT = 4096            # always check payloads up to this size
    SPENT_EACH_BYTE = 64    # wrong payload bytes to check for each byte of a chunk; then check short payloads only
    SPENT_ANYWAY = 1 << 24


cdef inline bint _is_header(const uint8_t *data) noexcept nogil:
    cdef uint64_t length
    cdef uint32_t crc
    memcpy(&length, data, 8)
    if length >> LONGEST_BITS:
        return False
    memcpy(&crc, data + 8, 4)
    return crc == crc32c_masked(data, 8)


def is_header(const uint8_t[::1] chunk not None, Py_ssize_t position):
    """Return whether ``position`` has a record header: a length and its correct checksum."""
    return position >= 0 and chunk.shape[0] - position >= HEADER and bool(_is_header(&chunk[position]))


def find_frame(const uint8_t[::1] chunk not None, Py_ssize_t position):
    """The first position from ``position`` on that has a record with correct checksums, and whether the record is
    whole.

    Returns ``(position, True)`` for a record with two correct checksums, ``(position, False)`` for the first position
    that may become a record when the file grows: a correct length checksum before a payload that the chunk cuts, or the
    last bytes, which are too few for a header. Treats lengths of 2**48 and more as damage. A crafted file may hold many
    correct headers before wrong payloads; each costs one payload checksum, so a budget limits the long ones.
    """
    cdef const uint8_t *data = &chunk[0] if chunk.shape[0] else NULL
    cdef Py_ssize_t end = chunk.shape[0]
    cdef uint64_t length
    cdef uint32_t crc
    cdef uint64_t spent = 0, most = SPENT_EACH_BYTE * <uint64_t>end + SPENT_ANYWAY
    cdef bint is_whole = False
    with nogil:
        while end - position >= HEADER:
            if _is_header(data + position):
                memcpy(&length, data + position, 8)
                if <uint64_t>(end - position) < length + HEADER + FOOTER:
                    break
                if length <= SHORT or spent <= most:
                    memcpy(&crc, data + position + HEADER + length, 4)
                    if crc == crc32c_masked(data + position + HEADER, length):
                        is_whole = True
                        break
                    spent += length
            position += 1
    return position, bool(is_whole)


def ends_with_frame(const uint8_t[::1] chunk not None, Py_ssize_t position):
    """Return whether a whole record with correct checksums begins at or after ``position`` and ends with the chunk."""
    cdef const uint8_t *data = &chunk[0] if chunk.shape[0] else NULL
    cdef Py_ssize_t end = chunk.shape[0]
    cdef uint64_t length
    cdef uint32_t crc
    cdef bint is_found = False
    with nogil:
        while end - position >= HEADER + FOOTER and not is_found:
            memcpy(&length, data + position, 8)
            if length == <uint64_t>(end - position - HEADER - FOOTER) and _is_header(data + position):
                memcpy(&crc, data + end - FOOTER, 4)
                is_found = crc == crc32c_masked(data + position + HEADER, length)
            position += 1
    return bool(is_found)


def read_frame_header(const uint8_t[::1] chunk not None, Py_ssize_t position):
    """``(length, stored crc, computed crc)`` of the header at ``position``, for error messages."""
    cdef uint64_t length
    cdef uint32_t crc
    if position < 0 or chunk.shape[0] - position < HEADER:
        raise WireError(f"frame header at {position}: {chunk.shape[0]} bytes are there, want {HEADER}")
    memcpy(&length, &chunk[position], 8)
    memcpy(&crc, &chunk[position + 8], 4)
    return length, crc, crc32c_masked(&chunk[position], 8)
