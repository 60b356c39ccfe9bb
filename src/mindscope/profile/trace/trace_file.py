# SPDX-License-Identifier: Apache-2.0
"""Finds which file of a profile holds the arguments of its slices."""

from __future__ import annotations

from pathlib import Path

from mindscope.artifacts.rank_path import without_rank

_PATTERNS = (
    "ASCEND_PROFILER_OUTPUT/trace_view.json",
    "ascend_timeline_display_*.json",
    "gpu_timeline_display_*.json",
    "timeline_display_*.json",
    "mindstudio_profiler_output/msprof_*.json",
    "device_*/timeline/msprof_*.json",
    "device_*/summary/msprof_*.json",
)


def trace_file_of(path: Path) -> Path | None:
    """Return the JSON trace: the file itself, or that of a directory or a rank in it.

    It is None where the trace is made of tables.

    Slices that are made of tables have no arguments, so that a file beside the tables does no harm.
    """
    path, rank = without_rank(path)
    if not path.is_dir():
        return path
    patterns = _PATTERNS if rank is None else [pattern.replace("display_*", f"display_{rank}") for pattern in _PATTERNS]
    return next((found for pattern in patterns if (found := newest(path, pattern))), None)


def newest(directory: Path, pattern: str) -> Path | None:
    """Return the last of files that differ in a stamp or number at their end; None without one."""
    paths = sorted(directory.glob(pattern), key=lambda file: (len(file.name), file.name))
    return paths[-1] if paths else None
