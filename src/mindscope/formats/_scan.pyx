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

from mindscope.formats._events cimport (
    BROKEN_METADATA_NUMBER, DIALECT_LINEAGE, DIALECT_MINDSPORE, DIALECT_TENSORBOARD, EVENT_FIELD_NUMBER, KIND_FAILED,
    KIND_SCALAR, RECORD_FOOTER, RECORD_HEADER, SCALARS_END, SCALARS_NO_MEMORY, TOLD_NUMBER, Column, Dialect, Found,
    Places, ScalarRows, Scalars, crc32c_initialise, events_scan, found_free, found_start, rows_copy, rows_empty,
    rows_have_steps, scalars_forget, tags_rows)

import numpy as np

crc32c_initialise()

WHOLE = 0   # a status of ``_frames``; the others are handed on

EVENT_FIELD = EVENT_FIELD_NUMBER
"""Added to the field number of a value that stands in the event itself, not in its summary."""
BROKEN_METADATA = BROKEN_METADATA_NUMBER
"""The number of a value whose metadata can't be decoded; a row beside that of the value itself."""
TOLD = TOLD_NUMBER
"""Added to the kind that a value has by its metadata."""
TOLD_SCALAR = KIND_SCALAR
"""The kind whose values are decoded where they are plain."""


cdef class EventColumns:
    """What the records of one file hold, from ``start`` on. For one file after the other, not for two threads at once.

    A dialect is "mindspore", "mindspore_lineage" or "tensorboard".
    """

    cdef Found found
    cdef int32_t known_tags        # given out by new_tags() so far
    cdef object tell               # what start() was given
    cdef object failure            # what ``tell`` raised

    def start(self, str dialect not None, tell not None):
        """Begin with a file of a dialect. What was not taken of the one before is forgotten; its memory is used again.

        ``tell(tag, metadata)`` says of which kind a tag of TensorBoard's is that stands with a tensor or with metadata
        alone: a number above 0 for good, TOLD_SCALAR or one that the caller chooses; 0 when nothing has said it so far,
        -1 when the encoded ``metadata``, None without any, can't be decoded.
        """
        self.known_tags = 0
        self.tell, self.failure = tell, None
        found_start(&self.found, _dialect(dialect), _ask, <void *>self)

    def __dealloc__(self):
        found_free(&self.found)

    def scan(self, const uint8_t[::1] chunk not None, Py_ssize_t position, int64_t base):
        """Take in the intact records from ``position`` on; byte 0 of ``chunk`` is byte ``base`` of the file.

        Returns ``(position, status, needed)`` as ``scan_frames`` does, but WHOLE also behind a record that is no event,
        whose values may tell kinds: take the places before the next call. Raises MemoryError, and what ``tell`` raises.
        """
        cdef const uint8_t *data = &chunk[0] if chunk.shape[0] else NULL
        cdef size_t end = chunk.shape[0], at = position
        cdef uint64_t length = 0
        cdef int status
        with nogil:
            status = events_scan(&self.found, data, end, base, &at, &length)
        if self.failure is not None:
            raise self.failure
        if status == SCALARS_NO_MEMORY:
            raise MemoryError
        if self.found.odd_offset.length:
            return <Py_ssize_t>at, WHOLE, RECORD_HEADER
        if status != SCALARS_END:
            return <Py_ssize_t>at, status, 0
        if end - at < RECORD_HEADER:
            return <Py_ssize_t>at, WHOLE, RECORD_HEADER
        return <Py_ssize_t>at, WHOLE, int(length) + RECORD_HEADER + RECORD_FOOTER

    cdef str _text(self, int32_t tag):
        cdef size_t *starts = <size_t *>self.found.tags.starts.data
        return PyUnicode_DecodeUTF8(<char *>self.found.tags.bytes.data + starts[tag], starts[tag + 1] - starts[tag],
                                    b"backslashreplace")

    @property
    def has_places(self):
        """Whether ``take_places`` would bring anything."""
        return self.found.places.tag.length > 0 or self.found.odd_offset.length > 0

    def new_tags(self):
        """The tags that were met since the last call; their numbers go on from the last call's."""
        cdef int32_t tag
        texts = [self._text(tag) for tag in range(self.known_tags, self.found.tags.count)]
        self.known_tags = self.found.tags.count
        return texts

    def take_records(self):
        """How many records were taken in since the last call, and how far those with scalars reach.

        The latter is first wall time, last wall time, highest step; None without any.
        """
        cdef Scalars *scalars = &self.found.scalars
        records, reach = scalars.records, None
        if scalars.with_scalars:
            reach = scalars.first_wall_time, scalars.last_wall_time, scalars.last_step
        scalars_forget(scalars)
        return records, reach

    def take_scalars(self, memory not None):
        """The scalars since the last call, those of one tag in the order of the file.

        ``memory(n)`` gives a writable array of n bytes for the columns. Returns ``(rows, steps, wall_times, values)``:
        ``rows`` lists tag, start and stop in ``wall_times``, first step, stride and whether the values are wide. The
        stride is 0 where ``steps`` has the steps, which for these tags alone follow each other there. ``values`` are
        the float32 ones and the wide float64 ones, in each the rows of their tags one after the other.
        """
        cdef ScalarRows *all_rows = tags_rows(&self.found.tags)
        cdef ScalarRows *rows
        cdef int32_t tag
        cdef size_t count = 0, stored = 0, wide = 0, start = 0, step_start = 0, value_start = 0, wide_start = 0
        cdef list taken = []
        cdef bint is_stored, is_wide
        for tag in range(self.found.tags.count):
            count += all_rows[tag].count
            stored += all_rows[tag].count if rows_have_steps(&all_rows[tag]) else 0
            wide += all_rows[tag].count if all_rows[tag].wide != NULL else 0
        block = memory((stored + count + wide) * 8 + (count - wide) * 4)
        steps, rest = block[: stored * 8].view(np.int64), block[stored * 8 :]
        wall_times, rest = rest[: count * 8].view(np.float64), rest[count * 8 :]
        wide_values, values = rest[: wide * 8].view(np.float64), rest[wide * 8 : wide * 8 + (count - wide) * 4].view(np.float32)
        cdef int64_t[::1] steps_view = steps
        cdef double[::1] wall_times_view = wall_times
        cdef double[::1] wide_view = wide_values
        cdef float[::1] values_view = values
        cdef void *column
        for tag in range(self.found.tags.count):
            rows = &all_rows[tag]
            if rows.count == 0:
                continue
            is_stored, is_wide = rows_have_steps(rows), rows.wide != NULL
            column = <void *>&wide_view[wide_start] if is_wide else <void *>&values_view[value_start]
            with nogil:
                rows_copy(rows, &steps_view[step_start] if is_stored else NULL, &wall_times_view[start], column)
            taken.append((tag, start, start + rows.count, rows.first, 0 if is_stored else rows.stride, is_wide))
            start += rows.count
            value_start += 0 if is_wide else rows.count
            wide_start += rows.count if is_wide else 0
            step_start += rows.count if is_stored else 0
            rows_empty(rows)
        return taken, steps, wall_times, (values, wide_values)

    def take_places(self):
        """The values by reference and the odd records since the last call, as columns by name.

        ``tag number step wall_time offset length``: values by reference; ``number`` is the field of Summary.Value, TOLD
        plus the kind that ``tell`` gave, BROKEN_METADATA, or EVENT_FIELD plus the field of the event, and then ``tag``
        is -1. ``odd_offset odd_length``: payloads that are no event.
        """
        cdef Places *places = &self.found.places
        self.found.turn += 1
        self.found.lesson += 1  # what the caller does with them may tell kinds, too
        return {
            "tag": _array(&places.tag, np.int32),
            "number": _array(&places.number, np.int32),
            "step": _array(&places.step, np.int64),
            "wall_time": _array(&places.wall_time, np.float64),
            "offset": _array(&places.offset, np.int64),
            "length": _array(&places.length, np.int64),
            "odd_offset": _array(&self.found.odd_offset, np.int64),
            "odd_length": _array(&self.found.odd_length, np.int64),
        }


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


cdef int32_t _ask(void *asker, int32_t tag, const uint8_t *metadata, size_t length) noexcept with gil:
    """What ``tell`` answers; KIND_FAILED when it raises."""
    cdef EventColumns columns = <EventColumns>asker
    try:
        return columns.tell(columns._text(tag), None if metadata == NULL else (<const char *>metadata)[:length])
    except BaseException as failure:  # nothing can be raised without the interpreter; scan() does
        columns.failure = failure
        return KIND_FAILED


cdef const Dialect *_dialect(str name) except NULL:
    if name == "mindspore":
        return &DIALECT_MINDSPORE
    if name == "mindspore_lineage":
        return &DIALECT_LINEAGE
    if name == "tensorboard":
        return &DIALECT_TENSORBOARD
    raise ValueError(f"dialect {name!r} is unknown, want mindspore, mindspore_lineage or tensorboard")
