# SPDX-License-Identifier: Apache-2.0
"""Which of several processes this one is."""

from __future__ import annotations

from torch import distributed as processes


def get_rank() -> int:
    """The number of this process among those that train together; 0 where it is the only one."""
    return int(processes.get_rank()) if _is_on() else 0


def device_count() -> int:
    """How many processes train together."""
    return int(processes.get_world_size()) if _is_on() else 1


def parallel_mode() -> str:
    """``stand_alone`` or ``data_parallel``."""
    return "data_parallel" if device_count() > 1 else "stand_alone"


def _is_on() -> bool:
    return processes.is_available() and processes.is_initialized()
