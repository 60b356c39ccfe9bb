# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Parses beginnings of log lines: time, level, module and rank. Forms: ``line_heads``."""

from libc.string cimport memchr

cdef enum:
    DATE_WITHIN = 80        # bytes before a date
    LEVEL_WITHIN = 160      # bytes after a date
    LONGEST_STATE = 4096    # bytes of the last state of a progress bar
    SHORTEST_CAPTURED = 30  # bytes before the text of a captured line
    UNKNOWN = 0
    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    CRITICAL = 5

cdef int64_t SECOND_NS = 1000000000


cdef inline int two_digits(const uint8_t* s) noexcept nogil:
    return (s[0] - 48) * 10 + s[1] - 48


cdef inline int64_t number(const uint8_t* s, Py_ssize_t count) noexcept nogil:
    cdef int64_t value = 0
    cdef Py_ssize_t index
    for index in range(count):
        value = value * 10 + s[index] - 48
    return value


cdef inline Py_ssize_t digits(const uint8_t* s, const uint8_t* end, Py_ssize_t most) noexcept nogil:
    cdef Py_ssize_t count = 0
    while count < most and s + count < end and is_digit(s[count]):
        count += 1
    return count


cdef inline int64_t fraction_ns(const uint8_t* s, Py_ssize_t count) noexcept nogil:
    cdef int64_t value = number(s, count)
    while count < 9:
        value *= 10
        count += 1
    return value


cdef int64_t seconds(int year, int month, int day, int hour, int minute, int second) noexcept nogil:
    """Since 1970; -1 for no date of the years whose nanoseconds fit into 64 bits."""
    cdef int longest
    if not (1970 <= year < 2262 and 1 <= month <= 12 and 1 <= day and hour < 24 and minute < 60 and second < 60):
        return -1
    longest = 30 + ((month + (month > 7)) & 1)
    if month == 2:
        longest = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    if day > longest:
        return -1
    # days since 1970 of a year that begins in March
    cdef int64_t shifted = year - (month <= 2)
    cdef int64_t era = shifted // 400
    cdef int64_t of_era = shifted - era * 400
    cdef int64_t of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    cdef int64_t days = era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
    return days * 86400 + hour * 3600 + minute * 60 + second


cdef bint is_date(const uint8_t* s) noexcept nogil:
    """Return whether ten bytes are ``dddd-dd-dd``."""
    return (s[4] == 45 and s[7] == 45 and is_digit(s[0]) and is_digit(s[1]) and is_digit(s[2]) and is_digit(s[3])
            and is_digit(s[5]) and is_digit(s[6]) and is_digit(s[8]) and is_digit(s[9]))


cdef bint is_clock(const uint8_t* s) noexcept nogil:
    """Return whether eight bytes are ``dd:dd:dd``."""
    return (s[2] == 58 and s[5] == 58 and is_digit(s[0]) and is_digit(s[1]) and is_digit(s[3]) and is_digit(s[4])
            and is_digit(s[6]) and is_digit(s[7]))


cdef int64_t moment(const uint8_t* date, const uint8_t* clock) noexcept nogil:
    return seconds(<int>number(date, 4), two_digits(date + 5), two_digits(date + 8),
                   two_digits(clock), two_digits(clock + 3), two_digits(clock + 6))


cdef int level_word(const uint8_t* s, const uint8_t* end, Py_ssize_t* length) noexcept nogil:
    """Return the level whose name begins here, UNKNOWN for none."""
    cdef uint8_t c
    if s >= end:
        return UNKNOWN
    c = s[0]
    if c == 73 and begins(s, end, b"INFO", 4):
        length[0] = 4
        return INFO
    if c == 87 and begins(s, end, b"WARN", 4):
        length[0] = 7 if begins(s, end, b"WARNING", 7) else 4
        return WARNING
    if c == 69 and begins(s, end, b"ERROR", 5):
        length[0] = 5
        return ERROR
    if c == 68 and begins(s, end, b"DEBUG", 5):
        length[0] = 5
        return DEBUG
    if c == 67 and begins(s, end, b"CRITICAL", 8):
        length[0] = 8
        return CRITICAL
    if c == 70 and begins(s, end, b"FATAL", 5):
        length[0] = 5
        return CRITICAL
    return UNKNOWN


