# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Strings that are kept once each, numbered in the order in which they came."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy

cdef enum:
    NONE = 0xFFFFFFFF        # index of a string that is not there

cdef struct Entry:
    uint64_t hash
    int64_t offset           # into the arena
    uint32_t size
    uint32_t index


cdef struct Interner:
    Entry *entries           # open addressing; an index of NONE is free
    size_t capacity
    size_t count
    uint8_t *arena
    int64_t arena_size
    int64_t arena_capacity


cdef inline uint64_t hash_of(const uint8_t *data, Py_ssize_t size) noexcept nogil:
    cdef uint64_t value = 0x9E3779B97F4A7C15ULL ^ <uint64_t>size, word
    while size >= 8:
        memcpy(&word, data, 8)
        value = (value ^ word) * 0xFF51AFD7ED558CCDULL
        value ^= value >> 32
        data += 8
        size -= 8
    if size > 0:
        word = 0
        memcpy(&word, data, size)
        value = (value ^ word) * 0xFF51AFD7ED558CCDULL
        value ^= value >> 32
    value *= 0xC4CEB9FE1A85EC53ULL
    return value ^ value >> 29


cdef inline int begin_strings(Interner *self) noexcept nogil:
    cdef size_t bucket
    self.capacity, self.count = 1024, 0
    self.arena, self.arena_size, self.arena_capacity = NULL, 0, 0
    self.entries = <Entry *>malloc(self.capacity * sizeof(Entry))
    if self.entries == NULL:
        return -1
    for bucket in range(self.capacity):
        self.entries[bucket].index = NONE
    return 0


cdef inline int _grow(Interner *self) noexcept nogil:
    cdef size_t capacity = self.capacity * 2, bucket, at
    cdef Entry *entries = <Entry *>malloc(capacity * sizeof(Entry))
    if entries == NULL:
        return -1
    for bucket in range(capacity):
        entries[bucket].index = NONE
    for bucket in range(self.capacity):
        if self.entries[bucket].index != NONE:
            at = self.entries[bucket].hash & (capacity - 1)
            while entries[at].index != NONE:
                at = (at + 1) & (capacity - 1)
            entries[at] = self.entries[bucket]
    free(self.entries)
    self.entries, self.capacity = entries, capacity
    return 0


cdef inline uint32_t intern(Interner *self, const uint8_t *data, Py_ssize_t size) noexcept nogil:
    """The index of a string, NONE without memory for it."""
    cdef uint64_t hash = hash_of(data, size)
    cdef size_t at = hash & (self.capacity - 1)
    cdef Entry *entry
    cdef int64_t wanted
    cdef uint8_t *arena
    while self.entries[at].index != NONE:
        entry = &self.entries[at]
        if entry.hash == hash and entry.size == size and memcmp(self.arena + entry.offset, data, size) == 0:
            return entry.index
        at = (at + 1) & (self.capacity - 1)
    wanted = self.arena_size + size
    if wanted > self.arena_capacity:
        wanted = max(2 * self.arena_capacity, wanted + 65536)
        arena = <uint8_t *>realloc(self.arena, wanted)
        if arena == NULL:
            return NONE
        self.arena, self.arena_capacity = arena, wanted
    memcpy(self.arena + self.arena_size, data, size)
    entry = &self.entries[at]
    entry.hash, entry.offset, entry.size, entry.index = hash, self.arena_size, <uint32_t>size, <uint32_t>self.count
    self.arena_size += size
    self.count += 1
    if 2 * self.count > self.capacity and _grow(self) != 0:
        return NONE
    return <uint32_t>(self.count - 1)


cdef inline void free_strings(Interner *self) noexcept nogil:
    free(self.entries)
    free(self.arena)


cdef inline list strings_of(const Interner *self):
    """The strings as bytes, by index."""
    cdef size_t bucket
    found = [b""] * self.count
    for bucket in range(self.capacity):
        if self.entries[bucket].index != NONE:
            found[self.entries[bucket].index] = PyBytes_FromStringAndSize(
                <const char *>self.arena + self.entries[bucket].offset, self.entries[bucket].size)
    return found
