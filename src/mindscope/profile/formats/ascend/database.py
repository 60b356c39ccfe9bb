# SPDX-License-Identifier: Apache-2.0
"""Databases that MindSpore and torch_npu write with ``export_type=db``: alone, or in the directory of a profile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.profile.formats.ascend.communication import AscendOperation, communication_table, links_table
from mindscope.profile.formats.ascend.database_parts import own_parts
from mindscope.profile.formats.ascend.database_tables import (
    link_operations_of_tables,
    memory_of_tables,
    operations_of_tables,
    steps_of_tables,
)
from mindscope.profile.formats.ascend.database_trace import DatabaseTrace, unread_tables
from mindscope.profile.formats.recording import TraceBuilder
from mindscope.profile.formats.sqlite_file import SqliteFile, open_sqlite, table_names
from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.profile_parts import profile_of
from mindscope.profile.model.profile_data import Device, Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory
from mindscope.profile.tables.steps import Steps
from mindscope.reasons import Reason

_MAIN = re.compile(r"(?:ascend_(?:mindspore|pytorch)_profiler|msprof)(?:_(\d{1,9}))?.*\.db", re.ASCII)
_ANALYSES = ("analysis.db", "communication_analyzer.db")
_TABLES = frozenset(
    ("TASK", "CANN_API", "PYTORCH_API", "COMMUNICATION_OP", "MEMORY_RECORD", "OP_MEMORY", "STEP_TIME", "StepTraceTime",
     "CommAnalyzerTime", "CommAnalyzerMatrix")
)  # fmt: skip
_EPOCH_FROM = 10**17
"""Stamps from here on count from 1970."""


@dataclass(slots=True)
class _Tables:
    """The tables that the analysis of Ascend computed, in one or several files; times since 1970."""

    memory: Memory | None = None
    steps: Steps | None = None
    communication: Sequence[AscendOperation] = ()
    links: Sequence[AscendOperation] = ()

    def read(self, file: SqliteFile) -> None:
        """Adds the tables of a file that no file before it has."""
        self.memory = self.memory or memory_of_tables(file)
        self.steps = steps_of_tables(file) if self.steps is None else self.steps
        self.communication = self.communication or operations_of_tables(file)
        self.links = self.links or link_operations_of_tables(file)

    def parts(self, rank: int, origin_ns: int) -> dict[Part, Any]:
        """Return the parts that are there, with times since the origin."""
        found: dict[Part, Any] = {
            Part.MEMORY: None if self.memory is None else _since(self.memory, origin_ns),
            Part.STEPS: self.steps,
            Part.COMMUNICATION: communication_table(self.communication, f"NPU {rank}", origin_ns),
            Part.LINKS: links_table(self.links),
        }
        return {part: value for part, value in found.items() if value is not None}


def is_ascend_database(path: Path) -> bool:
    """Return whether a file is a database of Ascend; beside the main one, those of the analysis are parts of it.

    Raises OSError.
    """
    if not path.name.endswith(".db") or not _TABLES & table_names(path):
        return False
    return path.name not in _ANALYSES or _main_database(path.parent) is None


def read_directory(directory: Path, problems: Problems, origin_ns: int | None) -> Profile | None:
    """Return the profile of the databases in a directory; None without any that can be read, which is noted.

    Args:
        directory: ``ASCEND_PROFILER_OUTPUT``.
        problems: grows.
        origin_ns: nanoseconds since 1970 of the time 0; None for the first event.
    """
    analyses = (directory / name for name in _ANALYSES)
    first = _main_database(directory) or next((file for file in analyses if file.is_file()), None)
    return problems.read(first, lambda path: _profile(path, problems, origin_ns))


def _main_database(directory: Path) -> Path | None:
    """Return the database of a profiler, the first by its name; None without one."""
    return next((file for file in sorted(directory.glob("*.db")) if _MAIN.fullmatch(file.name)), None)


def _read(path: Path, on_progress: Progress) -> Profile:
    profile = _profile(path, Problems(), None)
    on_progress(path.stat().st_size)
    return profile


def _profile(path: Path, problems: Problems, origin_ns: int | None) -> Profile:
    """Raises FormatError, OSError."""
    recording, tables = TraceBuilder(), _Tables()
    with open_sqlite(path, problems) as file:
        if not _TABLES & file.tables.keys():
            raise FormatError(
                Reason(
                    "profile_tables_missing",
                    file=path.name,
                    source="Ascend PyTorch Profiler",
                    tables="TASK, StepTraceTime",
                )
            )
        DatabaseTrace(file, recording).read()
        tables.read(file)
        rank, properties = _rank_of(path, file), _properties(file)
    for name in _ANALYSES:
        other = path.with_name(name)
        if other.is_file() and other != path:
            problems.read(other, lambda each: _add(each, problems, tables))
    first = _first_time(recording, tables)
    origin = first if origin_ns is None else origin_ns
    epoch = 0 if origin >= _EPOCH_FROM else None
    trace, arguments = recording.trace(epoch, {**properties, "problems": problems}, origin)
    trace = replace(trace, arguments_format=ASCEND_DATABASE.name, arguments_path=str(path))
    has_events = len(trace.slices) > 0
    facts = ProfileFacts(
        name=path.stem,
        path=str(path),
        format=ASCEND_DATABASE.name,
        framework="mindspore" if "mindspore" in path.name else "torch" if "pytorch" in path.name else "",
        rank=rank,
        devices=[Device("CPU", "cpu"), *(Device(name, "npu", "Ascend") for name in _devices(trace.tracks, rank))],
        origin_ns=trace.origin_ns,
        properties=trace.properties,
    )
    analysis = KinetoAnalysis(trace, arguments, "ascend_database", "NPU")
    profile = profile_of(facts, analysis, own_parts(tables.parts(rank, origin)))
    return profile if has_events else profile.without_trace()


def _add(path: Path, problems: Problems, tables: _Tables) -> bool:
    with open_sqlite(path, problems) as file:
        tables.read(file)
    return True


def _rank_of(path: Path, file: SqliteFile) -> int:
    """Return the rank by the table of ranks, else by the name of the file."""
    named = [row.get("rankId") for row in file.named_rows("RANK_DEVICE_MAP")]
    rank = next((each for each in named if isinstance(each, int) and 0 <= each < 1 << 31), None)
    match = _MAIN.fullmatch(path.name)
    return rank if rank is not None else int(match[1] or 0) if match else 0


def _properties(file: SqliteFile) -> dict[str, Any]:
    return {
        "system": {str(row.get("name")): str(row.get("value")) for row in file.named_rows("META_DATA")},
        "host": next((str(row.get("hostName")) for row in file.named_rows("HOST_INFO")), ""),
        "unread_tables": unread_tables(file),
    }


def _devices(tracks: Any, rank: int) -> list[str]:
    """Return the devices that the tracks name; without any, that of the rank."""
    found = dict.fromkeys(track.process for track in tracks if track.process.startswith("NPU "))
    return list(found) or [f"NPU {rank}"]


def _first_time(recording: TraceBuilder, tables: _Tables) -> int:
    if recording.first_time is not None:
        return recording.first_time
    if tables.memory is not None and len(tables.memory.curve):
        return int(tables.memory.curve.time.min())
    return 0


def _since(memory: Memory, origin_ns: int) -> Memory:
    def since(times: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(times == UNKNOWN_TIME, UNKNOWN_TIME, times - origin_ns)

    blocks = memory.blocks
    return replace(
        memory,
        curve=replace(memory.curve, time=since(memory.curve.time)),
        blocks=blocks
        and replace(blocks, allocated_at=since(blocks.allocated_at), freed_at=since(blocks.freed_at)),
    )  # fmt: skip


ASCEND_DATABASE = Format("ascend_database", "Ascend database", is_ascend_database, _read)
