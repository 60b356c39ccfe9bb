# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False
"""Schema declarations for the codec. See ``_schema.pyx``."""

from libc.stdint cimport uint32_t

cdef enum:
    MAX_DEPTH = 100  # nesting limit of messages, the same as in other protobuf readers

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


cdef class Field:
    cdef readonly str name
    cdef readonly uint32_t number
    cdef int type
    cdef readonly bint is_repeated    # a list; with is_packed a numpy array
    cdef readonly bint is_packed      # numbers of a repeated field written as one run of bytes
    cdef readonly bint is_map         # a dict; ``schema`` is that of the entry {1 key, 2 value}
    cdef readonly bint is_required    # writing a message without it is an error
    cdef public Schema schema         # of a message field or of a map's entry, else None
    cdef readonly str type_name


cdef class Schema:
    cdef readonly str name
    cdef readonly list fields
    cdef dict by_number
    cdef dict by_name


cdef inline int wire_type_of(int type) noexcept:
    if type == DOUBLE or type == FIXED64:
        return 1
    if type == FLOAT or type == FIXED32:
        return 5
    if type >= STRING:
        return 2
    return 0
