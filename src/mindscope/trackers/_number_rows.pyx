# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Numbers of rows by tag, and the rows of W&B that hold nothing else."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport NAN, INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, realloc, strtod
from libc.string cimport memcmp, memcpy

import numpy as np

DEF MOST_ITEMS = 4096
DEF LONGEST_NUMBER = 63


cdef struct Row:
    int64_t step
    double time
    double value
    int32_t tag


cdef struct Item:
    const uint8_t *name
    Py_ssize_t length
    double value


cdef class NumberRows:
    """Rows of a number with its tag, step and wall time, in the order in which they were added."""

    cdef dict _ids  # by the UTF-8 of a tag
    cdef list _tags
    cdef list _counts
    cdef Row *_rows
    cdef Py_ssize_t _size
    cdef Py_ssize_t _room
    cdef Item[MOST_ITEMS] _items

    def __cinit__(self, tags=()):
        """``tags`` are those of earlier rows."""
        self._ids, self._tags, self._counts = {}, [], []
        self._rows = NULL
        self._size = self._room = 0
        for tag in tags:
            self._id(tag.encode("utf-8", "surrogatepass"))

    def __dealloc__(self):
        free(self._rows)

    @property
    def tags(self):
        """All tags, in the order of their first row."""
        return list(self._tags)

    def add(self, str tag, int64_t step, double wall_time, double value):
        """Add a row; ``wall_time`` is in seconds since 1970."""
        self._append(self._id(tag.encode("utf-8", "surrogatepass")), step, wall_time, value)

    def has(self, str tag):
        """Return whether a row has this tag."""
        return tag.encode("utf-8", "surrogatepass") in self._ids

    def add_history(self, bytes payload, Py_ssize_t first, Py_ssize_t last, int64_t offset):
        """Add the numbers of a history of W&B.

        Args:
            payload: the record, with the history in the bytes from ``first`` to ``last``.
            first: see above.
            last: see above.
            offset: what is added to its step.

        Returns the step and the wall time of the row; None, and no row is added, if it has anything but numbers.
        """
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(payload)
        if first < 0 or first > last or last > PyBytes_GET_SIZE(payload):
            return None
        cdef Py_ssize_t count = _read_items(data + first, data + last, self._items), number
        cdef double step = NAN, time = NAN
        cdef Item *item
        if count < 0:
            return None
        for number in range(count):
            item = &self._items[number]
            if _is(item, b"_step", 5):
                step = item.value
            elif _is(item, b"_timestamp", 10):
                time = item.value
        if not (0 <= step < 9e15 and -1e300 < time < 1e300) or step != <double>(<int64_t>step):
            return None
        for number in range(count):
            item = &self._items[number]
            if item.length == 0 or item.name[0] != b"_":
                name = PyBytes_FromStringAndSize(<const char *>item.name, item.length)
                self._append(self._id(name), <int64_t>step + offset, time, item.value)
        return <int64_t>step + offset, time

    def repeats(self, bytes payload, Py_ssize_t first, Py_ssize_t last):
        """Return whether all items of a summary of W&B have a tag of these rows, or a name that begins with ``_``."""
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(payload)
        if first < 0 or first > last or last > PyBytes_GET_SIZE(payload):
            return False
        cdef Py_ssize_t count = _read_items(data + first, data + last, self._items), number
        for number in range(count):
            item = &self._items[number]
            if item.length == 0 or item.name[0] != b"_":
                if PyBytes_FromStringAndSize(<const char *>item.name, item.length) not in self._ids:
                    return False
        return count >= 0

    def take(self):
        """Return steps, wall times and values by tag, in the order of the first row, and forget the rows."""
        cdef Py_ssize_t number, at
        cdef int32_t tag
        cdef int64_t[::1] steps
        cdef double[::1] times
        cdef double[::1] values
        cdef int64_t[::1] nexts = np.zeros(max(len(self._tags), 1), np.int64)
        cdef int64_t[::1] bases = np.zeros(max(len(self._tags), 1), np.int64)
        total_steps = np.empty(self._size, np.int64)
        total_times, total_values = np.empty(self._size), np.empty(self._size)
        steps, times, values = total_steps, total_times, total_values
        at = 0
        for number in range(len(self._tags)):
            bases[number] = at
            at += self._counts[number]
        for number in range(self._size):
            tag = self._rows[number].tag
            at = bases[tag] + nexts[tag]
            nexts[tag] += 1
            steps[at], times[at], values[at] = self._rows[number].step, self._rows[number].time, self._rows[number].value
        taken = {}
        for number in range(len(self._tags)):
            if self._counts[number]:
                part = slice(bases[number], bases[number] + self._counts[number])
                taken[self._tags[number]] = total_steps[part], total_times[part], total_values[part]
                self._counts[number] = 0
        self._size = 0
        return taken

    cdef int32_t _id(self, bytes name) except -1:
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = len(self._tags)
            self._tags.append(name.decode("utf-8", "replace"))
            self._counts.append(0)
        return found

    cdef int _append(self, int32_t tag, int64_t step, double time, double value) except -1:
        cdef Py_ssize_t room
        cdef void *rows
        if self._size == self._room:
            room = max(1024, self._room * 2)
            rows = realloc(self._rows, room * sizeof(Row))
            if rows == NULL:
                raise MemoryError
            self._rows, self._room = <Row *>rows, room
        self._rows[self._size] = Row(step, time, value, tag)
        self._size += 1
        self._counts[tag] += 1
        return 0


