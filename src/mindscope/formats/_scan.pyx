# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Records straight to columns: scalars are decoded, every other value is placed by its bytes, without the interpreter.

The rules are those of ``mindspore.locate`` and ``tensorboard.locate``, which stay the readable statement of them and which
the tests compare with this one on any input. An event that breaks the wire encoding leaves no row; it is handed back for
those functions to name what is wrong.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()

cdef extern from "_columns.h" nogil:
    ctypedef struct Column:
        uint8_t *data
        size_t length
    bint column_push(Column *column, const void *item, size_t size)
    void column_free(Column *column)
    ctypedef struct Places:
        Column tag, number, step, offset, length, wall_time
    bint places_push(Places *places, int32_t tag, int32_t number, int64_t step, double wall_time, int64_t offset,
                     int64_t length)
    void places_cut(Places *places, size_t count)
    void places_free(Places *places)

cdef extern from "_fields.h" nogil:
    enum:
        WIRE_VARINT
        WIRE_RUN
    ctypedef struct WireField:
        uint64_t number
        int wire_type
        uint64_t bits
        const uint8_t *at
        const uint8_t *end
    bint next_field(const uint8_t **at, const uint8_t *end, WireField *field)
    bint is_fixed(const WireField *field)
    double fixed_number(const WireField *field)
    bint are_fields(const uint8_t *at, const uint8_t *end)

cdef extern from "_scalars.h" nogil:
    enum:
        SCALARS_END
        SCALARS_OTHER
        SCALARS_NO_MEMORY
    ctypedef struct ScalarRows:
        int64_t *steps
        double *wall_times
        float *values
        int64_t first
        int64_t stride
        size_t count
    ctypedef struct Scalars:
        int32_t last
        int64_t records
        int64_t with_scalars
        double first_wall_time
        double last_wall_time
        int64_t last_step
    bint rows_push(ScalarRows *rows, int64_t step, double wall_time, float value)
    void rows_pop(ScalarRows *rows)
    void rows_empty(ScalarRows *rows)
    int64_t rows_step(const ScalarRows *rows, size_t row)
    void scalars_note(Scalars *scalars, int64_t step, double wall_time)
    void scalars_forget(Scalars *scalars)
    int scalars_scan(Scalars *scalars, const uint8_t *data, size_t end, size_t *position, uint64_t *length)

cdef extern from "_tags.h" nogil:
    ctypedef struct Told:
        int32_t kind
        int32_t asked
        int32_t unusual
    ctypedef struct Tags:
        Column starts
        Column bytes
        Column told
        uint8_t scalar_key
        int32_t count
        int32_t last
    ScalarRows *tags_rows(const Tags *tags)
    int32_t tags_number(Tags *tags, const uint8_t *text, size_t length)
    void tags_forget(Tags *tags)
    void tags_free(Tags *tags)
    void tags_show(const Tags *tags, Scalars *scalars)

cdef extern from "_scalar_tensors.h" nogil:
    bint scalar_tensor(const uint8_t *at, const uint8_t *end, float *scalar)

crc32c_initialise()

cdef enum:
    HEADER = 12
    FOOTER = 4
    NO_TAG = -1
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


cdef struct Stamp:
    int64_t step
    double wall_time


