# SPDX-License-Identifier: Apache-2.0
"""Everything of a machine that has metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from mindscope.system.gpus.amd import AmdGpus
from mindscope.system.gpus.ascend import AscendNpus
from mindscope.system.gpus.nvidia import NvidiaGpus
from mindscope.system.machine import MachineMetrics


class Source(Protocol):
    """A part of the machine."""

    def read(self) -> dict[str, float]:
        """Return the metrics by name, without those that the machine does not tell."""
        ...


def open_sources(directory: Path) -> list[Source]:
    """Return the parts that are here; ``directory`` is on the disk whose space counts."""
    makers = (NvidiaGpus.find, AmdGpus.find, AscendNpus.find)
    return [MachineMetrics(directory), *(devices for find in makers if (devices := find()) is not None)]
