# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Records straight to columns: scalars are decoded, every other value is placed by its bytes, without the interpreter.

The rules are those of ``mindspore.locate`` and ``tensorboard.locate``, which stay the readable statement of them and which
the tests compare with this one on any input. An event that breaks the wire encoding leaves no row; it is handed back for
those functions to name what is wrong.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy

import numpy as np

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()
    uint32_t crc32c_masked(const uint8_t *data, size_t length)

crc32c_initialise()

cdef enum:
    HEADER = 12
    FOOTER = 4
    NO_TAG = -1
    KEPT_CAPACITY = 4096

WHOLE = 0
BAD_LENGTH = 1
BAD_PAYLOAD = 2

cdef enum:
    EVENT_FIELD_NUMBER = 1000

EVENT_FIELD = EVENT_FIELD_NUMBER
"""Added to the field number of a value that stands in the event itself, not in its summary."""


# ---- columns that grow without the interpreter ----------------------------------------------------------------------

cdef struct Column:
    uint8_t *data
    size_t length      # in items
    size_t capacity    # in items


cdef inline bint _push(Column *column, const void *item, size_t size) noexcept nogil:
    """Append one item; False when there is no memory."""
    cdef size_t capacity
    cdef uint8_t *grown
    if column.length == column.capacity:
        capacity = 1024 if column.capacity == 0 else column.capacity * 2
        grown = <uint8_t *>realloc(column.data, capacity * size)
        if grown == NULL:
            return False
        column.data = grown
        column.capacity = capacity
    memcpy(column.data + column.length * size, item, size)
    column.length += 1
    return True


cdef object _array(Column *column, object dtype):
    """A numpy array with the items, and the column empty again."""
    dtype = np.dtype(dtype)
    array = np.empty(column.length, dtype)
    cdef uint8_t[::1] view
    if column.length:
        view = array.view(np.uint8)
        memcpy(&view[0], column.data, column.length * <size_t>dtype.itemsize)
    _empty(column)
    return array


cdef void _empty(Column *column) noexcept:
    """Forget the items; the memory of many goes back, for a run has many files that are read once."""
    column.length = 0
    if column.capacity > KEPT_CAPACITY:
        free(column.data)
        column.data = NULL
        column.capacity = 0


# ---- tags as numbers ------------------------------------------------------------------------------------------------

cdef struct TagTable:
    int32_t *slots          # open addressing, -1 is empty
    size_t slot_count       # a power of two
    Column starts           # size_t: where each tag begins in bytes; one more entry at the end
    Column bytes            # uint8_t
    Column hashes           # uint64_t
    Column following        # int32_t: the tag that came after this one last time; a training repeats its order
    int32_t count
    int32_t last


cdef inline uint64_t _hash(const uint8_t *text, size_t length) noexcept nogil:
    cdef uint64_t value = <uint64_t>0x9E3779B97F4A7C15U ^ length, word
    while length >= 8:
        memcpy(&word, text, 8)
        value = (value ^ word) * <uint64_t>0xFF51AFD7ED558CCDU
        value ^= value >> 32
        text += 8
        length -= 8
    while length:
        value = (value ^ text[0]) * <uint64_t>0xC4CEB9FE1A85EC53U
        value ^= value >> 29
        text += 1
        length -= 1
    return value


cdef inline bint _is_tag(TagTable *table, int32_t tag, const uint8_t *text, size_t length) noexcept nogil:
    cdef size_t *starts = <size_t *>table.starts.data
    cdef size_t start = starts[tag]
    if starts[tag + 1] - start != length:
        return False
    return length == 0 or memcmp(table.bytes.data + start, text, length) == 0  # there may be no bytes at all yet


