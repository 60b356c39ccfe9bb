# SPDX-License-Identifier: Apache-2.0
"""Files of one rank in a directory of MindSpore's older profiler."""

from __future__ import annotations

import re
from pathlib import Path

_RANK = re.compile(r".*?_(\d{1,6})(?:_detail|_type|_detail_time)?\.(?:csv|txt|json)")
_INFORMATION = "profiler_info"
ASCEND = (
    "ascend_timeline_display", "output_op_compute_time", "aicore_intermediate", "output_timeline_data", "hccl_raw",
    "pynative_op_intermediate", "flops_", "output_data_preprocess_aicpu",
)  # fmt: skip
GPU = ("gpu_op_detail_info", "gpu_activity_data", "gpu_op_type_info", "dynamic_shape_info", "step_trace_profiling")
CPU = ("cpu_op_detail_info", "cpu_op_type_info")
OTHERS = (
    "step_trace_raw", "pipeline_profiling", "minddata_pipeline_raw", "minddata_pipeline_summary",
    "device_queue_profiling", "dataset_iterator_profiling", "memory_usage_details", "memory_usage_summary",
    "operator_memory", "parallel_strategy",
)  # fmt: skip
PREFIXES = (f"{_INFORMATION}_", *ASCEND, *GPU, *CPU, *OTHERS)


class RankFiles:
    """``NAME_{rank}.csv`` and its like, of one rank.

    Some versions name a few files by the device instead of the rank. Where a directory holds one rank only, files with
    the one other number belong to it.
    """

    def __init__(self, directory: Path, rank: int | None = None) -> None:
        """List the files of a rank, the smallest if none is given. Raises OSError if the directory can't be read."""
        self.directory = directory
        self._names = sorted(entry.name for entry in directory.iterdir() if entry.is_file())
        self.ranks = _ranks_of(self._names)
        """Ranks of which there are files."""
        self.rank = rank if rank is not None else self.ranks[0] if self.ranks else 0
        self._others = _other_number(self._names, self.rank) if len(self.ranks) <= 1 else None

    def find(self, *patterns: str) -> Path | None:
        """Return the file of the first pattern that is there; ``{}`` is the rank."""
        for number in (self.rank, self._others):
            for pattern in patterns if number is not None else ():
                name = pattern.format(number)
                if name in self._names:
                    return self.directory / name
        return None

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the name of a file that a pattern matches, whose last group is the rank; None without one."""
        matches = [match for name in self._names if (match := pattern.fullmatch(name))]
        return next((each for each in matches if int(each.groups()[-1]) in (self.rank, self._others)), None)

    def has(self, *starts: str) -> bool:
        """Return whether the name of a file of the rank, or of one without a rank, starts so."""
        return any(
            name.startswith(starts) and _number_of(name) in (None, self.rank, self._others) for name in self._names
        )


def ranks_of(directory: Path) -> list[int]:
    """Return the ranks of which a directory holds files. Raises OSError."""
    return _ranks_of(sorted(entry.name for entry in directory.iterdir() if entry.is_file()))


def _ranks_of(names: list[str]) -> list[int]:
    """Return the ranks of ``profiler_info`` and the tables; those of other files only where nothing else names one."""
    named, tables = _numbers(names, f"{_INFORMATION}_"), _numbers(names, *ASCEND, *GPU, *CPU, *OTHERS)
    if len(named) == 1 and len(tables) == 1:
        return sorted(named)  # the tables have the number of the device
    return sorted(named | tables or _numbers(names, ""))


def _other_number(names: list[str], rank: int) -> int | None:
    """Return the one number beside the rank that files have; None without one, or with several."""
    found = _numbers(names, "") - {rank}
    return found.pop() if len(found) == 1 else None


def _numbers(names: list[str], *starts: str) -> set[int]:
    return {number for name in names if name.startswith(starts) and (number := _number_of(name)) is not None}


def _number_of(name: str) -> int | None:
    match = _RANK.fullmatch(name)
    return int(match[1]) if match else None
