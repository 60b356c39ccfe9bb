# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Finds some arguments in the JSON texts of the arguments of many events, without decoding the others."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport NAN
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport strtod
from libc.string cimport memcpy

import numpy as np

cdef enum:
    MOST_KEYS = 64
    MOST_KEY = 48             # characters of a key
    MOST_NUMBER = 48          # characters of a number

cdef int64_t NO_INTEGER = INT64_MIN
ctypedef void *Data


cdef struct Key:
    uint8_t[MOST_KEY] text    # in lower case
    Py_ssize_t size


cdef inline uint8_t _lower(uint8_t letter) noexcept nogil:
    return letter + 32 if c'A' <= letter <= c'Z' else letter


cdef inline bint _is_space(uint8_t letter) noexcept nogil:
    return letter == c' ' or letter == c'\n' or letter == c'\t' or letter == c'\r'


cdef inline Py_ssize_t _after_string(const uint8_t *data, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """``at`` is past the opening quote; the position of the closing one, or ``end``."""
    while at < end and data[at] != c'"':
        at += 2 if data[at] == c'\\' else 1
    return min(at, end)


cdef inline Py_ssize_t _after_value(const uint8_t *data, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return the position behind the value that begins at ``at``."""
    cdef Py_ssize_t depth = 0
    if data[at] == c'"':
        return min(_after_string(data, at + 1, end) + 1, end)
    if data[at] != c'[' and data[at] != c'{':
        while at < end and data[at] != c',' and data[at] != c'}' and not _is_space(data[at]):
            at += 1
        return at
    while at < end:
        if data[at] == c'"':
            at = _after_string(data, at + 1, end)
        elif data[at] == c'[' or data[at] == c'{':
            depth += 1
        elif data[at] == c']' or data[at] == c'}':
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return end


cdef int64_t _integer(const uint8_t *data, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return a decimal integer, of more than 63 bits modulo 2^64; NO_INTEGER for anything else."""
    cdef uint64_t value = 0
    cdef bint is_negative = False
    if at < end and data[at] == c'"':
        at, end = at + 1, end - 1
    if at < end and data[at] == c'-':
        is_negative = True
        at += 1
    if at >= end or end - at > 20:
        return NO_INTEGER
    while at < end:
        if not c'0' <= data[at] <= c'9':
            return NO_INTEGER
        value = 10 * value + (data[at] - c'0')
        at += 1
    return <int64_t>(0 - value) if is_negative else <int64_t>value


cdef double _number(const uint8_t *data, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    cdef char[MOST_NUMBER + 1] text
    cdef char *rest
    cdef double value
    if at < end and data[at] == c'"':
        at, end = at + 1, end - 1
    if at >= end or end - at > MOST_NUMBER or not (c'0' <= data[at] <= c'9' or data[at] == c'-'):
        return NAN
    memcpy(text, data + at, end - at)
    text[end - at] = 0
    value = strtod(text, &rest)
    return value if rest == text + (end - at) else NAN


cdef class ArgumentScanner:
    """Columns of arguments of ``count`` events; keys are compared without regard to case.

    integers, numbers, texts  names of arguments, by what is wanted of them
    """

    cdef Key[MOST_KEYS] _keys
    cdef Py_ssize_t _key_count, _integer_count, _number_count
    cdef Py_ssize_t _count
    cdef list _columns                    # for each name its array; None until an event has the argument
    cdef Data[MOST_KEYS] _values          # where each is
    cdef list _known                      # text as it stands in the file -> code, for each text argument

    def __init__(self, Py_ssize_t count, list integers, list numbers, list texts):
        names = [name.lower().encode() for name in integers + numbers + texts]
        if len(names) > MOST_KEYS or any(len(name) > MOST_KEY for name in names):
            raise ValueError("too many or too long names of arguments")
        for index, name in enumerate(names):
            self._keys[index].size = len(name)
            for letter in range(len(name)):
                self._keys[index].text[letter] = name[letter]
        self._key_count, self._integer_count, self._number_count = len(names), len(integers), len(numbers)
        self._count = count
        self._columns = [None] * len(names)
        for index in range(len(names)):
            self._values[index] = NULL
        self._known = [{b"": 0} for _ in texts]

    def scan(self, const uint8_t[::1] data not None, int64_t begin, const int64_t[::1] offsets not None,
             const uint32_t[::1] sizes not None, const int32_t[::1] rows not None):
        """Read the arguments at ``offsets`` of the file into ``rows``; ``data`` begins at ``begin`` and holds them."""
        cdef Py_ssize_t index
        if data.shape[0] == 0:
            return
        cdef const uint8_t *start = &data[0]
        for index in range(offsets.shape[0]):
            self._read(start, offsets[index] - begin, offsets[index] - begin + sizes[index], rows[index])

    cdef _read(self, const uint8_t *data, Py_ssize_t at, Py_ssize_t end, Py_ssize_t row):
        cdef Py_ssize_t key, key_end, value, column
        at += 1
        while True:
            while at < end and (_is_space(data[at]) or data[at] == c','):
                at += 1
            if at >= end or data[at] != c'"':
                return
            key = at + 1
            key_end = _after_string(data, key, end)
            at = key_end + 1
            while at < end and (_is_space(data[at]) or data[at] == c':'):
                at += 1
            if at >= end:
                return
            value = at
            at = _after_value(data, at, end)
            column = self._column(data + key, key_end - key)
            if column < 0:
                continue
            if self._values[column] == NULL:
                self._add(column)
            if column < self._integer_count:
                (<int64_t *>self._values[column])[row] = _integer(data, value, at)
            elif column < self._integer_count + self._number_count:
                (<double *>self._values[column])[row] = _number(data, value, at)
            else:
                known = <dict>self._known[column - self._integer_count - self._number_count]
                text = PyBytes_FromStringAndSize(<const char *>data + value, at - value)
                (<uint32_t *>self._values[column])[row] = known.setdefault(text, len(known))

    cdef _add(self, Py_ssize_t column):
        """Make the array of a name."""
        cdef uint8_t[::1] data
        array = np.full(self._count, self._none(column))
        data = array.view(np.uint8)
        self._columns[column], self._values[column] = array, &data[0]

    cdef _none(self, Py_ssize_t column):
        if column < self._integer_count:
            return np.int64(NO_INTEGER)
        return np.float64(NAN) if column < self._integer_count + self._number_count else np.uint32(0)

    cdef list _found(self, Py_ssize_t first, Py_ssize_t end):
        """Return the arrays of some names; one value instead of all where no event has the argument."""
        return [
            np.broadcast_to(self._none(column), self._count) if self._columns[column] is None else self._columns[column]
            for column in range(first, end)
        ]

    cdef Py_ssize_t _column(self, const uint8_t *name, Py_ssize_t size) noexcept nogil:
        cdef Py_ssize_t index, letter
        for index in range(self._key_count):
            if self._keys[index].size == size:
                for letter in range(size):
                    if _lower(name[letter]) != self._keys[index].text[letter]:
                        break
                else:
                    return index
        return -1

    def integers(self):
        """For each argument (events,) int64; the least one where an event lacks it, or it is no integer."""
        return self._found(0, self._integer_count)

    def numbers(self):
        """For each argument (events,) float64; NaN where an event lacks it, or it is no number."""
        return self._found(self._integer_count, self._integer_count + self._number_count)

    def codes(self):
        """For each argument (events,) uint32: indices into ``texts``; 0 where an event lacks it."""
        return self._found(self._integer_count + self._number_count, self._key_count)

    def texts(self):
        """For each argument its distinct values as JSON, the first one empty."""
        return [list(known) for known in self._known]
