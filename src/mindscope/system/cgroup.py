# SPDX-License-Identifier: Apache-2.0
"""Limits of the container that the process runs in, as version 2 of Linux' control groups tells them.

Source: the kernel's documentation of cgroup v2: cpu.max, cpu.stat, memory.max, memory.current, memory.stat.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

CGROUP = Path("/sys/fs/cgroup")


class MemoryUse(NamedTuple):
    """Memory of a container in bytes; ``used`` is without the page cache that the kernel can drop."""

    used: int
    limit: int


def cpu_quota(root: Path = CGROUP) -> float | None:
    """Return how many processors the container may use; None without a limit."""
    quota, _, period = _text(root / "cpu.max").partition(" ")
    return int(quota) / int(period) if quota.isdecimal() and period.isdecimal() and int(period) else None


def cpu_seconds(root: Path = CGROUP) -> float | None:
    """Return the processor time that the container has used, in seconds; None where it is not told."""
    microseconds = _entries(root / "cpu.stat").get("usage_usec")
    return None if microseconds is None else microseconds / 1e6


def memory(root: Path = CGROUP) -> MemoryUse | None:
    """Return what the container uses; None without a limit."""
    limit, used = _text(root / "memory.max"), _text(root / "memory.current")
    if not (limit.isdecimal() and used.isdecimal() and int(limit)):
        return None
    droppable = _entries(root / "memory.stat").get("inactive_file", 0)
    return MemoryUse(max(0, int(used) - droppable), int(limit))


def _entries(path: Path) -> dict[str, int]:
    lines = (line.split() for line in _text(path).splitlines())
    return {line[0]: int(line[1]) for line in lines if len(line) == 2 and line[1].isdecimal()}


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
