# SPDX-License-Identifier: Apache-2.0
"""The memory of a process and of its GPU over the last steps."""

from __future__ import annotations

import os
import pickle
import resource
import time
from collections import deque
from pathlib import Path
from typing import Any

import torch

COLUMNS = ("step", "seconds", "host_bytes", "cuda_allocated_bytes", "cuda_reserved_bytes", "cuda_peak_bytes")
"""Names of the columns: step, seconds since 1970, and bytes when the step began; those of CUDA empty without it."""
_MOST_STEPS = 1000
_STATM = Path("/proc/self/statm")


class LastMemory:
    """Keeps the memory of the last 1000 steps. Reading it waits for no device."""

    def __init__(self) -> None:
        self._rows: deque[tuple[Any, ...]] = deque(maxlen=_MOST_STEPS)

    def add(self, step: Any) -> None:
        """Add the memory at the begin of a step."""
        cuda: tuple[Any, ...] = ("", "", "")
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            cuda = torch.cuda.memory_allocated(), torch.cuda.memory_reserved(), torch.cuda.max_memory_allocated()
        self._rows.append((step, time.time(), host_bytes(), *cuda))

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Rows with the columns ``COLUMNS``, ascending by step."""
        return list(self._rows)


def host_bytes() -> int:
    """Return the memory of this process now; where the system does not say it, its peak."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def memory_snapshot() -> bytes | None:
    """Return the snapshot of CUDA's allocator, as the viewer reads it.

    It is None without CUDA, or if CUDA no longer answers.
    """
    if not (torch.cuda.is_available() and torch.cuda.is_initialized()):
        return None
    try:
        return pickle.dumps(torch.cuda.memory._snapshot())  # pyright: ignore[reportPrivateUsage]  # its documented name
    except RuntimeError:
        return None
