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
from libc.string cimport memcmp, memcpy, memset

import numpy as np

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()

cdef extern from "_scalars.h" nogil:
    enum:
        SCALARS_END
        SCALARS_BAD_LENGTH
        SCALARS_BAD_PAYLOAD
        SCALARS_OTHER
        SCALARS_NO_MEMORY
    ctypedef struct ScalarRows:
        int64_t *steps
        double *wall_times
        float *values
        int64_t first
        int64_t stride
        size_t count
        size_t capacity
    ctypedef struct Scalars:
        ScalarRows *rows
        const uint8_t *forms
        const size_t *form_starts
        const int32_t *following
        int32_t tag_count
        int32_t last
        int64_t records
        int64_t with_scalars
        double first_wall_time
        double last_wall_time
        int64_t last_step
    bint rows_push(ScalarRows *rows, int64_t step, double wall_time, float value)
    void rows_pop(ScalarRows *rows)
    void rows_empty(ScalarRows *rows)
    void rows_free(ScalarRows *rows)
    int64_t rows_step(const ScalarRows *rows, size_t row)
    void scalars_note(Scalars *scalars, int64_t step, double wall_time)
    void scalars_forget(Scalars *scalars)
    int scalars_scan(Scalars *scalars, const uint8_t *data, size_t end, size_t *position, uint64_t *length)

cdef extern from "_scalar_tensors.h" nogil:
    bint scalar_tensor(const uint8_t *at, const uint8_t *end, float *scalar)

crc32c_initialise()

cdef enum:
    HEADER = 12
    FOOTER = 4
    NO_TAG = -1
    SPARE_ROWS = 524288       # kept for the next file, 12 bytes each: fresh memory costs more than the rows in it
    SPARE_TAGS = 65536
    SHORT_ROWS = 256          # so few steps are stored, also those of a progression
    LONG_ROWS = 1048576       # so many too: one column of steps for all of them would be as large

WHOLE = 0
BAD_LENGTH = 1
BAD_PAYLOAD = 2

cdef enum:
    TENSOR_FIELD = 8          # of TensorBoard's Summary.Value
    EVENT_FIELD_NUMBER = 1000
    BROKEN_METADATA_NUMBER = 1999
    TOLD_NUMBER = 2000
    UNTOLD = 0                # what ``tell`` answers
    BROKEN = -1
    SCALAR = 1
    ASK_FAILED = -2

EVENT_FIELD = EVENT_FIELD_NUMBER
"""Added to the field number of a value that stands in the event itself, not in its summary."""
BROKEN_METADATA = BROKEN_METADATA_NUMBER
"""The number of a value whose metadata can't be decoded; a row beside that of the value itself."""
TOLD = TOLD_NUMBER
"""Added to the kind that a value has by its metadata."""
TOLD_SCALAR = SCALAR
"""The kind whose values are decoded where they are plain."""


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
    """Forget the items."""
    column.length = 0


# ---- tags as numbers ------------------------------------------------------------------------------------------------

cdef struct Told:
    int32_t kind            # as metadata has it, UNTOLD before
    int32_t asked           # the lesson after which this was asked for
    int32_t unusual         # the turn in which a scalar had an unusual form


cdef struct TagTable:
    int32_t *slots          # open addressing, -1 is empty
    size_t slot_count       # a power of two
    Column starts           # size_t: where each tag begins in bytes; one more entry at the end
    Column bytes            # uint8_t
    Column hashes           # uint64_t
    Column following        # int32_t: the tag that came after this one last time; a training repeats its order
    Column forms            # uint8_t: what stands before the number in a value of a tag, see _scalars.h
    Column form_starts      # size_t: where each form begins; one more entry at the end
    Column rows             # ScalarRows
    Column told             # Told
    Column spare            # ScalarRows without rows, whose memory new tags take
    size_t spare_rows       # that they have room for
    uint8_t scalar_key      # of the field of a value that holds a scalar
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
    cdef size_t slot
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
    return _new_tag(table, text, length, value, slot)


