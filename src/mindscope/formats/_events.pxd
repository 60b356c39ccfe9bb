# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""Declarations of the event column headers for ``_scan.pyx``; the headers document each item."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()

cdef extern from "_columns.h" nogil:
    ctypedef struct Column:
        uint8_t *data
        size_t length
    ctypedef struct References:
        Column tag, number, step, offset, length, wall_time

cdef extern from "_rows.h" nogil:
    ctypedef struct ScalarRows:
        int64_t first
        int64_t stride
        double *wide
        size_t count
    void rows_empty(ScalarRows *rows)
    bint rows_have_steps(const ScalarRows *rows)
    void rows_copy(const ScalarRows *rows, int64_t *steps, double *wall_times, void *values)

cdef extern from "_scalars.h" nogil:
    enum:
        SCALARS_END
        SCALARS_NO_MEMORY
        RECORD_HEADER
        RECORD_FOOTER
    ctypedef struct Scalars:
        int64_t records
        int64_t with_scalars
        double first_wall_time
        double last_wall_time
        int64_t last_step
    void scalars_forget(Scalars *scalars)

cdef extern from "_tags.h" nogil:
    ctypedef struct Tags:
        Column starts
        Column bytes
        int32_t count
    ScalarRows *tags_rows(const Tags *tags)

cdef extern from "_dialects.h" nogil:
    ctypedef struct Dialect:
        pass
    const Dialect DIALECT_MINDSPORE, DIALECT_LINEAGE, DIALECT_TENSORBOARD

cdef extern from "_found.h" nogil:
    enum:
        EVENT_FIELD_NUMBER "EVENT_FIELD"
        BROKEN_METADATA_NUMBER "BROKEN_METADATA"
        METADATA_KIND_NUMBER "METADATA_KIND"
        KIND_SCALAR
        KIND_FAILED
    ctypedef int32_t (*AskKind)(void *asker, int32_t tag, const uint8_t *metadata, size_t length) noexcept nogil
    ctypedef struct Found:
        Tags tags
        Scalars scalars
        References references
        Column odd_offset, odd_length
        int32_t batch, kinds_version
    void found_start(Found *found, const Dialect *dialect, AskKind ask, void *asker)
    void found_free(Found *found)

cdef extern from "_events.h" nogil:
    int events_scan(Found *found, const uint8_t *data, size_t end, int64_t base, size_t *position, uint64_t *length)
