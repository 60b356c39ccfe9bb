# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""Encodes messages in the protobuf wire encoding, by schema."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from mindscope.formats._schema cimport (
    BOOL, DOUBLE, FIXED32, FIXED64, FLOAT, INT32, INT64, MAX_DEPTH, MESSAGE, STRING, UINT32, Field, Schema,
    wire_type_of)
from mindscope.formats._varints cimport put_varint

import numpy as np

from mindscope.errors import WireError
from mindscope.formats._schema import DTYPES


cdef bytes _varint_bytes(uint64_t value):
    cdef uint8_t buffer[10]
    cdef uint8_t *end = put_varint(buffer, value)
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
    cdef int wire_type = wire_type_of(field.type)
    if wire_type != 0:
        return np.ascontiguousarray(values, dtype=DTYPES[field.type]).tobytes()
    return b"".join([_number_bytes(schema, field, value) for value in _items(values)])


cdef object _items(object values):
    return values.tolist() if isinstance(values, np.ndarray) else values


cdef bytes _single_bytes(Schema schema, Field field, object value, int depth):
    """Return the bytes of one value, with a length prefix for types that have one."""
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
        key = _varint_bytes(field.number << 3 | wire_type_of(field.type))
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
    """Return the bytes of ``message``, fields in the order of the schema; None counts as absent.

    Raises WireError that names the field, the value and the accepted type.
    """
    return _encode(schema, message, 0)