cdef class EventColumns:
    """What the records of one file hold, from ``start`` on. For one file after the other, not for two threads at once.

    A dialect is "mindspore", "mindspore_lineage" or "tensorboard".
    """

    cdef int scalar_field          # of Summary.Value
    cdef uint64_t value_fields     # bit per field of Summary.Value that holds a value by reference
    cdef uint64_t event_fields     # bit per field of the event that is kept by reference
    cdef int summary_field
    cdef bint has_metadata         # Summary.Value.metadata says what a tensor is
    cdef Tags tags
    cdef int32_t known_tags        # given out by new_tags() so far
    cdef Scalars scalars
    cdef Column pushed             # int32_t: tags that the event at hand has brought scalars of
    cdef Places places
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
        tags_forget(&self.tags)
        self.tags.scalar_key = self.scalar_field << 3 | 5
        self.known_tags = 0
        self.tell, self.failure = tell, None
        self.turn = self.lesson = 1
        scalars_forget(&self.scalars)
        places_cut(&self.places, 0)
        self.pushed.length = self.odd_offset.length = self.odd_length.length = 0

    def __dealloc__(self):
        tags_free(&self.tags)
        places_free(&self.places)
        column_free(&self.pushed)
        column_free(&self.odd_offset)
        column_free(&self.odd_length)

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
                tags_show(&self.tags, &self.scalars)
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

    cdef bint _record(self, const uint8_t *payload, size_t length, int64_t offset) noexcept nogil:
        """Take in one record; False when there is no memory."""
        cdef size_t places = self.places.tag.length
        cdef int64_t length64 = length
        cdef int outcome
        self.pushed.length = 0
        outcome = self._event(payload, payload + length, offset)
        self.scalars.records += 1
        if outcome == 0:
            return True
        places_cut(&self.places, places)
        self._take_back()
        if outcome < 0:
            return False
        return column_push(&self.odd_offset, &offset, 8) and column_push(&self.odd_length, &length64, 8)

    cdef void _take_back(self) noexcept nogil:
        """Forget the scalars of the event at hand."""
        cdef const int32_t *pushed = <const int32_t *>self.pushed.data
        cdef size_t index
        for index in range(self.pushed.length):
            rows_pop(&tags_rows(&self.tags)[pushed[index]])
        self.pushed.length = 0

    cdef int _event(self, const uint8_t *payload, const uint8_t *end, int64_t offset) noexcept nogil:
        """0 when the event was taken in, 1 when it breaks the encoding, -1 when there is no memory.

        ``offset`` is where ``payload`` stands in the file, here and in what follows.
        """
        cdef const uint8_t *at = payload
        cdef WireField field
        cdef Stamp stamp
        cdef int outcome
        cdef bint has_values = False
        stamp.step, stamp.wall_time = 0, 0.0
        while at < end:
            if not next_field(&at, end, &field):
                return 1
            if field.number == 1 and is_fixed(&field):
                stamp.wall_time = fixed_number(&field)
            elif field.number == 2 and field.wire_type == WIRE_VARINT:
                stamp.step = <int64_t>field.bits
            elif field.wire_type == WIRE_RUN:
                has_values = True
        at = payload
        while has_values and at < end and next_field(&at, end, &field):
            if field.wire_type != WIRE_RUN or field.number > 63:
                continue
            outcome = 0
            if <int>field.number == self.summary_field:
                outcome = self._summary(field.at, field.end, offset + (field.at - payload), stamp)
            elif self.event_fields >> field.number & 1:
                outcome = self._refer(NO_TAG, EVENT_FIELD_NUMBER + <int32_t>field.number, stamp,
                                      offset + (field.at - payload), field.end - field.at)
            if outcome:
                return outcome
        if self.pushed.length:
            scalars_note(&self.scalars, stamp.step, stamp.wall_time)
        return 0

    cdef int _summary(self, const uint8_t *summary, const uint8_t *end, int64_t offset, Stamp stamp) noexcept nogil:
        cdef const uint8_t *at = summary
        cdef WireField field
        cdef int outcome
        if not are_fields(at, end):
            return 1  # it tells no kinds
        while at < end and next_field(&at, end, &field):
            if field.number == 1 and field.wire_type == WIRE_RUN:
                outcome = self._value(field.at, field.end, offset + (field.at - summary), stamp)
                if outcome:
                    return outcome
        return 0

    cdef int _value(self, const uint8_t *value, const uint8_t *end, int64_t offset, Stamp stamp) noexcept nogil:
        cdef const uint8_t *at = value
        cdef WireField field, text, metadata
        cdef int32_t number = 0, tag
        cdef bint is_float = False
        cdef float scalar = 0
        text.at = text.end = value
        metadata.at = metadata.end = NULL
        while at < end:
            if not next_field(&at, end, &field):
                return 1
            if field.number == 1 and field.wire_type == WIRE_RUN:
                text = field
            elif field.number == 9 and field.wire_type == WIRE_RUN and self.has_metadata:
                metadata = field
            elif <int64_t>field.number == self.scalar_field:
                number = self.scalar_field
                is_float = is_fixed(&field)
                if is_float:
                    scalar = <float>fixed_number(&field)
            elif field.number < 64 and self.value_fields >> field.number & 1:
                number = <int32_t>field.number
        if number == 0 and metadata.at == NULL:
            return 0
        if number == self.scalar_field and not is_float:
            return 1
        tag = tags_number(&self.tags, text.at, text.end - text.at)
        if tag < 0:
            return -1
        if number == self.scalar_field:
            return self._push_scalar(tag, stamp, scalar)
        if self.has_metadata and (number == 0 or number == TENSOR_FIELD):
            return self._told_value(tag, number, metadata, value, end, offset, stamp)
        return self._refer(tag, number, stamp, offset, end - value)

    cdef int _told_value(self, int32_t tag, int32_t number, WireField metadata, const uint8_t *value,
                         const uint8_t *end, int64_t offset, Stamp stamp) noexcept nogil:
        """A value whose kind is known by the metadata of its tag, if one had any."""
        cdef Told *told = &(<Told *>self.tags.told.data)[tag]
        cdef int32_t answer = told.kind
        cdef float scalar = 0
        if answer == UNTOLD and (metadata.at != NULL or told.asked != self.lesson):
            answer = self._ask(tag, metadata)
            if answer == ASK_FAILED:
                return -1
            if answer == BROKEN and self._refer(tag, BROKEN_METADATA_NUMBER, stamp, offset, end - value):
                return -1
        if answer == SCALAR and told.unusual != self.turn:
            if scalar_tensor(value, end, &scalar):
                return self._push_scalar(tag, stamp, scalar)
            told.unusual = self.turn  # the rows that follow must stay behind this one
        if answer > UNTOLD:
            number = TOLD_NUMBER + answer
        elif number == 0:
            return 0
        return self._refer(tag, number, stamp, offset, end - value)

    cdef int32_t _ask(self, int32_t tag, WireField metadata) noexcept with gil:
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

    cdef int _refer(self, int32_t tag, int32_t number, Stamp stamp, int64_t offset, int64_t length) noexcept nogil:
        return 0 if places_push(&self.places, tag, number, stamp.step, stamp.wall_time, offset, length) else -1

    cdef int _push_scalar(self, int32_t tag, Stamp stamp, float value) noexcept nogil:
        if not column_push(&self.pushed, &tag, 4):
            return -1
        if rows_push(&tags_rows(&self.tags)[tag], stamp.step, stamp.wall_time, value):
            return 0
        self.pushed.length -= 1  # it was not pushed, so that there is nothing to take back
        return -1

    @property
    def has_places(self):
        """Whether ``take_places`` would bring anything."""
        return self.places.tag.length > 0 or self.odd_offset.length > 0

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
        cdef ScalarRows *all_rows = tags_rows(&self.tags)
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
            "tag": _array(&self.places.tag, np.int32),
            "number": _array(&self.places.number, np.int32),
            "step": _array(&self.places.step, np.int64),
            "wall_time": _array(&self.places.wall_time, np.float64),
            "offset": _array(&self.places.offset, np.int64),
            "length": _array(&self.places.length, np.int64),
            "odd_offset": _array(&self.odd_offset, np.int64),
            "odd_length": _array(&self.odd_length, np.int64),
        }


cdef bint _has_stored_steps(const ScalarRows *rows) noexcept nogil:
    return rows.steps != NULL or rows.count < SHORT_ROWS or rows.count > LONG_ROWS


cdef object _array(Column *column, object dtype):
    """A numpy array with the items, and the column empty again."""
    dtype = np.dtype(dtype)
    array = np.empty(column.length, dtype)
    cdef uint8_t[::1] view
    if column.length:
        view = array.view(np.uint8)
        memcpy(&view[0], column.data, column.length * <size_t>dtype.itemsize)
    column.length = 0
    return array
