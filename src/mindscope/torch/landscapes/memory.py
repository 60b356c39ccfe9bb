# SPDX-License-Identifier: Apache-2.0
"""Memory of devices, and of the C library."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch

from mindscope.store.free_memory import release_free_memory

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
_LARGEST = 1 << 30


def free_memory(device: torch.device) -> int:
    """Return bytes that are free on a device."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def kept_memory(device: torch.device) -> Generator[None]:
    """Let the C library keep what tensors on the CPU free: else each batch asks the kernel for new pages.

    Afterwards the library has the limits to which it would have raised its own by itself.
    """
    mallopt: Any = getattr(ctypes.CDLL(None), "mallopt", None) if device.type == "cpu" else None
    if mallopt is None:
        yield
        return
    mallopt(_MMAP_THRESHOLD, _LARGEST)
    mallopt(_TRIM_THRESHOLD, _LARGEST)
    try:
        yield
    finally:
        mallopt(_MMAP_THRESHOLD, 32 << 20)
        mallopt(_TRIM_THRESHOLD, 64 << 20)
        release_free_memory()
