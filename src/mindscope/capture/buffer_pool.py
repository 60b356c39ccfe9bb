# SPDX-License-Identifier: Apache-2.0
"""Buffer pool for array snapshots: page faults in new memory cost several times the copying."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, copy_array

_MIN_BYTES = 1 << 16  # below, the allocator itself reuses memory
MAX_POOL_BYTES = 64 << 20  # limit of all free buffers together


class BufferPool:
    """Reuses buffers of finished copies. Thread-safe: each operation on the lists is atomic."""

    def __init__(self) -> None:
        self._buffers: dict[int, list[NDArray[np.uint8]]] = {}  # by size, which is a power of two
        self._free_bytes = 0  # bytes in the lists; approximate, because threads update it without a lock

    def copy(self, array: Array) -> Array:
        """Return a C-ordered copy in native byte order; large ones reuse the memory of an earlier copy if possible."""
        if array.nbytes < _MIN_BYTES:
            return copy_array(array)
        native: Any = cast(Any, array.dtype).newbyteorder("=")
        copied = self.empty(array.nbytes).view(native).reshape(array.shape)
        np.copyto(copied, array)
        return copied

    def empty(self, size: int) -> NDArray[np.uint8]:
        """Return ``size`` uninitialized bytes."""
        return np.empty(size, np.uint8) if size < _MIN_BYTES else self._acquire(size)[:size]

    def release(self, array: Array) -> None:
        """Return the memory of a copy that is no longer used. Ignores arrays from elsewhere."""
        buffer = array
        while isinstance(buffer.base, np.ndarray):
            buffer = buffer.base
        size = buffer.nbytes
        if (
            buffer.dtype == np.uint8
            and buffer.ndim == 1
            and size in self._buffers
            and self._free_bytes + size <= MAX_POOL_BYTES
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
