# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""The schema of a message: names, numbers and types of its fields."""

from libc.stdint cimport uint32_t

_TYPES = {"double": DOUBLE, "float": FLOAT, "int32": INT32, "enum": INT32, "int64": INT64, "uint32": UINT32,
          "uint64": UINT64, "bool": BOOL, "fixed32": FIXED32, "fixed64": FIXED64, "string": STRING, "bytes": BYTES}
DTYPES = {DOUBLE: "<f8", FLOAT: "<f4", INT32: "<i4", INT64: "<i8", UINT32: "<u4", UINT64: "<u8", BOOL: "?",
          FIXED32: "<u4", FIXED64: "<u8"}
"""The numpy dtype of packed numbers, by the type of the field."""


cdef class Field:
    """One field of a message: its number, name, type and cardinality."""

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

    def __init__(self, str name, list fields):
        self.name = name
        self.fields = fields
        self.by_number = {field.number: field for field in fields}
        self.by_name = {field.name: field for field in fields}

    def __repr__(self):
        return f"Schema({self.name})"