cdef int find_level(const uint8_t* s, const uint8_t* end, const uint8_t** word, Py_ssize_t* length) noexcept nogil:
    """Return the first level that is a word of its own."""
    cdef const uint8_t* at = s
    cdef int level
    while at < end:
        if 65 <= at[0] <= 90 and (at == s or not is_word(at[-1])):
            level = level_word(at, end, length)
            if level != UNKNOWN and (at + length[0] == end or not is_word(at[length[0]])):
                word[0] = at
                return level
        at += 1
    return UNKNOWN


cdef bint mindspore(const uint8_t* s, const uint8_t* end, Head* head) noexcept nogil:
    cdef Py_ssize_t length = 0, first, second
    cdef int level = level_word(s + 1, end, &length)
    cdef const uint8_t* at = s + 1 + length
    cdef const uint8_t* module
    cdef const uint8_t* close
    cdef int64_t time_s
    cdef uint8_t[9] fraction
    if level == UNKNOWN or not begins(at, end, b"] ", 2):
        return False
    module = at = at + 2
    while at < end and is_word(at[0]):
        at += 1
    head.module, head.module_length = module, at - module
    if at == module or at >= end or at[0] != 40:
        return False
    close = <const uint8_t*>memchr(at, 41, end - at)
    if close == NULL or end - close < 23 or close[1] != 58 or not is_date(close + 2):
        return False
    at = close + 12
    if at[0] != 45 or not is_clock(at + 1) or at[9] != 46:
        return False
    time_s = moment(close + 2, at + 1)
    at += 10
    first = digits(at, end, 6)
    if first == 0 or time_s < 0:
        return False
    for length in range(first):
        fraction[length] = at[length]
    at += first
    if at < end and at[0] == 46:
        second = digits(at + 1, end, 3)
        for length in range(second):
            fraction[first + length] = at[1 + length]
        first += second
        at += 1 + digits(at + 1, end, 9)
    head.level, head.takes_lines = level, True
    # Python code cuts the microseconds in two without zeros before them: 5123 is written 512.3
    head.time_ns = time_s * SECOND_NS + number(fraction, min(first, 6)) * 1000
    head.has_time = True
    head.text = at + (at < end and at[0] == 32)
    return True


cdef int letter_level(uint8_t c) noexcept nogil:
    if c == 86 or c == 68:
        return DEBUG
    if c == 73:
        return INFO
    if c == 87:
        return WARNING
    if c == 69:
        return ERROR
    return CRITICAL if c == 70 or c == 67 else UNKNOWN


cdef bint glog(const uint8_t* s, const uint8_t* end, int year, Head* head) noexcept nogil:
    cdef const uint8_t* at = s + (s[0] == 91)
    cdef const uint8_t* after
    cdef Py_ssize_t count
    cdef int64_t time_s
    cdef int level = UNKNOWN if at >= end else letter_level(at[0])
    if level == UNKNOWN:
        return False
    at += 1
    count = digits(at, end, 9)
    if count == 8:
        year = <int>number(at, 4)
        at += 4
    elif count != 4:
        return False
    if end - at < 18 or at[4] != 32 or not is_clock(at + 5) or at[13] != 46:
        return False
    time_s = seconds(year, two_digits(at), two_digits(at + 2), two_digits(at + 5), two_digits(at + 8),
                     two_digits(at + 11))
    at += 14
    count = digits(at, end, 9)
    if count < 3 or time_s < 0:
        return False
    head.time_ns = time_s * SECOND_NS + fraction_ns(at, count)
    after = at = at + count
    while at < end and at[0] == 32:
        at += 1
    count = digits(at, end, LONGEST_HEAD)
    if count and at + count < end and at[count] == 32:
        after = at + count
    if after >= end or after[0] != 32:
        return False
    head.module = head.text = at = after + 1
    while at < end and not is_space(at[0]) and at[0] != 93:
        at += 1
    if at >= end or at[0] != 93 or at == head.module:
        return False
    head.module_length = at - head.module
    while at > head.module + 1:
        at -= 1
        if at[0] == 58:
            head.module_length = at - head.module
            break
    head.level, head.has_time = level, True
    return True


cdef bint basic(const uint8_t* s, const uint8_t* end, Head* head) noexcept nogil:
    cdef Py_ssize_t length = 0
    cdef int level = level_word(s, end, &length)
    cdef const uint8_t* at = s + length
    if level == UNKNOWN or at >= end or at[0] != 58:
        return False
    head.module = at = at + 1
    while at < end and (is_word(at[0]) or at[0] == 46):
        at += 1
    if at == head.module or at >= end or at[0] != 58:
        return False
    head.level, head.module_length, head.text = level, at - head.module, at + 1
    return True


