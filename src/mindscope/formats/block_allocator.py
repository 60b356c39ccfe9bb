# SPDX-License-Identifier: Apache-2.0
"""Allocates memory for columns as pieces of large blocks: a page fault costs more than writing the rows of the page."""

from __future__ import annotations

import contextlib
import mmap

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 32 << 20
SMALL_BYTES = 1 << 16
"""numpy allocates smaller arrays: a few rows must not keep a whole block in memory."""
ALIGNMENT = 64

Bytes = NDArray[np.uint8]


class BlockAllocator:
    """Returns pieces of a block; freeing the last piece frees the block. Not thread-safe."""

    def __init__(self) -> None:
        self._rest = np.empty(0, np.uint8)  # the unused end of the block

    def empty(self, size_bytes: int) -> Bytes:
        """Return a writable array of ``size_bytes`` bytes."""
        if size_bytes < SMALL_BYTES:
            return np.empty(size_bytes, np.uint8)
        if self._rest.size < size_bytes:
            self._rest = _block(max(size_bytes, BLOCK_BYTES))
        piece, self._rest = self._rest[:size_bytes], self._rest[-(-size_bytes // ALIGNMENT) * ALIGNMENT :]
        return piece


def _block(size_bytes: int) -> Bytes:
    block = mmap.mmap(-1, size_bytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without huge pages uses normal ones
            block.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(block, np.uint8)