cdef bint _grow_slots(TagTable *table) noexcept nogil:
    cdef size_t count = 256 if table.slot_count == 0 else table.slot_count * 4, slot
    cdef int32_t *slots = <int32_t *>malloc(count * sizeof(int32_t))
    cdef uint64_t *hashes = <uint64_t *>table.hashes.data
    cdef int32_t tag
    if slots == NULL:
        return False
    for slot in range(count):
        slots[slot] = -1
    for tag in range(table.count):
        slot = hashes[tag] & (count - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (count - 1)
        slots[slot] = tag
    free(table.slots)
    table.slots = slots
    table.slot_count = count
    return True


cdef int32_t _tag(TagTable *table, const uint8_t *text, size_t length) noexcept nogil:
    """The number of a tag, given when it is new; -2 when there is no memory."""
    cdef int32_t tag, guess
    cdef int32_t *following = <int32_t *>table.following.data
    cdef uint64_t value
    cdef size_t slot, index, end
    if table.count:
        guess = following[table.last]
        if _is_tag(table, guess, text, length):
            table.last = guess
            return guess
    value = _hash(text, length)
    if table.slot_count < <size_t>(table.count + 1) * 2 and not _grow_slots(table):
        return -2
    slot = value & (table.slot_count - 1)
    while table.slots[slot] >= 0:
        tag = table.slots[slot]
        if (<uint64_t *>table.hashes.data)[tag] == value and _is_tag(table, tag, text, length):
            (<int32_t *>table.following.data)[table.last] = tag
            table.last = tag
            return tag
        slot = (slot + 1) & (table.slot_count - 1)
    tag = table.count
    end = 0
    if tag == 0 and not _push(&table.starts, &end, sizeof(size_t)):
        return -2
    for index in range(length):
        if not _push(&table.bytes, text + index, 1):
            return -2
    end = table.bytes.length
    if not (_push(&table.starts, &end, sizeof(size_t)) and _push(&table.hashes, &value, sizeof(uint64_t))
            and _push(&table.following, &tag, sizeof(int32_t))):
        return -2
    table.slots[slot] = tag
    table.count += 1
    if tag > 0:
        (<int32_t *>table.following.data)[table.last] = tag
    table.last = tag
    return tag


# ---- wire -----------------------------------------------------------------------------------------------------------

cdef struct Span:
    const uint8_t *at
    const uint8_t *end


cdef struct Part:
    uint64_t number     # of the field
    int wire_type
    uint64_t varint     # of wire type 0
    double f64          # of wire types 1 and 5
    Span run            # of wire type 2


cdef inline bint _varint(Span *span, uint64_t *value) noexcept nogil:
    cdef uint64_t result = 0
    cdef int shift = 0
    cdef uint8_t byte
    if span.at < span.end and span.at[0] < 0x80:
        value[0] = span.at[0]
        span.at += 1
        return True
    while span.at < span.end and shift < 70:
        byte = span.at[0]
        span.at += 1
        if shift < 64:
            result |= (<uint64_t>(byte & 0x7F)) << shift
        if byte < 0x80:
            value[0] = result
            return True
        shift += 7
    return False


cdef bint _next(Span *span, Part *part) noexcept nogil:
    """Read the next field of ``span``; False when it breaks the encoding. Groups are left to the readable path."""
    cdef uint64_t key, length
    cdef float f32
    if not _varint(span, &key):
        return False
    part.number = key >> 3
    part.wire_type = key & 7
    if part.number == 0:
        return False
    if part.wire_type == 0:
        return _varint(span, &part.varint)
    if part.wire_type == 2:
        if not _varint(span, &length) or length > <uint64_t>(span.end - span.at):
            return False
        part.run.at = span.at
        part.run.end = span.at + length
        span.at += length
        return True
    if part.wire_type == 5:
        if span.end - span.at < 4:
            return False
        memcpy(&f32, span.at, 4)
        part.f64 = f32
        span.at += 4
        return True
    if part.wire_type == 1:
        if span.end - span.at < 8:
            return False
        memcpy(&part.f64, span.at, 8)
        span.at += 8
        return True
    return False


# ---- events ---------------------------------------------------------------------------------------------------------

cdef class EventColumns:
    """What the records of one file hold, collected between two calls of ``take``.

    ``dialect`` is "mindspore", "mindspore_lineage" or "tensorboard". Not for two threads at once.
    """

    cdef int scalar_field          # of Summary.Value
    cdef uint64_t value_fields     # bit per field of Summary.Value that holds a value by reference
    cdef uint64_t event_fields     # bit per field of the event that is kept by reference
    cdef int summary_field
    cdef bint has_metadata         # Summary.Value.metadata says what a tensor is
    cdef TagTable tags
    cdef int32_t known_tags        # given out by take() so far
    cdef Column scalar_tag, scalar_step, scalar_wall_time, scalar_value
    cdef Column tag, number, described, step, wall_time, offset, length
    cdef Column odd_offset, odd_length
    cdef int64_t records

    def __cinit__(self, str dialect not None):
        self.summary_field = 5
        self.scalar_field = 3
        if dialect == "mindspore":
            self.value_fields = 1 << 4 | 1 << 8 | 1 << 9 | 1 << 10
            self.event_fields = 1 << 4 | 1 << 6
        elif dialect == "mindspore_lineage":
            self.summary_field = -1
            self.event_fields = 1 << 6 | 1 << 7 | 1 << 9 | 1 << 10
        elif dialect == "tensorboard":
            self.scalar_field = 2
            self.value_fields = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8
            self.event_fields = 1 << 4 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9
            self.has_metadata = True
        else:
            raise ValueError(f"dialect {dialect!r} is unknown, want mindspore, mindspore_lineage or tensorboard")

    def __dealloc__(self):
        cdef Column *columns[17]
        columns = [&self.scalar_tag, &self.scalar_step, &self.scalar_wall_time, &self.scalar_value, &self.tag,
                   &self.number, &self.described, &self.step, &self.wall_time, &self.offset, &self.length,
                   &self.odd_offset, &self.odd_length, &self.tags.starts, &self.tags.bytes, &self.tags.hashes,
                   &self.tags.following]
        for index in range(17):
            free(columns[index].data)
        free(self.tags.slots)

    def scan(self, const uint8_t[::1] chunk not None, Py_ssize_t position, int64_t base):
        """Take in the intact records from ``position`` on; byte 0 of ``chunk`` is byte ``base`` of the file.

        Returns ``(position, status, needed)`` as ``scan_frames`` does. Raises MemoryError.
        """
        cdef const uint8_t *data = &chunk[0] if chunk.shape[0] else NULL
        cdef Py_ssize_t end = chunk.shape[0]
        cdef uint64_t length = 0
        cdef uint32_t crc
        cdef int status = 0
        cdef bint has_memory = True
        with nogil:
            while True:
                if end - position < HEADER:
                    length = 0
                    break
                memcpy(&length, data + position, 8)
                memcpy(&crc, data + position + 8, 4)
                if crc != crc32c_masked(data + position, 8):
                    status = 1
                    break
                if length > <uint64_t>(1 << 62) or <uint64_t>(end - position) < length + HEADER + FOOTER:
                    break
                memcpy(&crc, data + position + HEADER + length, 4)
                if crc != crc32c_masked(data + position + HEADER, length):
                    status = 2
                    break
                has_memory = self._record(data + position + HEADER, length, base + position + HEADER)
                if not has_memory:
                    break
                position += length + HEADER + FOOTER
        if not has_memory:
            raise MemoryError
        if status:
            return position, status, 0
        is_headless = end - position < HEADER
        return position, status, HEADER if is_headless else int(length) + HEADER + FOOTER

    cdef bint _record(self, const uint8_t *payload, size_t length, int64_t offset) noexcept nogil:
        """Take in one record; False when there is no memory."""
        cdef size_t scalars = self.scalar_tag.length, references = self.tag.length
        cdef int64_t length64 = length
        cdef int outcome = self._event(payload, length, offset)
        self.records += 1
        if outcome == 0:
            return True
        self._roll_back(scalars, references)
        if outcome < 0:
            return False
        return _push(&self.odd_offset, &offset, 8) and _push(&self.odd_length, &length64, 8)

    cdef void _roll_back(self, size_t scalars, size_t references) noexcept nogil:
        self.scalar_tag.length = self.scalar_step.length = scalars
        self.scalar_wall_time.length = self.scalar_value.length = scalars
        self.tag.length = self.number.length = self.described.length = self.step.length = references
        self.wall_time.length = self.offset.length = self.length.length = references

    cdef int _event(self, const uint8_t *payload, size_t length, int64_t offset) noexcept nogil:
        """0 when the event was taken in, 1 when it breaks the encoding, -1 when there is no memory."""
        cdef Span span
        cdef Part part
        cdef double wall_time = 0.0
        cdef int64_t step = 0
        cdef int outcome
        cdef bint has_values = False
        span.at, span.end = payload, payload + length
        while span.at < span.end:
            if not _next(&span, &part):
                return 1
            if part.number == 1 and part.wire_type == 1:
                wall_time = part.f64
            elif part.number == 1 and part.wire_type == 5:
                wall_time = part.f64
            elif part.number == 2 and part.wire_type == 0:
                step = <int64_t>part.varint
            elif part.wire_type == 2:
                has_values = True
        if not has_values:
            return 0
        span.at = payload
        while span.at < span.end:
            _next(&span, &part)
            if part.wire_type != 2 or part.number > 63:
                continue
            if <int>part.number == self.summary_field:
                outcome = self._summary(part.run, payload, offset, step, wall_time)
                if outcome:
                    return outcome
            elif self.event_fields >> part.number & 1:
                if not self._refer(NO_TAG, EVENT_FIELD_NUMBER + <int32_t>part.number, False, step, wall_time,
                                   offset + (part.run.at - payload), part.run.end - part.run.at):
                    return -1
        return 0

    cdef int _summary(self, Span span, const uint8_t *payload, int64_t offset, int64_t step,
                      double wall_time) noexcept nogil:
        cdef Part part
        cdef int outcome
        while span.at < span.end:
            if not _next(&span, &part):
                return 1
            if part.number == 1 and part.wire_type == 2:
                outcome = self._value(part.run, payload, offset, step, wall_time)
                if outcome:
                    return outcome
        return 0

    cdef int _value(self, Span value, const uint8_t *payload, int64_t offset, int64_t step,
                    double wall_time) noexcept nogil:
        cdef Span span = value, text
        cdef Part part
        cdef int32_t number = 0, tag
        cdef bint is_described = False, is_float = False
        cdef float scalar = 0
        text.at, text.end = value.at, value.at
        while span.at < span.end:
            if not _next(&span, &part):
                return 1
            if part.number == 1 and part.wire_type == 2:
                text = part.run
            elif part.number == 9 and part.wire_type == 2 and self.has_metadata:
                is_described = True
            elif <int64_t>part.number == self.scalar_field:
                number = self.scalar_field
                is_float = part.wire_type == 5 or part.wire_type == 1
                if is_float:
                    scalar = <float>part.f64
            elif part.number < 64 and self.value_fields >> part.number & 1:
                number = <int32_t>part.number
        if number == 0 and not is_described:
            return 0
        if number == self.scalar_field and not is_float:
            return 1
        tag = _tag(&self.tags, text.at, text.end - text.at)
        if tag < 0:
            return -1
        if number == self.scalar_field:
            return 0 if (_push(&self.scalar_tag, &tag, 4) and _push(&self.scalar_step, &step, 8)
                         and _push(&self.scalar_wall_time, &wall_time, 8)
                         and _push(&self.scalar_value, &scalar, 4)) else -1
        return 0 if self._refer(tag, number, is_described, step, wall_time, offset + (value.at - payload),
                                value.end - value.at) else -1

    cdef bint _refer(self, int32_t tag, int32_t number, bint is_described, int64_t step, double wall_time,
                     int64_t offset, int64_t length) noexcept nogil:
        cdef uint8_t described = is_described
        return (_push(&self.tag, &tag, 4) and _push(&self.number, &number, 4) and _push(&self.described, &described, 1)
                and _push(&self.step, &step, 8) and _push(&self.wall_time, &wall_time, 8)
                and _push(&self.offset, &offset, 8) and _push(&self.length, &length, 8))

    cdef dict _scalars_by_tag(self):
        """The scalars, put by their tag with a counting sort, and the columns empty again."""
        cdef size_t rows = self.scalar_tag.length, row
        cdef int32_t tag, count = self.tags.count
        cdef int32_t *tags = <int32_t *>self.scalar_tag.data
        cdef int64_t *steps = <int64_t *>self.scalar_step.data
        cdef double *wall_times = <double *>self.scalar_wall_time.data
        cdef float *values = <float *>self.scalar_value.data
        stop, step, wall_time, value = (np.zeros(count + 1, np.int64), np.empty(rows, np.int64),
                                        np.empty(rows, np.float64), np.empty(rows, np.float32))
        cdef int64_t[::1] at = stop, steps_by_tag = step
        cdef double[::1] wall_times_by_tag = wall_time
        cdef float[::1] values_by_tag = value
        cdef int64_t place
        with nogil:
            for row in range(rows):
                at[tags[row] + 1] += 1
            for tag in range(count):
                at[tag + 1] += at[tag]
            for row in range(rows):
                place = at[tags[row]]
                at[tags[row]] = place + 1
                steps_by_tag[place] = steps[row]
                wall_times_by_tag[place] = wall_times[row]
                values_by_tag[place] = values[row]
        _empty(&self.scalar_tag)
        _empty(&self.scalar_step)
        _empty(&self.scalar_wall_time)
        _empty(&self.scalar_value)
        return {"scalar_stop": stop[:count], "scalar_step": step, "scalar_wall_time": wall_time, "scalar_value": value}

    def take(self):
        """All that was collected since the last call: new tags, count of records, and columns by name.

        The new tags' numbers go on from the last call's. Columns ``scalar_step scalar_wall_time scalar_value``: points by
        the number of their tag, those of one tag in the order of the file; ``scalar_stop`` has for each number the row
        behind its points, which begin where those of the number before end. ``tag number described step wall_time offset
        length``: values by reference; ``number`` is the field of Summary.Value (0: metadata alone), or EVENT_FIELD plus
        the field of the event, and then ``tag`` is -1. ``odd_offset odd_length``: payloads that are no event.
        """
        cdef size_t *starts = <size_t *>self.tags.starts.data
        cdef int32_t tag
        texts = [PyUnicode_DecodeUTF8(<char *>self.tags.bytes.data + starts[tag], starts[tag + 1] - starts[tag],
                                      b"backslashreplace") for tag in range(self.known_tags, self.tags.count)]
        self.known_tags = self.tags.count
        records = self.records
        self.records = 0
        return texts, records, {
            **self._scalars_by_tag(),
            "tag": _array(&self.tag, np.int32),
            "number": _array(&self.number, np.int32),
            "described": _array(&self.described, np.bool_),
            "step": _array(&self.step, np.int64),
            "wall_time": _array(&self.wall_time, np.float64),
            "offset": _array(&self.offset, np.int64),
            "length": _array(&self.length, np.int64),
            "odd_offset": _array(&self.odd_offset, np.int64),
            "odd_length": _array(&self.odd_length, np.int64),
        }