cdef inline const uint8_t* skip_zone(const uint8_t* s, const uint8_t* end) noexcept nogil:
    """Return the end of a time zone: ``Z``, ``+0800`` or ``+08:00``; ``s`` without one."""
    cdef const uint8_t* at = s
    if at < end and at[0] == 90 and (at + 1 == end or not is_word(at[1])):
        return at + 1
    if at >= end or (at[0] != 43 and at[0] != 45) or digits(at + 1, end, 3) < 2:
        return s
    at += 3
    if at < end and at[0] == 58:
        at += 1
    return at + 2 if digits(at, end, 3) == 2 else s


cdef inline const uint8_t* skip_separators(
    const uint8_t* s, const uint8_t* end, const uint8_t* word, Py_ssize_t length
) noexcept nogil:
    """Return the end of the separator between fields of a head; the level at ``word`` is such a field."""
    cdef const uint8_t* at = s
    while at < end:
        if at == word:
            at += length
        elif is_space(at[0]) or at[0] == 93 or at[0] == 124 or at[0] == 58 or at[0] == 44:
            at += 1
        elif (at[0] == 45 and at + 1 < end and is_space(at[1])) or (at[0] == 91 and at + 1 == word):
            at += 1
        else:
            break
    return at


cdef inline bint is_delimited(const uint8_t* s, const uint8_t* end, const uint8_t* word) noexcept nogil:
    """Return whether the name that ends here is a field, not the first word of a message."""
    if s >= end:
        return False
    if s[0] == 58 or s[0] == 93 or s[0] == 124:
        return True
    while s < end and is_space(s[0]):
        s += 1
    return s < end and (
        s == word or s + 1 == word or s[0] == 124 or (s[0] == 45 and s + 1 < end and is_space(s[1]))
    )


cdef bint dated(const uint8_t* s, const uint8_t* end, Head* head) noexcept nogil:
    cdef const uint8_t* date = s
    cdef const uint8_t* last = min(s + DATE_WITHIN, end - 19)
    cdef const uint8_t* at
    cdef const uint8_t* word = NULL
    cdef Py_ssize_t length = 0, count
    cdef int64_t time_s
    cdef int level
    cdef bint is_path = False  # such as that of a module of Python
    while True:
        if date > last:
            return False
        if date[4] == 45 and is_date(date) and (date[10] == 32 or date[10] == 84) and is_clock(date + 11):
            break
        date += 1
    time_s = moment(date, date + 11)
    if time_s < 0:
        return False
    head.time_ns = time_s * SECOND_NS
    at = date + 19
    if at + 1 < end and (at[0] == 44 or at[0] == 46) and is_digit(at[1]):
        count = digits(at + 1, end, 9)
        head.time_ns += fraction_ns(at + 1, count)
        at += 1 + count
    level = find_level(s, date, &word, &length)
    if level == UNKNOWN:
        level = find_level(at, min(end, at + LEVEL_WITHIN), &word, &length)
    if level == UNKNOWN:
        while s < date:
            if s[0] != 91 and s[0] != 40 and s[0] != 32:
                return False
            s += 1
    head.module = head.text = at = skip_separators(skip_zone(at, end), end, word, length)
    head.level, head.has_time = level, True
    if at < end and at[0] == 91:
        head.module = at = at + 1
    if at >= end or not is_word(at[0]) or is_digit(at[0]):
        return True
    while at < end and at != word and (
        is_word(at[0]) or at[0] == 46 or ((at[0] == 45 or at[0] == 47) and at + 1 < end and is_word(at[1]))
    ):
        is_path = is_path or (at[0] == 46 and at + 1 < end and is_word(at[1]) and not is_digit(at[1]))
        at += 1
    if is_path or is_delimited(at, end, word):
        head.module_length = at - head.module
        head.text = skip_separators(at, end, word, length)
    return True


cdef const uint8_t* rank_prefix(const uint8_t* s, const uint8_t* end, Head* head) noexcept nogil:
    """Return the end of a prefix such as ``[rank3]: ``; ``s`` without one."""
    cdef const uint8_t* at = s
    cdef Py_ssize_t count
    if begins(s, end, b"[rank", 5):
        at += 5
    elif begins(s, end, b"[default", 8) or begins(s, end, b"[trainer", 8):
        at += 8
    else:
        return s
    count = digits(at, end, 10)
    if count == 0 or count > 9:
        return s
    head.rank = number(at, count)
    at += count
    if at < end and at[0] == 124:
        at += 1 + digits(at + 1, end, LONGEST_HEAD)
    if not begins(at, end, b"]:", 2):
        head.rank = -1
        return s
    at += 2
    return at + 1 if at < end and is_space(at[0]) else at


