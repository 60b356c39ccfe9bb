# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Reads the events of a JSON trace straight into columns, block by block; arguments stay where they are in the file.

A string is interned as it stands between its quotes. An event that can't be read is counted by its reason, and the
next one begins at the next ``{`` after a comma.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport fabs
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc, strtod
from libc.string cimport memcmp, memcpy

from mindscope.profile.trace._interned_strings cimport (
    NONE, Interner, begin_strings, free_strings, hash_of, intern, strings_of
)

import numpy as np

cdef enum:
    FEWEST = 1 << 16         # rows by which columns grow
    MOST_NUMBER = 64         # characters of a number
    MOST_NESTED = 63         # depth to which objects and lists are told apart
    MOST_EVENT = 1 << 26     # bytes; what is longer is an event that does not end
    MORE = -1                # results of reading an event: the block ends within it,
    BAD = -2                 # or it breaks the syntax

cdef enum:
    MALFORMED = 0            # the order of REASONS
    TRUNCATED = 1
    NO_TIME = 2
    NO_DURATION = 3
    BAD_DURATION = 4
    OTHER_PHASE = 5
    REASON_COUNT = 6

REASONS = ("malformed", "truncated", "no_time", "no_duration", "bad_duration", "other_phase")

cdef int64_t MOST_MICROSECONDS = 9_000_000_000_000_000
cdef int64_t MOST_DURATION_NS = 7 * 86_400 * 1_000_000_000   # longer ones are counters that went wrong


cdef struct Span:
    const uint8_t *start
    Py_ssize_t size          # -1: the event lacks it


cdef uint8_t[256] IS_SPACE
cdef uint8_t[256] IS_BRACKET      # and quotes, commas, colons
cdef uint8_t[256] IS_IN_STRING    # what ends a run of plain characters

for _byte in range(256):
    IS_SPACE[_byte] = chr(_byte) in " \t\r\n"
    IS_BRACKET[_byte] = chr(_byte) in '"{}[],:'
    IS_IN_STRING[_byte] = chr(_byte) not in '"\\'


cdef inline const uint8_t *_after_space(const uint8_t *at, const uint8_t *end) noexcept nogil:
    while at < end and IS_SPACE[at[0]]:
        at += 1
    return at


cdef inline const uint8_t *_after_string(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """``at`` is past the opening quote; the position of the closing one, or ``end``."""
    while True:
        while at < end and IS_IN_STRING[at[0]]:
            at += 1
        if at >= end:
            return end
        if at[0] == c'"':
            return at
        at += 2


cdef inline const uint8_t *_after_nested(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """``at`` is at the opening bracket; behind the closing one, ``at`` if brackets, quotes, commas and colons do not
    fit together, or NULL if the block ends before.

    What does not fit is noticed where it is, for else a quote or bracket too few would swallow the events behind it.
    """
    cdef const uint8_t *begin = at
    cdef Py_ssize_t depth = 0
    cdef uint64_t objects = 0                         # bit d: what is open at depth d is an object
    cdef bint is_object
    cdef uint8_t before = c'['                        # the bracket, quote, comma or colon before ``at``
    while at < end:
        while at < end and not IS_BRACKET[at[0]]:
            at += 1
        if at >= end:
            return NULL
        is_object = 0 < depth <= MOST_NESTED and objects >> (depth - 1) & 1
        if at[0] == c'"':
            if not _may_begin(before):
                return begin
            at = _after_string(at + 1, end)
            if at >= end:
                return NULL
        elif at[0] == c':':
            if before != c'"' or (not is_object and depth < MOST_NESTED):
                return begin
        elif at[0] == c'{' or at[0] == c'[':
            if not _may_begin(before) or (before == c',' and is_object):
                return begin
            if depth < MOST_NESTED:
                objects = objects & ~(1ULL << depth) | (<uint64_t>(at[0] == c'{')) << depth
            depth += 1
        elif at[0] != c',':
            if depth < MOST_NESTED and is_object != (at[0] == c'}'):
                return begin
            depth -= 1
            if depth == 0:
                return at + 1
        before = at[0]
        at += 1
    return NULL


cdef inline bint _may_begin(uint8_t before) noexcept nogil:
    """Return whether a text, list or object may follow."""
    return before == c':' or before == c',' or before == c'[' or before == c'{'


cdef bint _nanoseconds(Span number, int64_t *found) noexcept nogil:
    """Microseconds in decimal as nanoseconds, exactly where they have up to three decimals; False for anything else."""
    cdef const uint8_t *at = number.start
    cdef const uint8_t *end = number.start + number.size
    cdef int64_t whole = 0, fraction = 0, unit = 1000
    cdef bint is_negative = False, has_digits = False
    cdef char[MOST_NUMBER + 1] text
    cdef char *rest
    cdef double value
    if at < end and at[0] == c'-':
        is_negative = True
        at += 1
    while at < end and c'0' <= at[0] <= c'9':
        if whole > MOST_MICROSECONDS:
            return False
        whole = 10 * whole + (at[0] - c'0')
        has_digits = True
        at += 1
    if at < end and at[0] == c'.':
        at += 1
        while at < end and c'0' <= at[0] <= c'9':
            if unit > 1:
                unit //= 10
                fraction += unit * (at[0] - c'0')
            elif unit == 1:
                fraction += at[0] >= c'5'
                unit = 0
            at += 1
    if at == end and has_digits and whole <= MOST_MICROSECONDS:
        found[0] = -(1000 * whole + fraction) if is_negative else 1000 * whole + fraction
        return True
    if number.size <= 0 or number.size > MOST_NUMBER or not has_digits:
        return False
    memcpy(text, number.start, number.size)
    text[number.size] = 0
    value = strtod(text, &rest)
    if rest != text + number.size or not fabs(value) <= <double>MOST_MICROSECONDS:
        return False
    found[0] = <int64_t>(1000 * value + (0.5 if value >= 0 else -0.5))
    return True


cdef inline uint64_t _identity(Span token) noexcept nogil:
    """Return a number as itself, any other text as its hash."""
    cdef uint64_t value = 0
    cdef Py_ssize_t index
    if token.size <= 0:
        return 0
    if token.size > 18:
        return hash_of(token.start, token.size)
    for index in range(token.size):
        if not c'0' <= token.start[index] <= c'9':
            return hash_of(token.start, token.size)
        value = 10 * value + (token.start[index] - c'0')
    return value


cdef class EventReader:
    """Columns of the events of one file.

    ``feed`` takes blocks in order; each begins with the bytes that the last one left. Slices (phase X) and all other
    events have columns of their own; metadata events (phase M) are kept as texts.
    """

    cdef Interner _names, _categories, _tracks
    cdef int64_t[REASON_COUNT] _skipped, _first_skipped
    cdef readonly bint is_finished        # the array of events has ended
    cdef readonly list metadata
    cdef readonly int64_t read
    cdef bint _is_resuming, _is_out_of_memory
    cdef list _slice_columns, _event_columns
    cdef Py_ssize_t _slice_count, _event_count, _slice_capacity, _event_capacity
    cdef int64_t[::1] _start, _duration, _slice_args
    cdef uint32_t[::1] _slice_name, _slice_category, _slice_track, _slice_args_size
    cdef int64_t[::1] _time, _event_args
    cdef uint64_t[::1] _identity_of
    cdef uint32_t[::1] _event_name, _event_category, _event_track, _event_args_size
    cdef uint8_t[::1] _phase
    cdef uint8_t *_key                    # scratch: the two parts of a track
    cdef Py_ssize_t _key_capacity

    def __cinit__(self):
        self._key = NULL
        self._names.entries = self._categories.entries = self._tracks.entries = NULL
        if begin_strings(&self._names) or begin_strings(&self._categories) or begin_strings(&self._tracks):
            raise MemoryError
        self.metadata = []
        self._new_slices()
        self._new_events()

    def __dealloc__(self):
        for interner in range(3):
            free_strings(&self._names if interner == 0 else &self._categories if interner == 1 else &self._tracks)
        free(self._key)

    def _new_slices(self):
        self._slice_columns = [np.empty(0, np.int64) for _ in range(3)] + [np.empty(0, np.uint32) for _ in range(4)]
        self._slice_count = self._slice_capacity = 0

    def _new_events(self):
        self._event_columns = [np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint64)]
        self._event_columns += [np.empty(0, np.uint32) for _ in range(4)] + [np.empty(0, np.uint8)]
        self._event_count = self._event_capacity = 0

    def _grow_slices(self):
        self._slice_capacity = _grown(self._slice_count)
        self._start = self._duration = self._slice_args = None
        self._slice_name = self._slice_category = self._slice_track = self._slice_args_size = None
        _resize(self._slice_columns, self._slice_capacity)
        self._start, self._duration, self._slice_args = self._slice_columns[:3]
        self._slice_name, self._slice_category, self._slice_track, self._slice_args_size = self._slice_columns[3:]

    def _grow_events(self):
        self._event_capacity = _grown(self._event_count)
        self._time = self._event_args = None
        self._identity_of = None
        self._event_name = self._event_category = self._event_track = self._event_args_size = None
        self._phase = None
        _resize(self._event_columns, self._event_capacity)
        self._time, self._event_args, self._identity_of = self._event_columns[:3]
        self._event_name, self._event_category, self._event_track, self._event_args_size = self._event_columns[3:7]
        self._phase = self._event_columns[7]

    def feed(self, const uint8_t[::1] data not None, int64_t offset, bint is_last):
        """Read the events of a block at ``offset`` of the file; returns how many of its bytes are done with."""
        if data.shape[0] == 0:
            return 0
        cdef const uint8_t *start = &data[0]
        cdef Py_ssize_t used
        with nogil:
            used = self._feed(start, start + data.shape[0], offset, is_last)
        if self._is_out_of_memory:
            raise MemoryError("no memory for the names of a trace")
        return used

    cdef Py_ssize_t _feed(
        self, const uint8_t *start, const uint8_t *end, int64_t offset, bint is_last
    ) noexcept nogil:
        cdef const uint8_t *at = start
        cdef const uint8_t *after
        while not self.is_finished and not self._is_out_of_memory:
            if self._is_resuming:
                at = _next_event(at, end)
                if at >= end:
                    while not is_last and at > start and (IS_SPACE[(at - 1)[0]] or (at - 1)[0] == c','):
                        at -= 1                           # the next event may follow this comma
                    return at - start
                self._is_resuming = False
            while at < end and (IS_SPACE[at[0]] or at[0] == c','):
                at += 1
            if at >= end:
                return end - start
            if at[0] == c']':
                self.is_finished = True
                return at + 1 - start
            after = NULL
            if at[0] == c'{':
                after = self._read_event(at, end, start, offset)
                if after == NULL and end - at < MOST_EVENT:   # the block ends within the event
                    if not is_last:
                        return at - start
                    self._skip(TRUNCATED, offset + (at - start))
                    return end - start
            if after == NULL or after == at:              # no event, or one that breaks the syntax
                self._skip(MALFORMED, offset + (at - start))
                self._is_resuming = True
                at += 1
                continue
            at = after
        return at - start

    cdef void _skip(self, int reason, int64_t position) noexcept nogil:
        if self._skipped[reason] == 0:
            self._first_skipped[reason] = position
        self._skipped[reason] += 1

    cdef const uint8_t *_read_event(
        self, const uint8_t *begin, const uint8_t *end, const uint8_t *start, int64_t offset
    ) noexcept nogil:
        """Return the end of the event at ``begin``; ``begin`` if it breaks the syntax, NULL if the block ends in it."""
        cdef const uint8_t *at = begin + 1
        cdef Span key, value, phase, name, category, pid, tid, ts, dur, id, args
        cdef Span *target
        phase.size = name.size = category.size = pid.size = tid.size = ts.size = dur.size = id.size = args.size = -1
        while True:
            at = _after_space(at, end)
            if at >= end:
                return NULL
            if at[0] == c'}':
                self._keep(phase, name, category, pid, tid, ts, dur, id, args, begin - start + offset, start, offset)
                return at + 1
            if at[0] != c'"':
                return begin
            key.start = at + 1
            at = _after_string(at + 1, end)
            if at >= end:
                return NULL
            key.size = at - key.start
            at = _after_space(at + 1, end)
            if at >= end:
                return NULL
            if at[0] != c':':
                return begin
            at = _after_space(at + 1, end)
            if at >= end:
                return NULL
            if at[0] == c'"':
                value.start = at + 1
                at = _after_string(at + 1, end)
                if at >= end:
                    return NULL
                value.size = at - value.start
                at += 1
            elif at[0] == c'{' or at[0] == c'[':
                value.start = at
                at = _after_nested(at, end)
                if at == NULL:
                    return NULL
                if at == value.start:
                    return begin
                value.size = at - value.start
            else:
                value.start = at
                while at < end and at[0] != c',' and at[0] != c'}' and at[0] != c']' and not IS_SPACE[at[0]]:
                    if at[0] == c'"' or at[0] == c'{' or at[0] == c'[':
                        return begin
                    at += 1
                value.size = at - value.start
                if value.size == 0:
                    return begin
            target = NULL
            if key.size == 2:
                if memcmp(key.start, "ts", 2) == 0:
                    target = &ts
                elif memcmp(key.start, "ph", 2) == 0:
                    target = &phase
                elif memcmp(key.start, "id", 2) == 0:
                    target = &id
            elif key.size == 3:
                if memcmp(key.start, "dur", 3) == 0:
                    target = &dur
                elif memcmp(key.start, "pid", 3) == 0:
                    target = &pid
                elif memcmp(key.start, "tid", 3) == 0:
                    target = &tid
                elif memcmp(key.start, "cat", 3) == 0:
                    target = &category
                elif memcmp(key.start, "id2", 3) == 0 and id.size < 0:
                    target = &id
            elif key.size == 4:
                if memcmp(key.start, "name", 4) == 0:
                    target = &name
                elif memcmp(key.start, "args", 4) == 0:
                    target = &args
            if target != NULL:
                target[0] = value
            at = _after_space(at, end)
            if at >= end:
                return NULL
            if at[0] == c',':
                at += 1
            elif at[0] != c'}':
                return begin

    cdef void _keep(
        self, Span phase, Span name, Span category, Span pid, Span tid, Span ts, Span dur, Span id, Span args,
        int64_t position, const uint8_t *start, int64_t offset
    ) noexcept nogil:
        cdef int64_t time = 0, duration = 0
        cdef uint8_t kind = phase.start[0] if phase.size == 1 else 0
        cdef Py_ssize_t row
        if kind == c'M':
            with gil:
                self.metadata.append((_bytes(name), _bytes(pid), _bytes(tid), _bytes(args)))
            self.read += 1
            return
        if kind == 0 or not _is_known(kind):
            self._skip(MALFORMED if kind == 0 else OTHER_PHASE, position)
            return
        if not _nanoseconds(ts, &time):
            self._skip(NO_TIME, position)
            return
        if kind == c'X':
            if not _nanoseconds(dur, &duration):
                self._skip(NO_DURATION, position)
                return
            if duration < 0 or duration > MOST_DURATION_NS:
                self._skip(BAD_DURATION, position)
                return
            if self._slice_count == self._slice_capacity:
                with gil:
                    self._grow_slices()
            row = self._slice_count
            self._start[row], self._duration[row] = time, duration
            self._slice_name[row] = self._index(&self._names, name)
            self._slice_category[row] = self._index(&self._categories, category)
            self._slice_track[row] = self._track(pid, tid)
            self._slice_args[row] = args.start - start + offset if args.size > 0 else -1
            self._slice_args_size[row] = <uint32_t>max(args.size, 0)
            self._slice_count += 1
        else:
            if self._event_count == self._event_capacity:
                with gil:
                    self._grow_events()
            row = self._event_count
            self._time[row], self._phase[row], self._identity_of[row] = time, kind, _identity(id)
            self._event_name[row] = self._index(&self._names, name)
            self._event_category[row] = self._index(&self._categories, category)
            self._event_track[row] = self._track(pid, tid)
            self._event_args[row] = args.start - start + offset if args.size > 0 else -1
            self._event_args_size[row] = <uint32_t>max(args.size, 0)
            self._event_count += 1
        self.read += 1

    cdef uint32_t _index(self, Interner *interner, Span text) noexcept nogil:
        cdef uint32_t index = intern(interner, text.start, max(text.size, 0))
        self._is_out_of_memory = self._is_out_of_memory or index == NONE
        return index

    cdef uint32_t _track(self, Span pid, Span tid) noexcept nogil:
        """Return the index of a process and a thread, joined by a zero byte."""
        cdef Py_ssize_t left = max(pid.size, 0), right = max(tid.size, 0)
        cdef uint8_t *key = self._key
        cdef Span joined
        if left + right + 1 > self._key_capacity:
            key = <uint8_t *>realloc(self._key, 2 * (left + right + 1))
            if key == NULL:
                self._is_out_of_memory = True
                return NONE
            self._key, self._key_capacity = key, 2 * (left + right + 1)
        memcpy(key, pid.start, left)
        key[left] = 0
        memcpy(key + left + 1, tid.start, right)
        joined.start, joined.size = key, left + right + 1
        return self._index(&self._tracks, joined)

    @property
    def names(self):
        """Return the names of events by index, as bytes between their quotes."""
        return strings_of(&self._names)

    @property
    def categories(self):
        """Return the categories by index."""
        return strings_of(&self._categories)

    @property
    def tracks(self):
        """Process and thread of each track by index."""
        return [tuple(each.split(b"\0", 1)) for each in strings_of(&self._tracks)]

    @property
    def skipped(self):
        """Reason -> how many events were skipped for it, and where the first one begins in the file."""
        return {
            reason: (self._skipped[number], self._first_skipped[number])
            for number, reason in enumerate(REASONS)
            if self._skipped[number]
        }

    def slices(self):
        """Start and duration (ns), offset of the arguments, indices of name, category and track, size of the arguments.

        Each (n,). The reader gives them away: a second call returns none.
        """
        columns, count = self._slice_columns, self._slice_count
        self._start = self._duration = self._slice_args = None
        self._slice_name = self._slice_category = self._slice_track = self._slice_args_size = None
        self._new_slices()
        return _resize(columns, count)

    def events(self):
        """Time (ns), offset of the arguments, id, indices of name, category and track, size of the arguments, phase.

        Each (m,); as ``slices``.
        """
        columns, count = self._event_columns, self._event_count
        self._time = self._event_args = None
        self._identity_of = None
        self._event_name = self._event_category = self._event_track = self._event_args_size = None
        self._phase = None
        self._new_events()
        return _resize(columns, count)


cdef bytes _bytes(Span text):
    return PyBytes_FromStringAndSize(<const char *>text.start, max(text.size, 0))


cdef Py_ssize_t _grown(Py_ssize_t count):
    return count + max(FEWEST, count // 8)


cdef list _resize(list columns, Py_ssize_t count):
    """Return the arrays with ``count`` rows; the allocator moves the pages of large ones instead of copying them.

    No view of them may be left.
    """
    for column in columns:
        column.resize(count, refcheck=False)
    return columns


cdef inline bint _is_known(uint8_t phase) noexcept nogil:
    return phase in (c'X', c'B', c'E', c'b', c'e', c'n', c's', c't', c'f', c'C', c'i', c'I')


cdef const uint8_t *_next_event(const uint8_t *at, const uint8_t *end) noexcept nogil:
    """Return the next ``{`` after a comma, followed by a quote; ``end`` if the block has none."""
    cdef const uint8_t *after
    while at < end:
        while at < end and at[0] != c',':
            at += 1
        if at >= end:
            return end
        at += 1
        after = _after_space(at, end)
        if after < end and after[0] == c'{':
            after = _after_space(after + 1, end)
            if after >= end or after[0] == c'"':
                return _after_space(at, end)
    return end
