# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Finds the messages of a log: where they start, their time, level, module and rank. Forms: ``line_heads``."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memchr

from mindscope.debug.logs._line_heads cimport (
    LONGEST_HEAD, LONGEST_MODULE, STREAM_NAME, Captured, Head, begins, captured_text, glued_message, is_space, parse,
    rank_prefix
)

import numpy as np

cdef enum:
    LONGEST_PIECE = 65536   # of a line without an end: it is parsed, and its rest is skipped
    RECENT = 1024           # kinds that are found without Python

MOST_KINDS = 60_000
cdef int ERROR = 4      # the level of a traceback that no logger wrote
cdef int64_t AT_ONCE_NS = 50000000  # within which captured lines can be of one message


cdef class LineScanner:
    """Takes a log chunk by chunk, and finds its messages. ``state`` is what it knows of the line before.

    file_rank  rank of lines that name none; -1 if unknown
    """

    cdef public list kinds
    cdef dict _numbers
    cdef int64_t _file_rank
    cdef uint64_t[RECENT] _hashes
    cdef uint16_t[RECENT] _known
    cdef bint _takes_lines, _is_traceback, _is_within, _has_messages
    cdef bint _is_value     # whether the last line ends where the elements of a printed tensor begin
    cdef bint _is_cut       # whether the next captured line continues this one
    cdef int64_t _time_ns, _prefix_rank
    cdef int64_t _stream    # last letter of the name of the last captured line
    cdef int64_t _line_ns   # when it was captured
    cdef int _level         # of the message so far; 0 if it names none

    def __init__(self, int64_t file_rank, kinds=()):
        """``kinds``: those that were found before; ``(level, module, rank, has_time)`` of each, by number."""
        cdef int index
        self.kinds = [tuple(each) for each in kinds]
        self._numbers = {each: index for index, each in enumerate(self.kinds)}
        self._file_rank = file_rank
        for index in range(RECENT):
            self._hashes[index] = 0
        self.state = (False, False, False, False, 0, -1, False, 0, 0, False, 0)

    @property
    def state(self):
        """Plain values that another scanner of the same file continues from."""
        return (bool(self._takes_lines), bool(self._is_traceback), bool(self._is_within), bool(self._has_messages),
                self._time_ns, self._prefix_rank, bool(self._is_cut), self._stream, self._line_ns,
                bool(self._is_value), self._level)

    @state.setter
    def state(self, values):
        (self._takes_lines, self._is_traceback, self._is_within, self._has_messages, self._time_ns,
         self._prefix_rank, self._is_cut, self._stream, self._line_ns, self._is_value, self._level) = values

    def scan(self, const uint8_t[::1] data not None, int64_t offset, int year, bint is_end):
        """Return the messages that start in ``data``, which lies at ``offset`` of the file.

        year    of times that have none
        is_end  whether a last line without its end counts

        Returns ``(bytes, start, time_ns, kind)``: how many bytes were read, and of each message (n,) int64 where it
        starts, (n,) int64 its time or else that of the message before, (n,) uint16 its number in ``kinds``.
        """
        cdef Py_ssize_t length = data.shape[0], index, count = 0, room
        room = length // 8 + 16
        start_array, time_array, kind_array = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.uint16)
        cdef int64_t[::1] start = start_array
        cdef int64_t[::1] time_ns = time_array
        cdef uint16_t[::1] kind = kind_array
        cdef const uint8_t* first
        cdef const uint8_t* end
        cdef const uint8_t* line
        cdef const uint8_t* line_end
        cdef const uint8_t* glued   # a message in the middle of the line
        cdef Head head
        cdef bint has_end
        if length == 0:
            return 0, start_array[:0], time_array[:0], kind_array[:0]
        first = line = &data[0]
        end = first + length
        with nogil:
            while line < end:
                line_end = <const uint8_t*>memchr(line, 10, end - line)
                has_end = line_end != NULL
                if not has_end:
                    line_end = end
                    if not (is_end or self._is_within or end - line >= LONGEST_PIECE):
                        break
                glued = glued_message(line, line_end)
                while True:
                    if not self._is_within and self._starts_message(
                            line, line_end if glued == NULL else glued, year, &head):
                        if count == room:
                            with gil:
                                room *= 2
                                start_array, time_array, kind_array = (
                                    np.resize(each, room) for each in (start_array, time_array, kind_array))
                                start, time_ns, kind = start_array, time_array, kind_array
                        if head.has_time:
                            self._time_ns = head.time_ns
                        start[count], time_ns[count] = offset + (line - first), self._time_ns
                        if self._is_traceback and head.level == 0:
                            head.level = ERROR
                        self._level = head.level
                        kind[count] = self._kind(&head)
                        count += 1
                    if glued == NULL:
                        break
                    line, glued, self._is_within = glued, NULL, False
                self._is_value = line_end - line > 6 and begins(line_end - 6, line_end, b"value=", 6)
                self._is_within = not has_end
                line = line_end + has_end
        return line - first, start_array[:count], time_array[:count], kind_array[:count]

    cdef bint _starts_message(self, const uint8_t* line, const uint8_t* end, int year, Head* head) noexcept nogil:
        cdef const uint8_t* text
        cdef Captured captured
        cdef bint has_head, is_first = not self._has_messages
        if end - line > LONGEST_HEAD:
            end = line + LONGEST_HEAD
        elif end > line and end[-1] == 13:
            end -= 1
        head.rank = -1
        text = captured_text(line, end, &captured)
        if text != line:
            return self._starts_captured(text, end, year, &captured, head)
        text = rank_prefix(line, end, head)
        has_head = parse(text, end, year, head)
        if not has_head and text != line:  # only a rank
            has_head = head.rank != self._prefix_rank or is_first or not self._continues(text, end)
            self._prefix_rank = head.rank
            self._takes_lines = False
            if has_head:
                self._is_traceback = begins(text, end, b"Traceback (most recent call last)", 33)
            self._has_messages = True
            return has_head
        if not has_head and not is_first and self._continues(line, end):
            return False
        self._prefix_rank = head.rank
        self._takes_lines = has_head and head.takes_lines
        self._is_traceback = begins(line, end, b"Traceback (most recent call last)", 33)
        self._has_messages = True
        return True

    cdef bint _starts_captured(self, const uint8_t* text, const uint8_t* end, int year, const Captured* captured,
                               Head* head) noexcept nogil:
        """Decide as ``_starts_message``. Lines of one message are of one stream, and were printed at once."""
        cdef int64_t stream = captured.stream[STREAM_NAME - 1]
        cdef bint is_rest = self._is_cut and stream == self._stream
        cdef bint may_continue = stream == self._stream and captured.time_ns - self._line_ns <= AT_ONCE_NS
        cdef bint has_head
        self._is_cut, self._stream, self._line_ns = not captured.is_whole, stream, captured.time_ns
        if is_rest:
            return False
        text = rank_prefix(text, end, head)
        has_head = parse(text, end, year, head)
        if not has_head:
            if self._has_messages and may_continue and self._continues(text, end):
                return False
            head.module, head.module_length = captured.stream, STREAM_NAME
        self._takes_lines = has_head and head.takes_lines
        self._is_traceback = begins(text, end, b"Traceback (most recent call last)", 33)
        self._has_messages = True
        head.time_ns, head.has_time = captured.time_ns, True
        return True

    cdef bint _continues(self, const uint8_t* line, const uint8_t* end) noexcept nogil:
        cdef bint was_traceback = self._is_traceback
        if self._level != 0 and self._leads_on(line, end):
            self._is_traceback = begins(line, end, b"Original", 8)
            return True
        if self._takes_lines or self._is_value or line == end or is_space(line[0]):
            return True
        self._is_traceback = begins(line, end, b"Traceback (most recent call last)", 33)
        return was_traceback or (self._is_traceback and self._level != 0)

    cdef bint _leads_on(self, const uint8_t* line, const uint8_t* end) noexcept nogil:
        """Return whether a line joins two tracebacks of one error."""
        return (begins(line, end, b"Original Traceback (most recent call last)", 42)
                or begins(line, end, b"During handling of the above exception, another", 47)
                or begins(line, end, b"The above exception was the direct cause of", 43))

    cdef uint16_t _kind(self, const Head* head) noexcept nogil:
        cdef uint64_t hash = 14695981039346656037ULL
        cdef Py_ssize_t index, length = min(head.module_length, LONGEST_MODULE)
        cdef uint16_t number
        for index in range(length):
            hash = (hash ^ head.module[index]) * 1099511628211ULL
        hash = (hash ^ <uint64_t>head.level) * 1099511628211ULL
        hash = (hash ^ <uint64_t>head.rank) * 1099511628211ULL
        hash = ((hash ^ <uint64_t>head.has_time) * 1099511628211ULL) | 1
        index = (hash >> 40) % RECENT
        if self._hashes[index] == hash:
            return self._known[index]
        with gil:
            number = self._number(head.level, head.module[:length], head.rank, head.has_time)
        self._hashes[index], self._known[index] = hash, number
        return number

    cdef uint16_t _number(self, int level, bytes module, int64_t rank, bint has_time):
        kind = (level, module.decode("utf-8", "replace"), rank if rank >= 0 else self._file_rank, bool(has_time))
        if kind not in self._numbers:
            if len(self.kinds) >= MOST_KINDS:
                kind = (level, "", -1, bool(has_time))
            if kind not in self._numbers:
                self._numbers[kind] = len(self.kinds)
                self.kinds.append(kind)
        return self._numbers[kind]
