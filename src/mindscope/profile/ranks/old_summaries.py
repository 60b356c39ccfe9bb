# SPDX-License-Identifier: Apache-2.0
"""Files of many ranks of MindSpore before 2.3: ``*_cluster_analyse_*.csv``, ``hccl_raw_*.csv``, step traces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import CsvTable, read_csv
from mindscope.profile.formats.mindspore.cluster_analysis import CLUSTER_ANALYSIS, read_split, with_split
from mindscope.profile.formats.mindspore.links import links_of
from mindscope.profile.formats.mindspore.step_trace import communication_of, read_step_trace, steps_of
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.tables.communication import Communication
from mindscope.reasons import Reason
from mindscope.table.columns import TextColumn

_HCCL = re.compile(r"hccl_raw_(\d+)\.csv")
_STEP_TRACE = re.compile(r"step_trace_raw_(\d+)_detail_time\.csv")
_KIND = re.compile(r"(?:hcom_)?([A-Za-z]+)")
_MS = 1_000_000


def is_old_summary(name: str) -> bool:
    """Return whether a file may be one."""
    return any(each.fullmatch(name) for each in (CLUSTER_ANALYSIS, _HCCL, _STEP_TRACE))


def old_summaries(path: Path, names: list[str], problems: Problems) -> Iterator[RankData]:
    """Read the data of each rank that files in a directory are named by."""
    analysed = {int(match[4]): match for name in names if (match := CLUSTER_ANALYSIS.fullmatch(name))}
    hccl, traces = (
        {int(match[1]): name for name in names if (match := pattern.fullmatch(name))}
        for pattern in (_HCCL, _STEP_TRACE)
    )
    # Parts of steps mean different things in both files: all ranks come from the kind that covers more of them.
    is_analysed, is_traced = len(analysed) >= len(traces), len(traces) >= len(analysed)
    for rank in sorted({*analysed, *hccl, *traces}):
        split = _read(path, analysed[rank][0], problems, read_split) if is_analysed and rank in analysed else None
        trace = _read(path, traces[rank], problems, read_step_trace) if is_traced and rank in traces else None
        table = _read(path, hccl[rank], problems, _itself) if rank in hccl else None
        steps = None if trace is None else steps_of(trace, 0)
        if split is not None:
            steps = split.steps if steps is None else with_split(steps, split)
        communication = communication_of(trace, f"NPU {rank}", 0) if trace is not None else None
        if communication is None and table is not None:
            communication = problems.read(path / hccl[rank], lambda _, table=table, rank=rank: _operations(table, rank))
        yield RankData(
            rank=rank, name=f"rank {rank}", path=str(path), steps=steps, communication=communication,
            links=None
            if table is None
            else problems.read(path / hccl[rank], lambda _, table=table, rank=rank: links_of(table, rank)),
            receive=None if split is None else split.receive,
            world_size=int(analysed[rank][3]) if rank in analysed else 0,
            stages=int(analysed[rank][2]) if rank in analysed else 0,
        )  # fmt: skip


def _operations(table: CsvTable, rank: int) -> Communication | None:
    """Return the operations of each step of ``hccl_raw``, of which only durations are known; None in old files."""
    steps, cells = table.cells("step_num") or [], table.cells("communication_operator_cost") or []
    found = [
        (int(step), name, values)
        for step, cell in zip(steps, cells, strict=False)
        if step.isdecimal()
        for name, values in _operators(cell)
    ]
    if not found:
        return None
    transit, wait = (_whole(np.array([values[index] * _MS for *_, values in found])) for index in (0, 1))
    return Communication(
        name=TextColumn.of(name for _, name, _ in found), kind=TextColumn.of(_kind(name) for _, name, _ in found),
        step=np.array([step for step, *_ in found], np.int64), device=TextColumn.constant(f"NPU {rank}", len(found)),
        duration=transit + wait, transit=transit, wait=wait,
    )  # fmt: skip


def _operators(cell: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield name, milliseconds of communication and of waits of ``{name: [step, cost, wait, link_info]}``."""
    try:
        found: Any = json.loads(cell)
    except (ValueError, RecursionError):
        return
    for name, values in cast("Mapping[str, Any]", found).items() if isinstance(found, Mapping) else ():
        amounts = cast("list[Any]", values)[1:3] if isinstance(values, list) else []
        if len(amounts) == 2 and all(isinstance(amount, (int, float)) for amount in amounts):
            yield name, (float(amounts[0]), float(amounts[1]))


def _kind(name: str) -> str:
    match = _KIND.match(name)
    return match[1].removesuffix("Op").lower() if match else "other"


def _read(path: Path, name: str, problems: Problems, reader: Any) -> Any:
    """Return what a reader makes of a table; None if it can't be read."""

    def read(file: Path) -> Any:
        table = read_csv(file)
        table.note_gaps(problems, file)
        found = reader(table)
        if found is None:
            raise FormatError(Reason("profile_without_steps"))
        return found

    return problems.read(path / name, read)


def _itself(table: CsvTable) -> CsvTable:
    return table


def _whole(times: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(np.nan_to_num(times, posinf=0, neginf=0)).astype(np.int64)
