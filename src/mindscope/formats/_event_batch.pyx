# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True
"""A batch of small events of TensorBoard's format: callers append records, the writer takes them all at once.

``add`` runs on the hot path of training loops, so it makes the whole record in C. Nothing here runs Python code while
the batch changes: the interpreter lock makes each call atomic, for threads and for signal handlers.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.long cimport PyLong_CheckExact
from libc.math cimport fabs, isinf
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from mindscope.formats._varints cimport put_varint, varint_size

cdef extern from "_crc32c.h" nogil:
    void crc32c_initialise()
    uint32_t crc32c_masked(const uint8_t *data, size_t length)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except? NULL
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    bint PyUnicode_CheckExact(object text)

cdef extern from *:
    """
    #include <time.h>
    static inline double seconds_since_1970(void) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    """
    double seconds_since_1970() nogil

crc32c_initialise()

cdef enum:
    HEADER = 12  # of a record, see _frames.pyx
    FOOTER = 4
    FIRST_CAPACITY = 1 << 10
    FULL = 64 << 10

BATCH_BYTES = FULL
"""Size at which a batch is full."""

cdef double FLOAT32_MAX = 3.4028235677973366e38
cdef bytes METADATA = b"\x4a\x0b\x0a\x09\x0a\x07scalars"  # Value.metadata{plugin_data{plugin_name}}


cdef class EventBatch:
    """Records of one file, in order. ``add`` and ``append`` return False once it is full or was taken."""

    cdef uint8_t *start
    cdef Py_ssize_t capacity
    cdef bint is_sealed
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t count
    cdef readonly int64_t last_step
    cdef readonly str directory

    def __cinit__(self, str directory=""):
        self.directory = directory

    def __dealloc__(self):
        free(self.start)

    def add(self, tag, value, step=None, wall_time=None, int form=0):
        """Append a scalar; returns False, without a change, for values that are not of the usual types.

        These are: text without lone surrogates, a float that float32 holds, an int or None, and a float or None, which
        means now. ``form`` is 0 for TensorBoard's ``simple_value``, 1 for a tensor of float32, 2 for one of float64.
        """
        cdef Py_ssize_t tag_size, value_size, summary_size, payload
        cdef const char *text
        cdef int overflow = 0
        cdef int64_t number = 0
        cdef double wide, now
        cdef float narrow
        cdef uint8_t *out
        if self.is_sealed or not PyUnicode_CheckExact(tag) or not PyFloat_Check(value):
            return False
        wide = PyFloat_AS_DOUBLE(value)
        if form != 2 and fabs(wide) >= FLOAT32_MAX and not isinf(wide):
            return False
        if step is not None:
            if not PyLong_CheckExact(step):
                return False
            number = PyLong_AsLongLongAndOverflow(step, &overflow)
            if overflow:
                return False
        if wall_time is None:
            now = seconds_since_1970()
        elif PyFloat_Check(wall_time):
            now = PyFloat_AS_DOUBLE(wall_time)
        else:
            return False
        try:
            text = PyUnicode_AsUTF8AndSize(tag, &tag_size)
        except UnicodeEncodeError:
            return False
        if tag_size == 0:
            return False
        value_size = 1 + varint_size(tag_size) + tag_size
        value_size += 5 if form == 0 else (10 if form == 1 else 14) + PyBytes_GET_SIZE(METADATA)
        summary_size = 1 + varint_size(value_size) + value_size
        payload = 10 + varint_size(<uint64_t>number) + 1 + varint_size(summary_size) + summary_size
        out = self._room(payload)
        if out is NULL:
            return False
        out[0] = 0x09  # Event.wall_time
        memcpy(out + 1, &now, 8)
        out[9] = 0x10  # Event.step
        out = put_varint(out + 10, <uint64_t>number)
        out[0] = 0x2A  # Event.summary
        out = put_varint(out + 1, summary_size)
        out[0] = 0x0A  # Summary.value
        out = put_varint(out + 1, value_size)
        out[0] = 0x0A  # Value.tag
        out = put_varint(out + 1, tag_size)
        memcpy(out, text, tag_size)
        out += tag_size
        narrow = <float>wide
        if form == 0:
            out[0] = 0x15  # Value.simple_value
            memcpy(out + 1, &narrow, 4)
        else:
            # Value.tensor{dtype, float_val or double_val of one number}
            out[0], out[1], out[2], out[3] = 0x42, 8 if form == 1 else 12, 0x08, form
            out[4], out[5] = 0x2A if form == 1 else 0x32, 4 if form == 1 else 8
            if form == 1:
                memcpy(out + 6, &narrow, 4)
            else:
                memcpy(out + 6, &wide, 8)
            out += 10 if form == 1 else 14
            memcpy(out, PyBytes_AS_STRING(METADATA), PyBytes_GET_SIZE(METADATA))
        self._finish(payload)
        self.count += 1
        self.last_step = number
        return True

    def append(self, bytes payload not None, int64_t step=0, Py_ssize_t count=1):
        """Append an encoded event that holds ``count`` values; returns whether it did."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef uint8_t *out
        if self.is_sealed:
            return False
        out = self._room(size)
        if out is NULL:
            return False
        memcpy(out, PyBytes_AS_STRING(payload), size)
        self._finish(size)
        self.count += count
        self.last_step = step
        return True

    def seal(self):
        """Append no more."""
        self.is_sealed = True

    def take(self):
        """Return all records, and append no more. A batch can be taken once."""
        self.is_sealed = True
        cdef bytes records = PyBytes_FromStringAndSize(<char *>self.start, self.size)
        free(self.start)
        self.start = NULL
        self.size = self.capacity = 0
        return records

    cdef uint8_t *_room(self, Py_ssize_t payload) noexcept:
        """Return where the payload goes; NULL, and seals the batch, if it is full or there is no memory."""
        cdef Py_ssize_t needed = self.size + HEADER + payload + FOOTER
        cdef Py_ssize_t capacity = self.capacity or FIRST_CAPACITY
        cdef uint8_t *start
        if self.size and needed > FULL:
            self.is_sealed = True
            return NULL
        if needed > self.capacity:
            while capacity < needed:
                capacity *= 2
            start = <uint8_t *>realloc(self.start, capacity)
            if start is NULL:
                self.is_sealed = True
                return NULL
            self.start, self.capacity = start, capacity
        return self.start + self.size + HEADER

    cdef void _finish(self, Py_ssize_t payload) noexcept:
        """Write the length and the checksums around the payload."""
        cdef uint8_t *record = self.start + self.size
        cdef uint64_t length = payload
        cdef uint32_t crc
        memcpy(record, &length, 8)
        crc = crc32c_masked(record, 8)
        memcpy(record + 8, &crc, 4)
        crc = crc32c_masked(record + HEADER, payload)
        memcpy(record + HEADER + payload, &crc, 4)
        self.size += HEADER + payload + FOOTER
