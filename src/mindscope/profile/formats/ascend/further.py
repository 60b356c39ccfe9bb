# SPDX-License-Identifier: Apache-2.0
"""Files of ``ASCEND_PROFILER_OUTPUT`` that are shown as they are: statistics, caches, samples of the hardware."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.csv_table import CsvTable, read_csv
from mindscope.profile.formats.further_csv import counters_of_table, further_table, samples_track
from mindscope.profile.tables.further_tables import FurtherTables
from mindscope.profile.trace.trace import Counter, Trace

_READ_ELSEWHERE = (
    "kernel_details", "operator_details", "step_trace_time", "memory_record", "operator_memory",
    "minddata_pipeline_raw", "minddata_pipeline_summary",
)  # fmt: skip
_WITH_TIMES = ("hbm", "hccs", "pcie", "nic", "roce", "soc_pmu", "npu_mem", "npu_module_mem", "sys_io", "ddr", "llc")
"""Starts of the names of tables whose rows are samples."""
_SLICE = re.compile(r"(.+)_slice_(\d+)")


class FurtherFiles:
    """All CSV files of a directory that no other part reads."""

    def __init__(self, directory: Path, problems: Problems) -> None:
        self._directory, self._problems = directory, problems

    def tables(self) -> FurtherTables:
        """Return the tables by the names of their files, those of slices joined."""
        found = {name: further_table(table) for name, table in self._csv_tables.items()}
        return FurtherTables({name: table for name, table in found.items() if table is not None})

    def with_counters(self, trace: Trace) -> Trace:
        """Return the trace, whose times are since 1970 with its origin taken off, with the samples of the hardware."""
        origin_ns = trace.origin_ns or 0
        end_ns = origin_ns + int((trace.slices.start + trace.slices.duration).max(initial=0))
        counters: list[Counter] = []
        tracks = list(trace.tracks)
        for name, table in self._csv_tables.items():
            if name.startswith(_WITH_TIMES):
                found = list(counters_of_table(name, table, len(tracks), (origin_ns, end_ns)))
                counters += found
                tracks += [samples_track(name)] if found else []
        return replace(trace, counters=[*trace.counters, *counters], tracks=tracks) if counters else trace

    @cached_property
    def _csv_tables(self) -> dict[str, CsvTable]:
        if not self._directory.is_dir():
            return {}
        names = {_bare_name(file) for file in self._directory.glob("*.csv")}
        wanted = sorted(name for name in names if not name.startswith(_READ_ELSEWHERE))
        found = {name: csv_of(self._directory, name, self._problems) for name in wanted}
        return {name: table for name, table in found.items() if table is not None}


def csv_of(directory: Path, name: str, problems: Problems) -> CsvTable | None:
    """Return a table, which may be cut into slices of a million rows; None without one."""
    whole = directory / f"{name}.csv"
    slices = [(int(found[2]), file) for file in directory.glob(f"{name}_slice_*.csv") if (found := _slice_of(file))]
    files = [whole] if whole.is_file() else [file for _, file in sorted(slices)]

    def read(path: Path) -> CsvTable:
        table = read_csv(*files)
        table.note_gaps(problems, path)
        return table

    return problems.read(files[0], read) if files else None


def _bare_name(file: Path) -> str:
    found = _slice_of(file)
    return found[1] if found else file.stem


def _slice_of(file: Path) -> re.Match[str] | None:
    return _SLICE.fullmatch(file.stem)
