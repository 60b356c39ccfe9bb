# SPDX-License-Identifier: Apache-2.0
"""Memory for copies of the caller's arrays, used again: new pages cost several times what the copying costs."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, copy_array

_MIN_BYTES = 1 << 16  # below, the allocator itself reuses memory
_MAX_POOL_BYTES = 64 << 20  # of all spare buffers together


class BufferPool:
    """Buffers of finished copies. Any thread may call the methods: each step on the lists is one operation."""

    def __init__(self) -> None:
        self._buffers: dict[int, list[NDArray[np.uint8]]] = {}  # by the power of two that is their size
        self._free_bytes = 0  # bytes in the lists, as far as threads that meet count right

    def copy(self, array: Array) -> Array:
        """A C-ordered copy in native byte order; for large ones in the memory of an earlier copy if one is there."""
        if array.nbytes < _MIN_BYTES:
            return copy_array(array)
        native: Any = cast(Any, array.dtype).newbyteorder("=")
        copied = self.empty(array.nbytes).view(native).reshape(array.shape)
        np.copyto(copied, array)
        return copied

    def empty(self, size: int) -> NDArray[np.uint8]:
        """So many bytes of any content."""
        return np.empty(size, np.uint8) if size < _MIN_BYTES else self._acquire(size)[:size]

    def release(self, array: Array) -> None:
        """Take back the memory of a copy that nobody looks at any more. Arrays from elsewhere are left alone."""
        buffer = array
        while isinstance(buffer.base, np.ndarray):
            buffer = buffer.base
        size = buffer.nbytes
        if (
            buffer.dtype == np.uint8
            and buffer.ndim == 1
            and size in self._buffers
            and self._free_bytes + size <= _MAX_POOL_BYTES
        ):
            self._free_bytes += size
            self._buffers[size].append(buffer)

    def _acquire(self, size: int) -> NDArray[np.uint8]:
        whole = 1 << (size - 1).bit_length()
        try:
            buffer = self._buffers.setdefault(whole, []).pop()
        except IndexError:
            return np.empty(whole, np.uint8)
        self._free_bytes -= whole
        return buffer
