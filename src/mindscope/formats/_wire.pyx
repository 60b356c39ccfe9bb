# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""The wire encoding of messages, over schemas.

Every read is checked against the end of the buffer before it is made; the directives above only switch off Cython's own
second check.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from mindscope.errors import WireError

cdef enum:
    MAX_DEPTH = 100  # nesting of messages, as in other readers of this encoding


# ---- the schema of a message ----------------------------------------------------------------------------------------

cdef enum Type:
    DOUBLE = 0
    FLOAT = 1
    INT32 = 2
    INT64 = 3
    UINT32 = 4
    UINT64 = 5
    BOOL = 6
    FIXED32 = 7
    FIXED64 = 8
    STRING = 9
    BYTES = 10
    MESSAGE = 11

_TYPES = {"double": DOUBLE, "float": FLOAT, "int32": INT32, "enum": INT32, "int64": INT64, "uint32": UINT32,
          "uint64": UINT64, "bool": BOOL, "fixed32": FIXED32, "fixed64": FIXED64, "string": STRING, "bytes": BYTES}
_DTYPES = {DOUBLE: "<f8", FLOAT: "<f4", INT32: "<i4", INT64: "<i8", UINT32: "<u4", UINT64: "<u8", BOOL: "?",
           FIXED32: "<u4", FIXED64: "<u8"}


cdef class Field:
    """One field of a message: its number, name and type, and how often it stands."""

    cdef readonly str name
    cdef readonly uint32_t number
    cdef int type
    cdef readonly bint is_repeated    # a list; with is_packed a numpy array
    cdef readonly bint is_packed      # numbers of a repeated field written as one run of bytes
    cdef readonly bint is_map         # a dict; ``schema`` is that of the entry {1 key, 2 value}
    cdef readonly bint is_required    # writing a message without it is an error
    cdef public Schema schema         # of a message field or of a map's entry, else None
    cdef readonly str type_name

    def __init__(self, str name, uint32_t number, str type_name, *, bint is_repeated=False, bint is_packed=False,
                 bint is_map=False, bint is_required=False):
        self.name = name
        self.number = number
        self.type_name = type_name
        self.type = _TYPES.get(type_name, MESSAGE)
        self.is_repeated = is_repeated
        self.is_packed = is_packed
        self.is_map = is_map
        self.is_required = is_required

    def __repr__(self):
        return f"Field({self.number} {self.type_name} {self.name})"


cdef class Schema:
    """The fields of one message."""

    cdef readonly str name
    cdef readonly list fields
    cdef dict by_number
    cdef dict by_name

    def __init__(self, str name, list fields):
        self.name = name
        self.fields = fields
        self.by_number = {field.number: field for field in fields}
        self.by_name = {field.name: field for field in fields}

    def __repr__(self):
        return f"Schema({self.name})"


# ---- decoding -------------------------------------------------------------------------------------------------------

cdef struct Cursor:
    const uint8_t *at
    const uint8_t *end
    const uint8_t *start


cdef object _cut(Cursor *cursor, str name, str what):
    return WireError(f"{name} at byte {cursor.at - cursor.start}: {what}")


cdef inline uint64_t _varint(Cursor *cursor, bint *good) noexcept nogil:
    cdef uint64_t value = 0
    cdef int shift = 0
    cdef uint8_t byte
    while cursor.at < cursor.end and shift < 70:
        byte = cursor.at[0]
        cursor.at += 1
        if shift < 64:
            value |= (<uint64_t>(byte & 0x7F)) << shift
        if byte < 0x80:
            good[0] = True
            return value
        shift += 7
    good[0] = False
    return 0


cdef uint64_t _read_varint(Cursor *cursor, str name) except? 0xDEADBEEF:
    cdef bint good
    cdef uint64_t value = _varint(cursor, &good)
    if not good:
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


cdef inline int _wire_type(int type) noexcept:
    if type == DOUBLE or type == FIXED64:
        return 1
    if type == FLOAT or type == FIXED32:
        return 5
    if type >= STRING:
        return 2
    return 0


