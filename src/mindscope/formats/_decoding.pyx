# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Decodes the protobuf wire encoding, with and without schemas.

Each read checks the end of the buffer first; the directives above only switch off Cython's duplicate check.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pyport cimport PY_SSIZE_T_MAX
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from mindscope.formats._schema cimport (
    BOOL, BYTES, DOUBLE, FIXED32, FIXED64, FLOAT, INT32, INT64, MAX_DEPTH, MESSAGE, STRING, UINT32, Field, Schema,
    wire_type_of)

import numpy as np

from mindscope.errors import WireError
from mindscope.formats._schema import DTYPES
from mindscope.reasons import Reason

cdef extern from "_fields.h" nogil:
    bint short_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)


cdef struct Cursor:
    const uint8_t *at
    const uint8_t *end
    const uint8_t *start
    Py_ssize_t *left  # how many further fields the message may have
    Py_ssize_t most


cdef object _cut(Cursor *cursor, str name, str what):
    return WireError(Reason("wire_broken", message=name, byte=cursor.at - cursor.start, what=what))


cdef inline int _count(Cursor *cursor, Py_ssize_t fields, str name) except -1:
    cursor.left[0] -= fields
    if cursor.left[0] < 0:
        raise WireError(Reason("wire_fields", message=name, most=cursor.most))
    return 0


cdef uint64_t _read_varint(Cursor *cursor, str name) except? 0xDEADBEEF:
    cdef uint64_t value
    if not short_varint(&cursor.at, cursor.end, &value):
        raise _cut(cursor, name, "the number is cut off or longer than ten bytes")
    return value


cdef Py_ssize_t _read_length(Cursor *cursor, str name) except -1:
    cdef uint64_t length = _read_varint(cursor, name)
    if length > <uint64_t>(cursor.end - cursor.at):
        raise _cut(cursor, name, f"the field is {length} bytes long, {cursor.end - cursor.at} are left")
    return <Py_ssize_t>length


cdef int _skip(Cursor *cursor, uint64_t key, str name, int depth) except -1:
    cdef int wire_type = key & 7
    cdef uint64_t inner
    if wire_type == 0:
        _read_varint(cursor, name)
    elif wire_type == 1 or wire_type == 5:
        if cursor.end - cursor.at < (8 if wire_type == 1 else 4):
            raise _cut(cursor, name, "a fixed number is cut off")
        cursor.at += 8 if wire_type == 1 else 4
    elif wire_type == 2:
        cursor.at += _read_length(cursor, name)
    elif wire_type == 3:
        if depth >= MAX_DEPTH:
            raise _cut(cursor, name, f"groups are nested deeper than {MAX_DEPTH}")
        while True:
            inner = _read_varint(cursor, name)
            if inner & 7 == 4:
                break
            _skip(cursor, inner, name, depth + 1)
    else:
        raise _cut(cursor, name, f"field {key >> 3} has wire type {wire_type}, want 0 to 3 or 5")
    return 0


cdef object _number(Cursor *cursor, int type, str name):
    """One number in its unpacked form."""
    cdef double f64
    cdef float f32
    cdef uint32_t u32
    cdef uint64_t u64
    if type == DOUBLE or type == FIXED64:
        if cursor.end - cursor.at < 8:
            raise _cut(cursor, name, "eight bytes are wanted")
        memcpy(&f64, cursor.at, 8)
        memcpy(&u64, cursor.at, 8)
        cursor.at += 8
        return f64 if type == DOUBLE else u64
    if type == FLOAT or type == FIXED32:
        if cursor.end - cursor.at < 4:
            raise _cut(cursor, name, "four bytes are wanted")
        memcpy(&f32, cursor.at, 4)
        memcpy(&u32, cursor.at, 4)
        cursor.at += 4
        return f32 if type == FLOAT else u32
    u64 = _read_varint(cursor, name)
    if type == INT32:
        return <int32_t><uint32_t>u64
    if type == INT64:
        return <int64_t>u64
    if type == UINT32:
        return <uint32_t>u64
    if type == BOOL:
        return u64 != 0
    return u64


