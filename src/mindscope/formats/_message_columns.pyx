# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Reads the fields of many encoded messages into columns, and numbers the distinct texts in them.

A run is a piece ``data[start:stop]``. No object is made for a message or a text.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memcpy

from mindscope.formats._schema cimport STRING, Field, Schema, wire_type_of

import numpy as np

cdef extern from "_fields.h" nogil:
    enum: WIRE_VARINT, WIRE_RUN
    ctypedef struct WireField:
        uint64_t number
        int wire_type
        uint64_t bits
        const uint8_t *at
        const uint8_t *end
    int next_field(const uint8_t **at, const uint8_t *end, WireField *field)

cdef extern from "_columns.h" nogil:
    ctypedef struct Column:
        uint8_t *data
        size_t length
    int column_push(Column *column, const void *item, size_t size)
    void column_free(Column *column)

cdef enum:
    MOST_FIELDS = 64  # numbers of fields are below it in every schema that is read here


cdef struct FieldRows:
    int wanted            # wire type, -1 for a field that is not in the schema
    Column row            # int32_t, the message
    Column first, second  # int64_t: start and stop of a run; a number, and nothing


cdef object _array(Column *column, dtype, size_t size):
    """Return a copy of a column."""
    result = np.empty(column.length, dtype)
    cdef uint8_t[::1] view
    if column.length:
        view = result.view(np.uint8)
        memcpy(&view[0], column.data, column.length * size)
    return result


cdef int _scan(const uint8_t *data, const uint8_t *at, const uint8_t *end, int32_t row, FieldRows *fields) noexcept nogil:
    """Add the fields of one message; returns 0 if it breaks the encoding, -1 if memory is missing."""
    cdef WireField field = [0, 0, 0, NULL, NULL]
    cdef FieldRows *found
    cdef int64_t first, second
    while at < end:
        if not next_field(&at, end, &field):
            return 0
        if field.number >= MOST_FIELDS:
            continue
        found = &fields[field.number]
        if found.wanted < 0:
            continue
        if field.wire_type == WIRE_RUN and found.wanted == WIRE_RUN:
            first, second = field.at - data, field.end - data
            if not column_push(&found.second, &second, 8):
                return -1
        elif field.wire_type == WIRE_VARINT and found.wanted == WIRE_VARINT:
            first = <int64_t>field.bits
        elif field.wire_type == found.wanted:
            continue
        else:
            return 0
        if not column_push(&found.row, &row, 4) or not column_push(&found.first, &first, 8):
            return -1
    return 1


cdef int _check(Py_ssize_t size, const int64_t[::1] start, const int64_t[::1] stop) except -1:
    cdef Py_ssize_t row
    if start.shape[0] != stop.shape[0]:
        raise ValueError(f"{start.shape[0]} starts, {stop.shape[0]} stops")
    for row in range(start.shape[0]):
        if start[row] < 0 or stop[row] < start[row] or stop[row] > size:
            raise IndexError(f"run {start[row]}:{stop[row]} is not in {size} bytes")
    return 0


def scan_fields(Schema schema not None, const uint8_t[::1] data not None, const int64_t[::1] start not None,
                const int64_t[::1] stop not None):
    """Return the fields of the messages in ``data[start:stop]``, one level deep.

    Returns ``(columns, broken)``. ``columns`` has for each field of the schema ``(row, first, second)``: the index of the
    message (int32), then start and stop of the field's run (int64). A number has its value as ``first`` and an empty
    ``second``; packed numbers are runs; fixed numbers are left out. Fields of a message are in the order of the data.
    ``broken`` are the rows (int32) that break the encoding; their fields before the break are kept. Raises IndexError if a
    run is not in ``data``, ValueError for a schema with a field number of 64 or more.
    """
    cdef FieldRows *fields = <FieldRows *>calloc(MOST_FIELDS, sizeof(FieldRows))
    cdef const uint8_t *bytes_
    cdef Field field
    cdef int32_t row
    cdef int result = 1
    cdef Py_ssize_t number
    if fields == NULL:
        raise MemoryError
    try:
        for number in range(MOST_FIELDS):
            fields[number].wanted = -1
        for field in schema.fields:
            if field.number >= MOST_FIELDS:
                raise ValueError(f"field {field.name} of {schema.name} has number {field.number}, want below {MOST_FIELDS}")
            is_run = field.type >= STRING or field.is_packed
            fields[field.number].wanted = WIRE_RUN if is_run else wire_type_of(field.type)
        _check(data.shape[0], start, stop)
        broken_rows = []
        if data.shape[0]:
            bytes_ = &data[0]
            for row in range(start.shape[0]):
                result = _scan(bytes_, bytes_ + start[row], bytes_ + stop[row], row, fields)
                if result < 0:
                    raise MemoryError
                if result == 0:
                    broken_rows.append(row)
        columns = {}
        for field in schema.fields:
            columns[field.name] = (
                _array(&fields[field.number].row, np.int32, 4),
                _array(&fields[field.number].first, np.int64, 8),
                _array(&fields[field.number].second, np.int64, 8),
            )
        return columns, np.array(broken_rows, np.int32)
    finally:
        for number in range(MOST_FIELDS):
            column_free(&fields[number].row)
            column_free(&fields[number].first)
            column_free(&fields[number].second)
        free(fields)