cdef object _packed(Cursor *cursor, Py_ssize_t length, int type, str name):
    """The numbers of a packed run as a numpy array."""
    cdef Cursor inner
    cdef Py_ssize_t count = 0, index
    cdef const uint8_t *at
    cdef int64_t[::1] wide
    cdef bint good = True
    inner.start, inner.at, inner.end = cursor.start, cursor.at, cursor.at + length
    cdef int wire_type = _wire_type(type)
    if wire_type != 0:
        if length % (8 if wire_type == 1 else 4):
            raise _cut(cursor, name, f"a packed run of {length} bytes holds no whole count of numbers")
        cursor.at = inner.end
        return np.frombuffer(PyBytes_FromStringAndSize(<char *>inner.at, length), dtype=_DTYPES[type])
    for index in range(length):
        count += inner.at[index] < 0x80
    numbers = np.empty(count, dtype=np.int64)
    wide = numbers
    for index in range(count):
        wide[index] = <int64_t>_varint(&inner, &good)
        if not good:
            break
    if not good or inner.at != inner.end:
        raise _cut(&inner, name, "a packed number is cut off")
    cursor.at = inner.end
    if type == BOOL:
        return numbers != 0
    return numbers if type == INT64 else numbers.astype(_DTYPES[type])


cdef str _text(Cursor *cursor, Py_ssize_t length):
    """Text of a string field; bytes that are no UTF-8 stay visible as \\xNN."""
    return PyUnicode_DecodeUTF8(<char *>cursor.at, length, b"backslashreplace")


cdef _add_packed(dict out, str name, object numbers):
    """Add a run of numbers to those that are there: a list of runs, or an array where an earlier part of the message ended."""
    runs = out.get(name)
    if isinstance(runs, list):
        runs.append(numbers)
    else:
        out[name] = [numbers] if runs is None else [runs, numbers]


cdef int _decode_field(Cursor *cursor, Field field, int wire_type, Schema schema, dict out, int depth) except -1:
    cdef Py_ssize_t length
    cdef Cursor inner
    cdef str name = schema.name
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
        if wire_type != _wire_type(field.type):
            raise _cut(cursor, name, f"{field.name} has wire type {wire_type}, want {_wire_type(field.type)}")
        value = _number(cursor, field.type, name)
        if field.is_packed:
            _add_packed(out, field.name, np.array([value], dtype=_DTYPES[field.type]))
        elif field.is_repeated:
            out.setdefault(field.name, []).append(value)
        else:
            out[field.name] = value
        return 0
    if wire_type != 2:
        raise _cut(cursor, name, f"{field.name} has wire type {wire_type}, want 2")
    length = _read_length(cursor, name)
    if field.type == MESSAGE:
        inner.start, inner.at, inner.end = cursor.start, cursor.at, cursor.at + length
        # a field that stands once merges with an earlier part of itself, as the encoding says
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
            raise _cut(cursor, schema.name, "field number 0 stands for nothing")
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


def decode(Schema schema not None, const uint8_t[::1] data not None):
    """The message in ``data`` as a dict; fields that are absent are absent, unknown ones are passed over.

    Repeated fields are lists, packed numbers numpy arrays, maps dicts. Raises WireError with the byte where ``data`` breaks
    the encoding.
    """
    cdef Cursor cursor
    cursor.start = &data[0] if data.shape[0] else NULL
    cursor.at = cursor.start
    cursor.end = cursor.start + data.shape[0]
    cdef dict out = {}
    _decode_into(&cursor, schema, out, 0)
    return out


def split(const uint8_t[::1] data not None, Py_ssize_t start, Py_ssize_t end):
    """The fields that stand in ``data[start:end]``, without a schema.

    One tuple each: ``(number, value, start, end)``; value is an unsigned int for a varint, a float for a fixed number, and
    None for a run of bytes, which is ``data[start:end]``.
    """
    cdef Cursor cursor
    cdef uint64_t key
    cdef Py_ssize_t length
    cdef list fields = []
    if start < 0 or end > data.shape[0] or start > end:
        raise WireError(f"span {start}:{end} is outside of the {data.shape[0]} bytes")
    if start == end:
        return fields
    cursor.start = &data[0]
    cursor.at = cursor.start + start
    cursor.end = cursor.start + end
    while cursor.at < cursor.end:
        key = _read_varint(&cursor, "message")
        if key >> 3 == 0:
            raise _cut(&cursor, "message", "field number 0 stands for nothing")
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


# ---- encoding -------------------------------------------------------------------------------------------------------

cdef inline int _varint_size(uint64_t value) noexcept nogil:
    cdef int size = 1
    while value >= 0x80:
        value >>= 7
        size += 1
    return size


cdef inline uint8_t *_put_varint(uint8_t *out, uint64_t value) noexcept nogil:
    while value >= 0x80:
        out[0] = <uint8_t>(value | 0x80)
        out += 1
        value >>= 7
    out[0] = <uint8_t>value
    return out + 1