cdef object _packed(Cursor *cursor, Py_ssize_t length, int type, str name):
    """Return the numbers of a packed run as a numpy array."""
    cdef Cursor inner = cursor[0]
    cdef Py_ssize_t count = 0, index
    cdef const uint8_t *at
    cdef int64_t[::1] wide
    cdef uint64_t value
    cdef bint good = True
    inner.end = cursor.at + length
    cdef int wire_type = wire_type_of(type)
    if wire_type != 0:
        if length % (8 if wire_type == 1 else 4):
            raise _cut(cursor, name, f"a packed run of {length} bytes holds no whole count of numbers")
        cursor.at = inner.end
        return np.frombuffer(PyBytes_FromStringAndSize(<char *>inner.at, length), dtype=DTYPES[type])
    for index in range(length):
        count += inner.at[index] < 0x80
    _count(cursor, count, name)
    numbers = np.empty(count, dtype=np.int64)
    wide = numbers
    for index in range(count):
        good = short_varint(&inner.at, inner.end, &value)
        if not good:
            break
        wide[index] = <int64_t>value
    if not good or inner.at != inner.end:
        raise _cut(&inner, name, "a packed number is cut off")
    cursor.at = inner.end
    if type == BOOL:
        return numbers != 0
    return numbers if type == INT64 else numbers.astype(DTYPES[type])


cdef str _text(Cursor *cursor, Py_ssize_t length):
    """Return the text of a string field; invalid UTF-8 bytes become \\xNN."""
    return PyUnicode_DecodeUTF8(<char *>cursor.at, length, b"backslashreplace")


cdef _add_packed(dict out, str name, object numbers):
    """Append packed numbers to the earlier ones: a list of arrays, or one array from an earlier part of the message."""
    runs = out.get(name)
    if isinstance(runs, list):
        runs.append(numbers)
    else:
        out[name] = [numbers] if runs is None else [runs, numbers]


cdef int _decode_field(Cursor *cursor, Field field, int wire_type, Schema schema, dict out, int depth) except -1:
    cdef Py_ssize_t length
    cdef Cursor inner = cursor[0]
    cdef str name = schema.name
    _count(cursor, 1, name)
    if field.type < STRING:
        if wire_type == 2:
            if not field.is_repeated:
                raise _cut(cursor, name, f"{field.name} is one number, found a run of bytes")
            length = _read_length(cursor, name)
            numbers = _packed(cursor, length, field.type, name)
            if field.is_packed:
                _add_packed(out, field.name, numbers)
            else:
                out.setdefault(field.name, []).extend(numbers.tolist())
            return 0
        if wire_type != wire_type_of(field.type):
            raise _cut(cursor, name, f"{field.name} has wire type {wire_type}, want {wire_type_of(field.type)}")
        value = _number(cursor, field.type, name)
        if field.is_packed:
            _add_packed(out, field.name, np.array([value], dtype=DTYPES[field.type]))
        elif field.is_repeated:
            out.setdefault(field.name, []).append(value)
        else:
            out[field.name] = value
        return 0
    if wire_type != 2:
        raise _cut(cursor, name, f"{field.name} has wire type {wire_type}, want 2")
    length = _read_length(cursor, name)
    if field.type == MESSAGE:
        inner.at, inner.end = cursor.at, cursor.at + length
        # the wire encoding merges repeated occurrences of a singular message field
        value = {} if field.is_repeated or field.is_map else out.get(field.name) or {}
        _decode_into(&inner, field.schema, <dict>value, depth + 1)
        if field.is_map:
            entry = field.schema.fields[1]
            out.setdefault(field.name, {})[value.get("key", _default(field.schema.fields[0]))] = (
                value["value"] if "value" in value else _default(entry))
            cursor.at += length
            return 0
    elif field.type == STRING:
        value = _text(cursor, length)
    else:
        value = PyBytes_FromStringAndSize(<char *>cursor.at, length)
    cursor.at += length
    if field.is_repeated:
        out.setdefault(field.name, []).append(value)
    else:
        out[field.name] = value
    return 0