def find_byte(const uint8_t[::1] data not None, const int64_t[::1] start not None, const int64_t[::1] stop not None,
              uint8_t wanted, *, bint last=False):
    """The position in ``data`` (int64) of the first or the last byte ``wanted`` of each run, -1 for a run without it."""
    _check(data.shape[0], start, stop)
    positions = np.full(start.shape[0], -1, np.int64)
    cdef int64_t[::1] view = positions
    cdef Py_ssize_t row
    cdef int64_t at
    cdef const uint8_t *found
    for row in range(start.shape[0]):
        if start[row] == stop[row]:
            continue
        if last:
            at = stop[row] - 1
            while at >= start[row] and data[at] != wanted:
                at -= 1
            if at >= start[row]:
                view[row] = at
        else:
            found = <const uint8_t *>memchr(&data[start[row]], wanted, stop[row] - start[row])
            if found != NULL:
                view[row] = found - &data[0]
    return positions


cdef uint64_t _hash(const uint8_t *at, size_t size) noexcept nogil:
    """Mixes eight bytes at a time; only speed depends on its quality."""
    cdef uint64_t state = 0x9E3779B97F4A7C15ULL ^ size, word
    while size >= 8:
        memcpy(&word, at, 8)
        state = (state ^ word) * 0xFF51AFD7ED558CCDULL
        state ^= state >> 32
        at += 8
        size -= 8
    word = 0
    memcpy(&word, at, size)
    state = (state ^ word) * 0xFF51AFD7ED558CCDULL
    return state ^ state >> 32


def number_texts(const uint8_t[::1] data not None, const int64_t[::1] start not None, const int64_t[::1] stop not None):
    """Numbers the distinct runs from 0 on, in the order of first occurrence.

    Returns ``(number, first)``: the number of each run (int32), and the index of the first run with each number (int64).
    """
    _check(data.shape[0], start, stop)
    cdef size_t count = start.shape[0], slots = 16, slot, row
    while slots < 2 * count:
        slots *= 2
    table_array = np.full(slots, -1, np.int32)
    hashes_array = np.empty(count, np.uint32)
    number_array = np.empty(count, np.int32)
    first_array = np.empty(count, np.int64)
    cdef int32_t[::1] table = table_array, number = number_array
    cdef uint32_t[::1] hashes = hashes_array
    cdef int64_t[::1] first = first_array
    cdef int32_t distinct = 0
    cdef uint64_t hashed
    cdef size_t size
    cdef int64_t other
    cdef const uint8_t *bytes_ = &data[0] if data.shape[0] else NULL
    with nogil:
        for row in range(count):
            size = stop[row] - start[row]
            hashed = _hash(bytes_ + start[row], size)
            slot = hashed & (slots - 1)
            while True:
                if table[slot] < 0:
                    table[slot] = distinct
                    hashes[distinct] = <uint32_t>(hashed >> 32)
                    first[distinct] = row
                    number[row] = distinct
                    distinct += 1
                    break
                other = first[table[slot]]
                if (hashes[table[slot]] == <uint32_t>(hashed >> 32) and <size_t>(stop[other] - start[other]) == size
                        and memcmp(bytes_ + start[other], bytes_ + start[row], size) == 0):
                    number[row] = table[slot]
                    break
                slot = (slot + 1) & (slots - 1)
    return number_array, first_array[:distinct].copy()


def hash_runs(const uint8_t[::1] data not None, const int64_t[::1] start not None, const int64_t[::1] stop not None):
    """(n,) A hash (uint64) of the bytes of each run; equal bytes have equal hashes."""
    _check(data.shape[0], start, stop)
    result = np.empty(start.shape[0], np.uint64)
    cdef uint64_t[::1] hashes = result
    cdef const uint8_t *bytes_ = &data[0] if data.shape[0] else NULL
    cdef Py_ssize_t row
    with nogil:
        for row in range(start.shape[0]):
            hashes[row] = _hash(bytes_ + start[row], stop[row] - start[row])
    return result


def join_runs(const uint8_t[::1] data not None, const int64_t[::1] start not None, const int64_t[::1] stop not None):
    """Return the bytes of the runs in one array (uint8), and where each ends in it (int64)."""
    _check(data.shape[0], start, stop)
    ends_array = np.cumsum(np.asarray(stop) - np.asarray(start), dtype=np.int64)
    joined_array = np.empty(int(np.sum(np.asarray(stop) - np.asarray(start))), np.uint8)
    cdef uint8_t[::1] joined = joined_array
    cdef int64_t at = 0
    cdef Py_ssize_t row
    for row in range(start.shape[0]):
        if stop[row] > start[row]:
            memcpy(&joined[at], &data[start[row]], stop[row] - start[row])
            at += stop[row] - start[row]
    return joined_array, ends_array
