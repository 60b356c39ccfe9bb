# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Rows of statistics in the memory of a CUDA device: compiled, because a step has hundreds of them."""

from libc.stdint cimport int64_t, uintptr_t

import numpy as np
import torch

from mindscope.stats._tensor_statistics import mix
from mindscope.torch.debugging.cuda_kernels import COLUMNS, KINDS, CudaError

ctypedef int (*LaunchKernel)(
    void *function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
    unsigned int block_y, unsigned int block_z, unsigned int shared, void *stream, void **arguments, void **extra
) noexcept nogil
ctypedef int (*IsCapturing)(void *stream, int *status) noexcept nogil

cdef enum:
    THREADS = 256  # of a block
    ELEMENTS = 4096  # of a block at least: fewer are not worth one
    ROWS = 256  # that are allocated at a time
    FLOAT_KINDS = 4
    MOST_KINDS = 16

cdef uintptr_t ROW_BYTES = 8 * COLUMNS


cdef class Lane:
    """The rows of one stream, whose kernels run one after the other."""

    cdef uintptr_t stream, next, end, parts, ticket
    cdef list chunks, rows


cdef class CudaRows:
    """The rows of one step on a device, each written by one kernel. Nothing in here waits for the device.

    Args:
        device: with a number.
        kernels: ``CudaKernels`` of this device.
    """

    cdef object device, kernels, stream_of, current_device
    cdef int index
    cdef unsigned int most_blocks
    cdef LaunchKernel launch
    cdef IsCapturing capturing
    cdef dict lanes, addresses
    cdef Lane last
    cdef uintptr_t statistics[MOST_KINDS]
    cdef uintptr_t updates[FLOAT_KINDS]

    def __cinit__(self, device, kernels):
        cdef int kind
        for kind in range(MOST_KINDS):
            self.statistics[kind] = 0
        for kind in range(FLOAT_KINDS):
            self.updates[kind] = 0

    def __init__(self, device, kernels):
        self.device, self.kernels, self.index = device, kernels, device.index
        self.stream_of, self.current_device = torch._C._cuda_getCurrentRawStream, torch._C._cuda_getDevice
        self.most_blocks = kernels.most_blocks
        self.launch = <LaunchKernel> <uintptr_t> kernels.launch
        self.capturing = <IsCapturing> <uintptr_t> kernels.is_capturing
        self.lanes, self.addresses, self.last = {}, {}, None

    @property
    def is_empty(self):
        """Return whether there are no rows."""
        return not self.addresses

    def summarize(self, Py_ssize_t row, tensor, element):
        """Write the statistics of a contiguous tensor into a row; False if it needs another way. Raises CudaError."""
        kind = KINDS.get(tensor.dtype)
        if kind is None:
            return False
        return self.summarize_memory(row, kind, tensor.data_ptr(), tensor.numel(), element.near_max, element.tiny)

    cpdef bint summarize_memory(
        self, Py_ssize_t row, int kind, uintptr_t data, int64_t count, double near_max, double tiny
    ) except -1:
        """Summarize ``count`` elements at an address."""
        cdef Lane lane = self.lane()
        if lane is None or not 0 <= kind < MOST_KINDS:
            return False
        if lane.next == lane.end:
            self.allocate(lane)
        if self.statistics[kind] == 0:
            self.statistics[kind] = self.kernels.function("mindscope_statistics", kind)
        cdef void *arguments[7]
        arguments[0], arguments[1], arguments[2], arguments[3] = &data, &count, &near_max, &tiny
        arguments[4], arguments[5], arguments[6] = &lane.next, &lane.parts, &lane.ticket
        self.run(self.statistics[kind], count, lane, arguments)
        lane.rows.append(row)
        self.addresses[row] = lane.next
        lane.next += ROW_BYTES
        return True

    def update(self, Py_ssize_t row, now, before):
        """Add the means of |now - before| and |before| to the row of a parameter; False if it needs another way."""
        kind, address = KINDS.get(now.dtype), self.addresses.get(row)
        cdef Lane lane = self.lane()
        if kind is None or kind >= FLOAT_KINDS or address is None or lane is None or before.dtype is not now.dtype:
            return False
        cdef int of = kind
        if self.updates[of] == 0:
            self.updates[of] = self.kernels.function("mindscope_update", kind)
        cdef uintptr_t new = now.data_ptr(), old = before.data_ptr(), to = address
        cdef int64_t count = now.numel()
        cdef void *arguments[6]
        arguments[0], arguments[1], arguments[2] = &new, &old, &count
        arguments[3], arguments[4], arguments[5] = &to, &lane.parts, &lane.ticket
        self.run(self.updates[of], count, lane, arguments)
        return True

    cdef int run(self, uintptr_t function, int64_t count, Lane lane, void **arguments) except -1:
        cdef int64_t wanted = count // ELEMENTS
        cdef unsigned int blocks = self.most_blocks if wanted > self.most_blocks else <unsigned int> max(wanted, 1)
        cdef int status
        with nogil:  # a full queue of the device makes this wait
            status = self.launch(
                <void *> function, blocks, 1, 1, THREADS, 1, 1, 0, <void *> lane.stream, arguments, NULL
            )
        if status:
            raise CudaError(f"cuLaunchKernel returned {status}")
        return 0

    cdef Lane lane(self):
        """Of the stream on which operators of this device run now; None if nothing may be launched there."""
        cdef uintptr_t stream = self.stream_of(self.index)
        cdef int status = 0
        if self.capturing(<void *> stream, &status) != 0 or status != 0 or self.current_device() != self.index:
            return None  # what is launched while a graph is captured would run with the graph
        if self.last is None or self.last.stream != stream:
            self.last = self.lanes.get(stream) or self.new_lane(stream)
        return self.last

    cdef Lane new_lane(self, uintptr_t stream):
        cdef Lane lane = Lane.__new__(Lane)
        lane.stream, lane.next, lane.end = stream, 0, 0
        lane.parts, lane.ticket = self.kernels.scratch(stream)
        lane.chunks, lane.rows = [], []
        self.lanes[stream] = lane
        return lane

    cdef allocate(self, Lane lane):
        chunk = torch.empty(ROWS, COLUMNS, dtype=torch.float64, device=self.device)
        lane.chunks.append(chunk)
        lane.next = chunk.data_ptr()
        lane.end = lane.next + ROWS * ROW_BYTES

    def gathered(self):
        """All rows in the order of ``write``, for a copy by the current stream. Shape (rows, fields and hash)."""
        cdef Lane lane
        current = torch.cuda.current_stream(self.device)
        parts = []
        for lane in self.lanes.values():
            if lane.rows:
                if lane.stream != <uintptr_t> current.cuda_stream:
                    current.wait_stream(torch.cuda.ExternalStream(lane.stream, self.device))
                parts.append(torch.cat(lane.chunks)[: len(lane.rows)])
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def write(self, copied, values, digest):
        """Write what ``gathered`` gave, in the memory of the processor now, into rows of all devices."""
        cdef Lane lane
        rows = [row for lane in self.lanes.values() for row in lane.rows]
        values[rows] = copied[:, :-1]
        hashes = np.ascontiguousarray(copied[:, -1]).view(np.uint64)
        digest[rows] = [mix(hash_, int(count)) for hash_, count in zip(hashes.tolist(), copied[:, 0].tolist())]
