# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Parses rows of cells, which a character separates, to numbers: any cell may be quoted, empty or a text."""

from cpython.exc cimport PyErr_Clear, PyErr_Occurred
from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np

cdef extern from "Python.h":
    double string_to_double "PyOS_string_to_double"(const char *s, char **endptr, void *overflow) noexcept

EMPTY, NUMBER, TEXT = 0, 1, 2

cdef double[23] POWERS = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
]


cdef inline bint is_digit(char c) noexcept nogil:
    return 48 <= c <= 57


cdef bint is_missing(const char *at, Py_ssize_t size) noexcept:
    """Return whether a cell is one of the words for no value."""
    if size == 2:
        return (at[0] | 32) == 110 and (at[1] | 32) == 97  # na
    if size == 3:
        return (at[0] | 32) == 110 and at[1] == 47 and (at[2] | 32) == 97  # n/a
    if size == 4:
        word = at[:4].lower()
        return word == b"null" or word == b"none"
    return False


cdef uint8_t parse_cell(const char *at, const char *end, double *number) noexcept:
    """Return the kind of a cell, and its number. A number is rounded once, as ``float`` does."""
    cdef uint64_t mantissa = 0
    cdef int digits = 0, exponent = 0, written = 0
    cdef bint is_negative = False, is_negative_exponent = False, has_digit = False
    cdef const char *here
    cdef char *stop = NULL
    cdef double value
    while at < end and (at[0] == 32 or at[0] == 9):
        at += 1
    while end > at and ((end - 1)[0] == 32 or (end - 1)[0] == 9):
        end -= 1
    if at == end:
        return 0
    here = at
    if here[0] == 45 or here[0] == 43:
        is_negative = here[0] == 45
        here += 1
    while here < end and is_digit(here[0]):
        has_digit = True
        if digits or here[0] != 48:
            digits += 1
        if digits <= 18:
            mantissa = mantissa * 10 + <uint64_t>(here[0] - 48)
        here += 1
    if here < end and here[0] == 46:
        here += 1
        while here < end and is_digit(here[0]):
            has_digit = True
            if digits or here[0] != 48:
                digits += 1
            if digits <= 18:
                mantissa = mantissa * 10 + <uint64_t>(here[0] - 48)
                exponent -= 1
            here += 1
    if has_digit and here + 1 < end and (here[0] | 32) == 101:
        here += 1
        if here[0] == 45 or here[0] == 43:
            is_negative_exponent = here[0] == 45
            here += 1
        if here == end:
            return 2
        while here < end and is_digit(here[0]) and written < 10000:
            written = written * 10 + (here[0] - 48)
            here += 1
        exponent += -written if is_negative_exponent else written
    if has_digit and here == end and digits <= 18 and mantissa < (<uint64_t>1 << 53) and -22 <= exponent <= 22:
        value = <double>mantissa
        value = value / POWERS[-exponent] if exponent < 0 else value * POWERS[exponent]
        number[0] = -value if is_negative else value
        return 1
    if not has_digit and is_missing(at, end - at):
        return 0
    if not has_digit and (at[0] | 32) != 110 and (at[0] | 32) != 105 and at[0] != 45 and at[0] != 43:
        return 2
    value = string_to_double(at, &stop, NULL)
    if PyErr_Occurred() != NULL:
        PyErr_Clear()
        return 2
    if stop != end:
        return 2
    number[0] = value
    return 1


def parse_rows(bytes data, int separator, Py_ssize_t columns, Py_ssize_t text_column, bint is_final, Py_ssize_t most_rows):
    """Return the cells of the rows in ``data``, which begins with a row.

    Args:
        separator: the character between cells.
        columns: the number of cells in a row; a row of another number is wrong.
        text_column: the column whose cells are wanted as texts too, -1 for none.
        is_final: whether a last row without an end of line counts.
        most_rows: where to stop.

    Returns:
        Numbers and kinds, each of shape (rows, columns); the byte of the beginning and of the end of each row's cell in
        ``text_column``, shape (rows, 2); by row its line from 0 on; wrong rows as (line, first byte, last byte, cells);
        the number of lines and of bytes that were read.
    """
    cdef const char *begin = data
    cdef const char *end = begin + len(data)
    cdef const char *at = begin
    cdef const char *row_begin
    cdef const char *cell_end
    cdef const char *cell
    cdef Py_ssize_t row = 0, column, line = 0, row_line, capacity
    cdef bint is_ended, is_quoted
    cdef double number
    cdef uint8_t kind
    capacity = min(most_rows, data.count(b"\n") + 1)
    values = np.empty((capacity, columns), np.float64)
    kinds = np.empty((capacity, columns), np.uint8)
    spans = np.zeros((capacity, 2), np.int64)
    lines = np.empty(capacity, np.int64)
    cdef double[:, ::1] value_view = values
    cdef uint8_t[:, ::1] kind_view = kinds
    cdef int64_t[:, ::1] span_view = spans
    cdef int64_t[::1] line_view = lines
    wrong = []
    while at < end and row < capacity:
        row_begin, column, is_ended, row_line = at, 0, False, line
        while True:
            is_quoted = False
            if at < end and at[0] == 34:
                is_quoted = True
                at += 1
                cell = at
                while at < end and not (at[0] == 34 and not (at + 1 < end and at[1] == 34)):
                    if at[0] == 10:
                        line += 1
                    at += 2 if at[0] == 34 else 1
                if at > end:
                    at = end
                cell_end = at
                while at < end and at[0] != separator and at[0] != 10:
                    at += 1
            else:
                cell = at
                while at < end and at[0] != separator and at[0] != 10:
                    at += 1
                cell_end = at
                if at > cell and (at - 1)[0] == 13 and (at == end or at[0] == 10):
                    cell_end -= 1
            if column < columns:
                number = 0.0
                kind = parse_cell(cell, cell_end, &number)
                value_view[row, column], kind_view[row, column] = number, kind
                if column == text_column:
                    span_view[row, 0], span_view[row, 1] = cell - begin, cell_end - begin
            column += 1
            if at >= end:
                break
            at += 1
            if (at - 1)[0] == 10:
                is_ended = True
                break
        if not is_ended and not is_final:
            at, line = row_begin, row_line
            break
        line += 1
        if column == columns:
            line_view[row] = row_line
            row += 1
        elif column > 1 or cell_end > cell or is_quoted:
            wrong.append((row_line, row_begin - begin, at - begin, column))
    return values[:row], kinds[:row], spans[:row], lines[:row], wrong, line, at - begin