cdef int32_t _new_tag(TagTable *table, const uint8_t *text, size_t length, uint64_t value, size_t slot) noexcept nogil:
    cdef int32_t tag = table.count
    cdef size_t end = 0
    cdef ScalarRows rows = _spare(table)
    cdef Told told
    memset(&told, 0, sizeof(told))
    if tag == 0 and not (_push(&table.starts, &end, sizeof(size_t)) and _push(&table.form_starts, &end, sizeof(size_t))):
        return -2
    if not (_push_bytes(&table.bytes, text, length) and _push_form(table, text, length)):
        return -2
    end = table.bytes.length
    if not (_push(&table.starts, &end, sizeof(size_t)) and _push(&table.hashes, &value, sizeof(uint64_t))
            and _push(&table.following, &tag, sizeof(int32_t)) and _push(&table.rows, &rows, sizeof(ScalarRows))
            and _push(&table.told, &told, sizeof(Told))):
        return -2
    end = table.forms.length
    if not _push(&table.form_starts, &end, sizeof(size_t)):
        return -2
    table.slots[slot] = tag
    table.count += 1
    if tag > 0:
        (<int32_t *>table.following.data)[table.last] = tag
    table.last = tag
    return tag


cdef ScalarRows _spare(TagTable *table) noexcept nogil:
    """Rows for a new tag."""
    cdef ScalarRows rows
    if table.spare.length:
        table.spare.length -= 1
        rows = (<ScalarRows *>table.spare.data)[table.spare.length]
        table.spare_rows -= rows.capacity
    else:
        memset(&rows, 0, sizeof(rows))
    return rows


cdef void _forget_tags(TagTable *table) noexcept nogil:
    """Have no tags, and their memory for the next ones."""
    cdef ScalarRows *rows = <ScalarRows *>table.rows.data
    cdef size_t tag, slot
    for tag in range(table.rows.length):
        rows_empty(&rows[tag])
        if table.spare_rows + rows[tag].capacity <= SPARE_ROWS and table.spare.length < SPARE_TAGS and _push(
                &table.spare, &rows[tag], sizeof(ScalarRows)):
            table.spare_rows += rows[tag].capacity
        else:
            rows_free(&rows[tag])
    table.starts.length = table.bytes.length = table.hashes.length = table.following.length = 0
    table.forms.length = table.form_starts.length = table.rows.length = table.told.length = 0
    table.count = table.last = 0
    for slot in range(table.slot_count):
        table.slots[slot] = -1


cdef bint _push_bytes(Column *column, const uint8_t *bytes, size_t length) noexcept nogil:
    cdef size_t index
    for index in range(length):
        if not _push(column, bytes + index, 1):
            return False
    return True


cdef bint _push_form(TagTable *table, const uint8_t *text, size_t length) noexcept nogil:
    cdef uint8_t key = 0x0A
    cdef size_t length_size = 1, rest = length
    while rest >= 0x80:
        rest >>= 7
        length_size += 1
    return (_push(&table.forms, &key, 1) and _push_varint(&table.forms, 1 + length_size + length + 5)
            and _push(&table.forms, &key, 1) and _push_varint(&table.forms, length)
            and _push_bytes(&table.forms, text, length) and _push(&table.forms, &table.scalar_key, 1))


