# SPDX-License-Identifier: Apache-2.0
"""Memory for columns, in pieces of large blocks: a fresh page costs more than the rows that are put into it."""

from __future__ import annotations

import contextlib
import mmap

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 32 << 20
SMALL_BYTES = 1 << 16
"""Less is for the usual allocator: a few rows must not keep a block in memory."""
ALIGNMENT = 64

Bytes = NDArray[np.uint8]


class BlockAllocator:
    """Gives pieces of a block, which is freed with the last of its pieces. For one thread at a time."""

    def __init__(self) -> None:
        self._rest = np.empty(0, np.uint8)  # what is left of the block

    def empty(self, size_bytes: int) -> Bytes:
        """A writable array of so many bytes."""
        if size_bytes < SMALL_BYTES:
            return np.empty(size_bytes, np.uint8)
        if self._rest.size < size_bytes:
            self._rest = _block(max(size_bytes, BLOCK_BYTES))
        piece, self._rest = self._rest[:size_bytes], self._rest[-(-size_bytes // ALIGNMENT) * ALIGNMENT :]
        return piece


def _block(size_bytes: int) -> Bytes:
    block = mmap.mmap(-1, size_bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a system without them takes its usual pages
            block.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(block, np.uint8)