cdef bytes _varint_bytes(uint64_t value):
    cdef uint8_t buffer[10]
    cdef uint8_t *end = _put_varint(buffer, value)
    return PyBytes_FromStringAndSize(<char *>buffer, end - buffer)


cdef object _misfit(Schema schema, Field field, object value, object want):
    return WireError(f"{schema.name}.{field.name} is {type(value).__name__} {str(value)[:60]!r}, want {want}")


cdef bytes _number_bytes(Schema schema, Field field, object value):
    cdef double f64
    cdef float f32
    cdef uint32_t u32
    cdef uint64_t u64
    cdef int type = field.type
    try:
        if type == DOUBLE:
            f64 = value
            return PyBytes_FromStringAndSize(<char *>&f64, 8)
        if type == FLOAT:
            f32 = value
            return PyBytes_FromStringAndSize(<char *>&f32, 4)
        if type == BOOL:
            return b"\x01" if value else b"\x00"
        number = value.__index__()
        if type == FIXED32:
            u32 = number
            return PyBytes_FromStringAndSize(<char *>&u32, 4)
        if type == FIXED64:
            u64 = number
            return PyBytes_FromStringAndSize(<char *>&u64, 8)
        if type == INT32:
            return _varint_bytes(_signed(number, 31))
        if type == INT64:
            return _varint_bytes(_signed(number, 63))
        if type == UINT32:
            u32 = number
            return _varint_bytes(u32)
        u64 = number
        return _varint_bytes(u64)
    except (TypeError, AttributeError, OverflowError):
        raise _misfit(schema, field, value, f"a number that fits {field.type_name}") from None


cdef uint64_t _signed(object number, int bits) except? 0xDEADBEEF:
    cdef int64_t value = number
    if bits == 31 and (value > 2147483647 or value < -2147483648):
        raise OverflowError
    return <uint64_t>value


cdef bytes _packed_bytes(Schema schema, Field field, object values):
    cdef int wire_type = _wire_type(field.type)
    if wire_type != 0:
        return np.ascontiguousarray(values, dtype=_DTYPES[field.type]).tobytes()
    return b"".join([_number_bytes(schema, field, value) for value in _items(values)])


cdef object _items(object values):
    return values.tolist() if isinstance(values, np.ndarray) else values


cdef bytes _single_bytes(Schema schema, Field field, object value, int depth):
    """The bytes of one value, with the length before them where the type has one."""
    cdef bytes body
    if field.type < STRING:
        return _number_bytes(schema, field, value)
    if field.type == MESSAGE:
        if not isinstance(value, dict):
            raise _misfit(schema, field, value, f"a dict of {field.schema.name}'s fields")
        body = _encode(field.schema, <dict>value, depth + 1)
    elif field.type == STRING:
        if not isinstance(value, str):
            raise _misfit(schema, field, value, "str")
        body = value.encode("utf-8", "backslashreplace")
    else:
        try:
            body = bytes(memoryview(value))
        except TypeError:
            raise _misfit(schema, field, value, "bytes") from None
    return _varint_bytes(len(body)) + body


cdef bytes _encode(Schema schema, dict message, int depth):
    cdef Field field
    cdef list parts = []
    cdef bytes key
    if depth > MAX_DEPTH:
        raise WireError(f"{schema.name}: messages are nested deeper than {MAX_DEPTH}")
    for name in message:
        if name not in schema.by_name:
            raise WireError(f"{schema.name} has no field {name!r}, only {', '.join(schema.by_name)}")
    for field in schema.fields:
        value = message.get(field.name)
        if value is None:
            if field.is_required:
                raise WireError(f"{schema.name}.{field.name} is missing, every {schema.name} has one")
            continue
        key = _varint_bytes(field.number << 3 | _wire_type(field.type))
        if field.is_map:
            for entry in value.items():
                parts += (key, _single_bytes(schema, field, {"key": entry[0], "value": entry[1]}, depth))
        elif field.is_packed:
            body = _packed_bytes(schema, field, value)
            if body:
                parts += (_varint_bytes(field.number << 3 | 2), _varint_bytes(len(body)), body)
        elif field.is_repeated:
            for item in _items(value):
                parts += (key, _single_bytes(schema, field, item, depth))
        else:
            parts += (key, _single_bytes(schema, field, value, depth))
    return b"".join(parts)


def encode(Schema schema not None, dict message not None):
    """The bytes of ``message``, fields in the order of the schema; None counts as absent.

    Raises WireError that names the field, the value and what fits.
    """
    return _encode(schema, message, 0)