cdef bint _is(const Item *item, const char *name, Py_ssize_t length) noexcept nogil:
    return item.length == length and memcmp(item.name, name, length) == 0


cdef Py_ssize_t _read_items(const uint8_t *at, const uint8_t *end, Item *items) noexcept nogil:
    """Read the items of a history or a summary; -1 if one has several names, or a value that is no number."""
    cdef Py_ssize_t count = 0
    cdef uint64_t length
    while at < end:
        if at[0] != 0x0A or count == MOST_ITEMS:  # field 1, of a length
            return -1
        at += 1
        if not _varint(&at, end, &length) or length > <uint64_t>(end - at):
            return -1
        if not _read_item(at, at + length, &items[count]):
            return -1
        at += length
        count += 1
    return count


cdef bint _read_item(const uint8_t *at, const uint8_t *end, Item *item) noexcept nogil:
    cdef uint64_t key, length
    cdef bint has_name = False, has_value = False
    while at < end:
        if not _varint(&at, end, &key) or key & 7 != 2 or not _varint(&at, end, &length) or length > <uint64_t>(end - at):
            return False
        if key >> 3 == 16:
            if not _number(at, length, &item.value):
                return False
            has_value = True
        elif key >> 3 <= 2 and not has_name:
            item.name, item.length, has_name = at, <Py_ssize_t>length, True
        else:
            return False
        at += length
    return has_name and has_value


cdef bint _varint(const uint8_t **at, const uint8_t *end, uint64_t *value) noexcept nogil:
    cdef int shift = 0
    cdef uint8_t byte
    value[0] = 0
    while at[0] < end and shift < 63:
        byte = at[0][0]
        at[0] += 1
        value[0] |= <uint64_t>(byte & 0x7F) << shift
        if byte < 0x80:
            return True
        shift += 7
    return False


cdef bint _number(const uint8_t *at, uint64_t length, double *value) noexcept nogil:
    """Read a number or a bool of JSON, NaN or an infinity."""
    cdef char[LONGEST_NUMBER + 1] text
    cdef char *rest
    if length == 0 or length > LONGEST_NUMBER:
        return False
    memcpy(text, at, length)
    text[length] = 0
    if text[0] == b"N":
        value[0] = NAN
        return length == 3 and memcmp(text, b"NaN", 3) == 0
    if text[0] == b"I":
        value[0] = INFINITY
        return length == 8 and memcmp(text, b"Infinity", 8) == 0
    if text[0] == b"t" or text[0] == b"f":
        value[0] = text[0] == b"t"
        return memcmp(text, b"true", 5) == 0 or memcmp(text, b"false", 6) == 0
    if text[0] == b"-" and text[1] == b"I":
        value[0] = -INFINITY
        return length == 9 and memcmp(text, b"-Infinity", 9) == 0
    if not (text[0] == b"-" or b"0" <= text[0] <= b"9"):
        return False
    value[0] = strtod(text, &rest)
    return rest == text + length
