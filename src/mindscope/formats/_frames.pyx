# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Checksums and framing. A record on disk:

    offset  0        8          12             12+n        16+n
            | n: u64 | crc(n)   | payload (n)  | crc(payload)
    all little-endian, crc = masked CRC-32C: ((c >> 15) | (c << 17)) + 0xa282ead8

Every read is checked against the end of the buffer before it is made; the directives above only switch off Cython's own
second check.
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
    """CRC-32C of ``data``, unmasked, behind bytes whose CRC-32C is ``before``.

    ``by_table`` computes it without the processor's instruction.
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
    """Whether this processor computes CRC-32C itself."""
    return bool(crc32c_use_instruction)


def frame(const uint8_t[::1] payload not None):
    """The record that holds ``payload``."""
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
    """Walk over intact records from ``position`` on, until the chunk ends or one is damaged.

    Returns ``(spans, position, status, needed)``: the payload spans ``(start, end)`` in the chunk, where the walk stopped,
    why (WHOLE: the chunk ended, perhaps inside a record; BAD_LENGTH or BAD_PAYLOAD: the record at ``position`` is
    damaged), and how many bytes from ``position`` on would complete the record that is cut by the end of the chunk.
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
            # as a Python number: a lying length may be the largest there is
            return spans, position, WHOLE, int(length) + HEADER + FOOTER
        memcpy(&crc, data + position + HEADER + length, 4)
        if crc != _masked(data + position + HEADER, length):
            return spans, position, BAD_PAYLOAD, 0
        spans.append((position + HEADER, position + HEADER + <Py_ssize_t>length))
        position += length + HEADER + FOOTER


cdef enum:
    LONGEST_BITS = 48   # no file has longer records: most places that are no header are told by this alone
    SHORT = 4096            # bytes of a payload whose checksum is always worth a look
    SPENT_EACH_BYTE = 64    # bytes of wrong payloads for each byte of a chunk, until only short ones are looked at
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
    """Whether a record seems to begin at ``position``: a length and its right checksum."""
    return position >= 0 and chunk.shape[0] - position >= HEADER and bool(_is_header(&chunk[position]))


def find_frame(const uint8_t[::1] chunk not None, Py_ssize_t position):
    """The first place from ``position`` on where a record stands whose checksums hold, and whether it is whole.

    Returns ``(place, True)`` for a record with both checksums right, ``(place, False)`` for the first place that may
    still become one when more of the file is there: a right length checksum before a payload that the chunk cuts, or
    the last bytes, which are too few for a header. Lengths of 2**48 and more are taken for damage. Where somebody wrote
    one right header after the other before payloads that are not, long ones are passed over in the end: each costs the
    checksum of its payload.
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
    """Whether a whole record with right checksums stands somewhere from ``position`` on, and ends with the chunk."""
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
    """``(length, stored crc, computed crc)`` of the header at ``position``, for the text of an error."""
    cdef uint64_t length
    cdef uint32_t crc
    if position < 0 or chunk.shape[0] - position < HEADER:
        raise WireError(f"frame header at {position}: {chunk.shape[0]} bytes are there, want {HEADER}")
    memcpy(&length, &chunk[position], 8)
    memcpy(&crc, &chunk[position + 8], 4)
    return length, crc, crc32c_masked(&chunk[position], 8)
