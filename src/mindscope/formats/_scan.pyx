# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Reads records into columns in C: decodes scalars, keeps a byte reference to every other value.

``mindspore.locate`` and ``tensorboard.locate`` define the rules in readable form; the tests compare them with this
module on random input. An event that breaks the wire encoding adds no row; the caller passes it to those functions,
which name the error.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from mindscope.formats._events cimport (
    BROKEN_METADATA_NUMBER, DIALECT_LINEAGE, DIALECT_MINDSPORE, DIALECT_TENSORBOARD, EVENT_FIELD_NUMBER, KIND_FAILED,
    KIND_SCALAR, RECORD_FOOTER, RECORD_HEADER, SCALARS_END, SCALARS_NO_MEMORY, METADATA_KIND_NUMBER, Column, Dialect, Found,
    References, ScalarRows, Scalars, crc32c_initialise, events_scan, found_free, found_start, rows_copy, rows_empty,
    rows_have_steps, scalars_forget, tags_rows)

import numpy as np

crc32c_initialise()

WHOLE = 0   # a status of ``_frames``; scan() also returns the other ones

EVENT_FIELD = EVENT_FIELD_NUMBER
"""Added to the field number of a value that is a field of the event itself, not of its summary."""
BROKEN_METADATA = BROKEN_METADATA_NUMBER
"""The number of a value whose metadata can't be decoded; this row is added to the row of the value itself."""
METADATA_KIND = METADATA_KIND_NUMBER
"""Added to the kind that the metadata gives to a value."""
SCALAR_KIND = KIND_SCALAR
"""The kind whose plain values ``scan`` decodes."""


cdef class EventColumns:
    """Contents of the records of one file, from ``start`` on. Reusable for other files; not thread-safe.

    A dialect is "mindspore", "mindspore_lineage" or "tensorboard".
    """

    cdef Found found
    cdef int32_t known_tags        # count of tags that new_tags() has returned
    cdef object find_kind          # the callback of start()
    cdef object failure            # the exception that ``find_kind`` raised

    def start(self, str dialect not None, find_kind not None):
        """Start a file of a dialect. Discards the values of the previous file that were not taken; reuses its memory.

        ``find_kind(tag, metadata)`` returns the kind of a TensorBoard tag that has a tensor or only metadata. A number
        above 0 is final: SCALAR_KIND or a number that the caller chooses. 0 means that the kind is not known yet, -1
        that the encoded ``metadata``, None if the value has none, can't be decoded.
        """
        self.known_tags = 0
        self.find_kind, self.failure = find_kind, None
        found_start(&self.found, _dialect(dialect), _ask, <void *>self)

    def __dealloc__(self):
        found_free(&self.found)

    def scan(self, const uint8_t[::1] chunk not None, Py_ssize_t position, int64_t base):
        """Take the intact records from ``position`` on; byte 0 of ``chunk`` is byte ``base`` of the file.

        Returns ``(position, status, needed)`` like ``scan_frames``, but also returns WHOLE after a record that is not
        an event, or one that the caller reads. Its values may define kinds: call ``take_references`` before the next
        scan. Raises MemoryError, and any exception of ``find_kind``.
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
    def has_references(self):
        """Return whether ``take_references`` returns any rows."""
        return self.found.references.tag.length > 0 or self.found.odd_offset.length > 0

    def new_tags(self):
        """Return the tags found since the last call; their numbers continue those of the last call."""
        cdef int32_t tag
        texts = [self._text(tag) for tag in range(self.known_tags, self.found.tags.count)]
        self.known_tags = self.found.tags.count
        return texts

    def take_records(self):
        """Return the count of records since the last call, and the range of those with scalars.

        The range is first wall time, last wall time, highest step; None if no record had scalars.
        """
        cdef Scalars *scalars = &self.found.scalars
        records, reach = scalars.records, None
        if scalars.with_scalars:
            reach = scalars.first_wall_time, scalars.last_wall_time, scalars.last_step
        scalars_forget(scalars)
        return records, reach

    def take_scalars(self, memory not None):
        """Return the scalars since the last call, the rows of each tag in file order.

        ``memory(n)`` returns a writable array of n bytes for the columns. Returns ``(rows, steps, wall_times,
        values)``: ``rows`` lists tag, start and stop in ``wall_times``, first step, stride and whether the values are
        wide. A stride of 0 means that ``steps`` has the steps; it holds only those tags, concatenated. ``values`` are
        the float32 ones and the wide float64 ones; each concatenates the rows of its tags.
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

    def take_references(self):
        """Return the value references and the odd records since the last call, as columns by name.

        ``tag number step wall_time offset length``: value references; ``number`` is the field of Summary.Value, METADATA_KIND
        plus the kind that ``find_kind`` returned, BROKEN_METADATA, or EVENT_FIELD plus the field of the event, with
        ``tag`` -1. ``odd_offset odd_length``: payloads that are not events, or that the caller reads (session logs).
        """
        cdef References *references = &self.found.references
        self.found.batch += 1
        self.found.kinds_version += 1  # the caller may learn kinds from the returned values
        return {
            "tag": _array(&references.tag, np.int32),
            "number": _array(&references.number, np.int32),
            "step": _array(&references.step, np.int64),
            "wall_time": _array(&references.wall_time, np.float64),
            "offset": _array(&references.offset, np.int64),
            "length": _array(&references.length, np.int64),
            "odd_offset": _array(&self.found.odd_offset, np.int64),
            "odd_length": _array(&self.found.odd_length, np.int64),
        }


cdef object _array(Column *column, object dtype):
    """Return a numpy array with the items; empties the column."""
    dtype = np.dtype(dtype)
    array = np.empty(column.length, dtype)
    cdef uint8_t[::1] view
    if column.length:
        view = array.view(np.uint8)
        memcpy(&view[0], column.data, column.length * <size_t>dtype.itemsize)
    column.length = 0
    return array


cdef int32_t _ask(void *asker, int32_t tag, const uint8_t *metadata, size_t length) noexcept with gil:
    """Call ``find_kind``; returns KIND_FAILED when it raises."""
    cdef EventColumns columns = <EventColumns>asker
    try:
        return columns.find_kind(columns._text(tag), None if metadata == NULL else (<const char *>metadata)[:length])
    except BaseException as failure:  # C code can't propagate an exception; scan() raises it
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