cdef object _default(Field field):
    if field.type == MESSAGE:
        return {}
    if field.type == STRING:
        return ""
    if field.type == BYTES:
        return b""
    if field.type == BOOL:
        return False
    return 0.0 if field.type == DOUBLE or field.type == FLOAT else 0


cdef int _decode_into(Cursor *cursor, Schema schema, dict out, int depth) except -1:
    cdef uint64_t key
    cdef Field field
    cdef bint has_packed = False
    if depth > MAX_DEPTH:
        raise _cut(cursor, schema.name, f"messages are nested deeper than {MAX_DEPTH}")
    while cursor.at < cursor.end:
        key = _read_varint(cursor, schema.name)
        if key >> 3 == 0:
            raise _cut(cursor, schema.name, "field number 0 is invalid")
        field = <Field>schema.by_number.get(key >> 3)
        if field is None:
            _skip(cursor, key, schema.name, 0)
        else:
            has_packed = has_packed or field.is_packed
            _decode_field(cursor, field, key & 7, schema, out, depth)
    if has_packed:
        _join_packed(schema, out)
    return 0


cdef _join_packed(Schema schema, dict out):
    for field in schema.fields:
        if field.is_packed and isinstance(out.get(field.name), list):
            parts = out[field.name]
            out[field.name] = parts[0] if len(parts) == 1 else np.concatenate(parts)


def decode(Schema schema not None, const uint8_t[::1] data not None, Py_ssize_t most_fields=PY_SSIZE_T_MAX):
    """Return the message in ``data`` as a dict; absent fields have no key, unknown fields are skipped.

    Repeated fields are lists, packed numbers numpy arrays, maps dicts. Raises WireError with the byte at which ``data``
    breaks the encoding, and for more than ``most_fields`` fields, packed varints among them, with those of inner messages:
    an empty message of two bytes takes a hundred in memory.
    """
    cdef Py_ssize_t left = most_fields
    cdef Cursor cursor
    cursor.left, cursor.most = &left, most_fields
    cursor.start = &data[0] if data.shape[0] else NULL
    cursor.at = cursor.start
    cursor.end = cursor.start + data.shape[0]
    cdef dict out = {}
    _decode_into(&cursor, schema, out, 0)
    return out


def split(
    const uint8_t[::1] data not None, Py_ssize_t start, Py_ssize_t end, Py_ssize_t most_fields=PY_SSIZE_T_MAX
):
    """Return the fields in ``data[start:end]``, without a schema.

    One tuple each: ``(number, value, start, end)``; value is an unsigned int for a varint, a float for a fixed number, and
    None for a run of bytes, which is ``data[start:end]``. Raises WireError as ``decode``.
    """
    cdef Py_ssize_t left = most_fields
    cdef Cursor cursor
    cdef uint64_t key
    cdef Py_ssize_t length
    cdef list fields = []
    if start < 0 or end > data.shape[0] or start > end:
        raise WireError(f"span {start}:{end} is outside of the {data.shape[0]} bytes")
    if start == end:
        return fields
    cursor.left, cursor.most = &left, most_fields
    cursor.start = &data[0]
    cursor.at = cursor.start + start
    cursor.end = cursor.start + end
    while cursor.at < cursor.end:
        key = _read_varint(&cursor, "message")
        if key >> 3 == 0:
            raise _cut(&cursor, "message", "field number 0 is invalid")
        _count(&cursor, 1, "message")
        if key & 7 == 0:
            fields.append((key >> 3, _read_varint(&cursor, "message"), 0, 0))
        elif key & 7 == 1:
            fields.append((key >> 3, _number(&cursor, DOUBLE, "message"), 0, 0))
        elif key & 7 == 5:
            fields.append((key >> 3, _number(&cursor, FLOAT, "message"), 0, 0))
        elif key & 7 == 2:
            length = _read_length(&cursor, "message")
            fields.append((key >> 3, None, cursor.at - cursor.start, cursor.at - cursor.start + length))
            cursor.at += length
        else:
            _skip(&cursor, key, "message", 0)
    return fields