cdef bint _push_varint(Column *column, size_t value) noexcept nogil:
    cdef uint8_t byte
    while value >= 0x80:
        byte = <uint8_t>(value | 0x80)
        if not _push(column, &byte, 1):
            return False
        value >>= 7
    byte = <uint8_t>value
    return _push(column, &byte, 1)


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
    """What the records of one file hold, from ``start`` on. For one file after the other, not for two threads at once.

    A dialect is "mindspore", "mindspore_lineage" or "tensorboard".
    """

    cdef int scalar_field          # of Summary.Value
    cdef uint64_t value_fields     # bit per field of Summary.Value that holds a value by reference
    cdef uint64_t event_fields     # bit per field of the event that is kept by reference
    cdef int summary_field
    cdef bint has_metadata         # Summary.Value.metadata says what a tensor is
    cdef TagTable tags
    cdef int32_t known_tags        # given out by new_tags() so far
    cdef Scalars scalars
    cdef Column pushed             # int32_t: tags that the event at hand has brought scalars of
    cdef Column tag, number, step, wall_time, offset, length
    cdef Column odd_offset, odd_length
    cdef object tell               # what start() was given
    cdef object failure            # what ``tell`` raised
    cdef int32_t turn              # counts the calls of take_places(), from 1 on
    cdef int32_t lesson            # counts these, and the kinds that were told

    def __cinit__(self):
        scalars_forget(&self.scalars)

    def start(self, str dialect not None, tell not None):
        """Begin with a file of a dialect. What was not taken of the one before is forgotten; its memory is used again.

        ``tell(tag, metadata)`` says of which kind a tag of TensorBoard's is that stands with a tensor or with metadata
        alone: a number above 0 for good, TOLD_SCALAR or one that the caller chooses; 0 when nothing has said it so far,
        -1 when the encoded ``metadata``, None without any, can't be decoded.
        """
        self.has_metadata = dialect == "tensorboard"
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
        else:
            raise ValueError(f"dialect {dialect!r} is unknown, want mindspore, mindspore_lineage or tensorboard")
        _forget_tags(&self.tags)
        self.tags.scalar_key = self.scalar_field << 3 | 5
        self.known_tags = 0
        self.tell, self.failure = tell, None
        self.turn = self.lesson = 1
        scalars_forget(&self.scalars)
        self.pushed.length = 0
        self._roll_back(0)
        self.odd_offset.length = self.odd_length.length = 0

    def __dealloc__(self):
        cdef Column *columns[18]
        cdef ScalarRows *rows
        cdef size_t tag
        _forget_tags(&self.tags)
        rows = <ScalarRows *>self.tags.spare.data
        for tag in range(self.tags.spare.length):
            rows_free(&rows[tag])
        columns = [&self.pushed, &self.tag, &self.number, &self.tags.told, &self.step, &self.wall_time, &self.offset,
                   &self.length, &self.odd_offset, &self.odd_length, &self.tags.starts, &self.tags.bytes,
                   &self.tags.hashes, &self.tags.following, &self.tags.forms, &self.tags.form_starts, &self.tags.rows,
                   &self.tags.spare]
        for index in range(18):
            free(columns[index].data)
        free(self.tags.slots)

    def scan(self, const uint8_t[::1] chunk not None, Py_ssize_t position, int64_t base):
        """Take in the intact records from ``position`` on; byte 0 of ``chunk`` is byte ``base`` of the file.

        Returns ``(position, status, needed)`` as ``scan_frames`` does, but WHOLE also behind a record that is no event,
        whose values may tell kinds: take the places before the next call. Raises MemoryError, and what ``tell`` raises.
        """
        cdef const uint8_t *data = &chunk[0] if chunk.shape[0] else NULL
        cdef size_t end = chunk.shape[0], at = position
        cdef uint64_t length = 0
        cdef int status = SCALARS_OTHER
        with nogil:
            while status == SCALARS_OTHER and self.odd_offset.length == 0:
                self._hand_over_tags()
                status = scalars_scan(&self.scalars, data, end, &at, &length)
                self.tags.last = self.scalars.last
                if status == SCALARS_OTHER:
                    if not self._record(data + at + HEADER, length, base + at + HEADER):
                        status = SCALARS_NO_MEMORY
                    at += length + HEADER + FOOTER
        if self.failure is not None:
            raise self.failure
        if status == SCALARS_NO_MEMORY:
            raise MemoryError
        if self.odd_offset.length:
            return <Py_ssize_t>at, WHOLE, HEADER
        if status != SCALARS_END:
            return <Py_ssize_t>at, status, 0
        return <Py_ssize_t>at, WHOLE, HEADER if end - at < HEADER else int(length) + HEADER + FOOTER

    cdef void _hand_over_tags(self) noexcept nogil:
        """Have the loop over scalars know all tags; their memory may have moved."""
        self.scalars.rows = <ScalarRows *>self.tags.rows.data
        self.scalars.forms = self.tags.forms.data
        self.scalars.form_starts = <const size_t *>self.tags.form_starts.data
        self.scalars.following = <const int32_t *>self.tags.following.data
        self.scalars.tag_count = self.tags.count
        self.scalars.last = self.tags.last

    cdef bint _record(self, const uint8_t *payload, size_t length, int64_t offset) noexcept nogil:
        """Take in one record; False when there is no memory."""
        cdef size_t references = self.tag.length
        cdef int64_t length64 = length
        cdef int outcome
        self.pushed.length = 0
        outcome = self._event(payload, length, offset)
        self.scalars.records += 1
        if outcome == 0:
            return True
        self._roll_back(references)
        if outcome < 0:
            return False
        return _push(&self.odd_offset, &offset, 8) and _push(&self.odd_length, &length64, 8)

    cdef void _roll_back(self, size_t references) noexcept nogil:
        cdef ScalarRows *rows = <ScalarRows *>self.tags.rows.data
        cdef int32_t *pushed = <int32_t *>self.pushed.data
        cdef size_t index
        for index in range(self.pushed.length):
            rows_pop(&rows[pushed[index]])
        self.pushed.length = 0
        self.tag.length = self.number.length = self.step.length = references
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
                if not self._refer(NO_TAG, EVENT_FIELD_NUMBER + <int32_t>part.number, step, wall_time,
                                   offset + (part.run.at - payload), part.run.end - part.run.at):
                    return -1
        if self.pushed.length:
            scalars_note(&self.scalars, step, wall_time)
        return 0

    cdef int _summary(self, Span span, const uint8_t *payload, int64_t offset, int64_t step,
                      double wall_time) noexcept nogil:
        cdef Span rest = span
        cdef Part part
        cdef int outcome
        while rest.at < rest.end:  # a summary that breaks the encoding tells no kinds
            if not _next(&rest, &part):
                return 1
        while span.at < span.end:
            _next(&span, &part)
            if part.number == 1 and part.wire_type == 2:
                outcome = self._value(part.run, payload, offset, step, wall_time)
                if outcome:
                    return outcome
        return 0

    cdef int _value(self, Span value, const uint8_t *payload, int64_t offset, int64_t step,
                    double wall_time) noexcept nogil:
        cdef Span span = value, text, metadata
        cdef Part part
        cdef int32_t number = 0, tag
        cdef bint is_float = False
        cdef float scalar = 0
        text.at, text.end = value.at, value.at
        metadata.at = NULL
        while span.at < span.end:
            if not _next(&span, &part):
                return 1
            if part.number == 1 and part.wire_type == 2:
                text = part.run
            elif part.number == 9 and part.wire_type == 2 and self.has_metadata:
                metadata = part.run
            elif <int64_t>part.number == self.scalar_field:
                number = self.scalar_field
                is_float = part.wire_type == 5 or part.wire_type == 1
                if is_float:
                    scalar = <float>part.f64
            elif part.number < 64 and self.value_fields >> part.number & 1:
                number = <int32_t>part.number
        if number == 0 and metadata.at == NULL:
            return 0
        if number == self.scalar_field and not is_float:
            return 1
        tag = _tag(&self.tags, text.at, text.end - text.at)
        if tag < 0:
            return -1
        if number == self.scalar_field:
            return 0 if self._push_scalar(tag, step, wall_time, scalar) else -1
        offset += value.at - payload
        if self.has_metadata and (number == 0 or number == TENSOR_FIELD):
            return self._told_value(tag, number, metadata, value, offset, step, wall_time)
        return 0 if self._refer(tag, number, step, wall_time, offset, value.end - value.at) else -1

    cdef int _told_value(self, int32_t tag, int32_t number, Span metadata, Span value, int64_t offset, int64_t step,
                         double wall_time) noexcept nogil:
        """A value whose kind is known by the metadata of its tag, if one had any."""
        cdef Told *told = &(<Told *>self.tags.told.data)[tag]
        cdef int64_t length = value.end - value.at
        cdef int32_t answer = told.kind
        cdef float scalar = 0
        if answer == UNTOLD and (metadata.at != NULL or told.asked != self.lesson):
            answer = self._ask(tag, metadata)
            if answer == ASK_FAILED or answer == BROKEN and not self._refer(
                    tag, BROKEN_METADATA_NUMBER, step, wall_time, offset, length):
                return -1
        if answer == SCALAR and told.unusual != self.turn:
            if scalar_tensor(value.at, value.end, &scalar):
                return 0 if self._push_scalar(tag, step, wall_time, scalar) else -1
            told.unusual = self.turn  # the rows that follow must stay behind this one
        if answer > UNTOLD:
            number = TOLD_NUMBER + answer
        elif number == 0:
            return 0
        return 0 if self._refer(tag, number, step, wall_time, offset, length) else -1

    cdef int32_t _ask(self, int32_t tag, Span metadata) noexcept with gil:
        """What ``tell`` answers; ASK_FAILED when it raises."""
        cdef Told *told = &(<Told *>self.tags.told.data)[tag]
        cdef int32_t answer
        try:
            encoded = None if metadata.at == NULL else (<const char *>metadata.at)[: metadata.end - metadata.at]
            answer = self.tell(self._text(tag), encoded)
        except BaseException as failure:  # nothing can be raised without the interpreter; scan() does
            self.failure = failure
            return ASK_FAILED
        if answer > UNTOLD:
            told.kind = answer
            self.lesson += 1  # tags that are no text may look alike: the others are to be asked for again
        told.asked = self.lesson
        return answer

    cdef str _text(self, int32_t tag):
        cdef size_t *starts = <size_t *>self.tags.starts.data
        return PyUnicode_DecodeUTF8(<char *>self.tags.bytes.data + starts[tag], starts[tag + 1] - starts[tag],
                                    b"backslashreplace")

    cdef bint _refer(self, int32_t tag, int32_t number, int64_t step, double wall_time, int64_t offset,
                     int64_t length) noexcept nogil:
        return (_push(&self.tag, &tag, 4) and _push(&self.number, &number, 4) and _push(&self.step, &step, 8)
                and _push(&self.wall_time, &wall_time, 8) and _push(&self.offset, &offset, 8)
                and _push(&self.length, &length, 8))

    cdef bint _push_scalar(self, int32_t tag, int64_t step, double wall_time, float value) noexcept nogil:
        if not _push(&self.pushed, &tag, 4):
            return False
        if rows_push(&(<ScalarRows *>self.tags.rows.data)[tag], step, wall_time, value):
            return True
        self.pushed.length -= 1  # it was not pushed, so that there is nothing to take back
        return False

    @property
    def has_places(self):
        """Whether ``take_places`` would bring anything."""
        return self.tag.length > 0 or self.odd_offset.length > 0

    def new_tags(self):
        """The tags that were met since the last call; their numbers go on from the last call's."""
        cdef int32_t tag
        texts = [self._text(tag) for tag in range(self.known_tags, self.tags.count)]
        self.known_tags = self.tags.count
        return texts

    def take_records(self):
        """How many records were taken in since the last call, and how far those with scalars reach.

        The latter is first wall time, last wall time, highest step; None without any.
        """
        records = self.scalars.records
        reach = None
        if self.scalars.with_scalars:
            reach = self.scalars.first_wall_time, self.scalars.last_wall_time, self.scalars.last_step
        scalars_forget(&self.scalars)
        return records, reach

    def take_scalars(self, memory not None):
        """The scalars since the last call, those of one tag in the order of the file.

        ``memory(n)`` gives a writable array of n bytes for the columns. Returns ``(rows, steps, wall_times, values)``:
        ``rows`` lists tag, start and stop in the columns, first step and stride; the stride is 0 where ``steps`` has
        the steps, which for these tags alone stand there one after the other.
        """
        cdef ScalarRows *all_rows = <ScalarRows *>self.tags.rows.data
        cdef ScalarRows *rows
        cdef int32_t tag
        cdef size_t count = 0, stored = 0, row, start = 0, step_start = 0
        cdef list found = []
        cdef bint is_stored
        for tag in range(self.tags.count):
            if all_rows[tag].count:
                count += all_rows[tag].count
                stored += all_rows[tag].count if _has_stored_steps(&all_rows[tag]) else 0
        block = memory(stored * 8 + count * 12)
        steps, wall_times = block[: stored * 8].view(np.int64), block[stored * 8 : (stored + count) * 8].view(np.float64)
        values = block[(stored + count) * 8 : stored * 8 + count * 12].view(np.float32)
        cdef int64_t[::1] steps_view = steps
        cdef double[::1] wall_times_view = wall_times
        cdef float[::1] values_view = values
        for tag in range(self.tags.count):
            rows = &all_rows[tag]
            if rows.count == 0:
                continue
            is_stored = _has_stored_steps(rows)
            with nogil:
                memcpy(&wall_times_view[start], rows.wall_times, rows.count * sizeof(double))
                memcpy(&values_view[start], rows.values, rows.count * sizeof(float))
                if is_stored:
                    for row in range(rows.count):
                        steps_view[step_start + row] = rows_step(rows, row)
                    step_start += rows.count
            found.append((tag, start, start + rows.count, rows.first, 0 if is_stored else rows.stride))
            start += rows.count
            rows_empty(rows)
        return found, steps, wall_times, values

    def take_places(self):
        """The values by reference and the odd records since the last call, as columns by name.

        ``tag number step wall_time offset length``: values by reference; ``number`` is the field of Summary.Value, TOLD
        plus the kind that ``tell`` gave, BROKEN_METADATA, or EVENT_FIELD plus the field of the event, and then ``tag``
        is -1. ``odd_offset odd_length``: payloads that are no event.
        """
        self.turn += 1
        self.lesson += 1  # what the caller does with them may tell kinds, too
        return {
            "tag": _array(&self.tag, np.int32),
            "number": _array(&self.number, np.int32),
            "step": _array(&self.step, np.int64),
            "wall_time": _array(&self.wall_time, np.float64),
            "offset": _array(&self.offset, np.int64),
            "length": _array(&self.length, np.int64),
            "odd_offset": _array(&self.odd_offset, np.int64),
            "odd_length": _array(&self.odd_length, np.int64),
        }


cdef bint _has_stored_steps(const ScalarRows *rows) noexcept nogil:
    return rows.steps != NULL or rows.count < SHORT_ROWS or rows.count > LONG_ROWS
