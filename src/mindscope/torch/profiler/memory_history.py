# SPDX-License-Identifier: Apache-2.0
"""The history of CUDA's memory allocator, as PyTorch records it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import torch

from mindscope.torch.profiler.trace_files import MEMORY_HISTORY, make_directory, new_file

_log = logging.getLogger(__name__)


class MemoryHistory:
    """Records allocations with their stacks, the newest ``most_entries`` of each device.

    Does nothing, and logs it, if this machine has no CUDA device.
    """

    def __init__(self, most_entries: int) -> None:
        self._most_entries = most_entries
        self._is_on = False

    def start(self) -> None:
        """Start to record."""
        if not torch.cuda.is_available():
            _log.warning("memory_history needs a CUDA device, which is missing here; no history is recorded")
            return
        _record(enabled="all", context="all", stacks="python", max_entries=self._most_entries)
        self._is_on = True

    def save(self, directory: Path) -> Path | None:
        """Write the history and the present segments; None if nothing is recorded.

        Raises:
            OSError: it can't be written.
        """
        if not self._is_on:
            return None
        make_directory(directory)
        file = new_file(directory, MEMORY_HISTORY)
        unfinished = file.with_name(f"{file.name}.part")
        try:
            torch.cuda.memory._dump_snapshot(str(unfinished))  # pyright: ignore[reportPrivateUsage]
            unfinished.rename(file)
        finally:
            unfinished.unlink(missing_ok=True)
        return file

    def stop(self) -> None:
        """Stop, and forget what was recorded."""
        if self._is_on:
            self._is_on = False
            _record(enabled=None)


def _record(**arguments: Any) -> None:
    torch.cuda.memory._record_memory_history(**arguments)  # pyright: ignore[reportPrivateUsage]  # its documented name