cdef const uint8_t* captured_text(const uint8_t* s, const uint8_t* end, Captured* found) noexcept nogil:
    """The text of a line of captured output, ``2026-11-26T20:41:31.123456+08:00 stdout F text``; ``s`` of another."""
    cdef const uint8_t* at = s + 20
    cdef Py_ssize_t count
    cdef int64_t time_s
    if end - s < SHORTEST_CAPTURED or not is_date(s) or s[10] != 84 or not is_clock(s + 11) or s[19] != 46:
        return s
    count = digits(at, end, 9)
    time_s = moment(s, s + 11)
    if count == 0 or time_s < 0:
        return s
    found.time_ns = time_s * SECOND_NS + fraction_ns(at, count)
    at += count
    at += 1 if at < end and at[0] == 90 else 6  # Z or +08:00
    if end - at < STREAM_NAME + 3 or not (begins(at, end, b" stdout ", 8) or begins(at, end, b" stderr ", 8)):
        return s
    found.stream = at + 1
    at += 8
    if at[0] != 70 and at[0] != 80:
        return s
    found.is_whole = at[0] == 70
    at += 1
    return at + 1 if at < end and at[0] == 32 else at


cdef Py_ssize_t slurm_program(const uint8_t* s, const uint8_t* end) noexcept nogil:
    """Return the length of the name of a Slurm program that begins a message here; 0 without one."""
    if begins(s, end, b"slurmstepd: ", 12):
        return 10
    return 4 if begins(s, end, b"srun: ", 6) else 0


cdef bint slurm(const uint8_t* s, const uint8_t* end, Head* head) noexcept nogil:
    cdef Py_ssize_t length = slurm_program(s, end)
    if length == 0:
        return False
    head.module, head.module_length, head.text = s, length, s + length + 2
    head.level = INFO
    if begins(head.text, end, b"error: ", 7):
        head.level, head.text = ERROR, head.text + 7
    return True


cdef const uint8_t* glued_message(const uint8_t* s, const uint8_t* end) noexcept nogil:
    """Find a message of Slurm after the last state of a progress bar, whose line has no end; NULL without one."""
    cdef const uint8_t* at = end
    if memchr(s, 13, end - s) == NULL:
        return NULL
    if at[-1] == 13:
        at -= 1
    while at > s and at[-1] != 13:
        at -= 1
    if at == s:
        return NULL
    end = min(end, at + LONGEST_STATE)
    while at < end:
        if at[0] == 115 and slurm_program(at, end) and not (97 <= (at[-1] | 32) <= 122):
            return at
        at += 1
    return NULL


cdef bint parse(const uint8_t* s, const uint8_t* end, int year, Head* head) noexcept nogil:
    """Return whether a line without its prefix has a head."""
    cdef Py_ssize_t length = end - s
    head.level, head.time_ns, head.module_length, head.takes_lines, head.has_time = UNKNOWN, 0, 0, False, False
    head.module = head.text = s
    if length == 0:
        return False
    if s[0] == 91 and mindspore(s, end, head):
        return True
    if (s[0] == 91 or letter_level(s[0]) != UNKNOWN) and (glog(s, end, year, head) or basic(s, end, head)):
        return True
    head.takes_lines = False
    if s[0] == 115 and slurm(s, end, head):
        return True
    return length >= 19 and dated(s, end, head)


def head_of(bytes line not None, int year):
    """Return the fields of ``line_heads.LineHead``; None without a head."""
    cdef Head head
    cdef const uint8_t* start = <const uint8_t*><char*>line
    cdef const uint8_t* end = start + min(len(line), <Py_ssize_t>LONGEST_HEAD)
    head.rank = -1
    cdef const uint8_t* text = rank_prefix(start, end, &head)
    if not parse(text, end, year, &head) and text == start:
        return None
    module = head.module[:min(head.module_length, LONGEST_MODULE)].decode("utf-8", "replace")
    length = len(line[: head.text - start].decode("utf-8", "replace"))
    return head.level, head.time_ns, module, head.rank, bool(head.takes_lines), length
