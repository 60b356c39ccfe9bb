# SPDX-License-Identifier: Apache-2.0
"""Summaries of a cluster that Ascend's analysis tool writes: ``cluster_analysis_output/``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.ascend.cluster import STEPS
from mindscope.profile.formats.ascend.communication import (
    AscendOperation,
    ascend_operation,
    communication_table,
    links_table,
    read_object,
)
from mindscope.profile.formats.ascend.steps import steps_of
from mindscope.profile.formats.csv_table import CsvTable, read_csv
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.tables.communication import Communication, Links
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import TextColumn

_COMMUNICATION, _LINKS = "cluster_communication.json", "cluster_communication_matrix.json"


def cluster_output(path: Path, problems: Problems) -> Iterator[RankData]:
    """Yield each rank of a summary.

    Rows of stages are greatest values over their ranks, which rows of ranks hold already.
    """
    table = problems.read(_file(path, STEPS), read_csv)
    steps: Mapping[int, Steps] = {}
    if table is not None:
        table.note_gaps(problems, path / STEPS)
        steps = problems.read(path / STEPS, lambda _: _steps(table)) or {}
    communication = problems.read(_file(path, _COMMUNICATION), _communication) or {}
    links = problems.read(_file(path, _LINKS), _links) or {}
    stages = 0 if table is None else _stages(table)
    for rank in sorted({*steps, *communication, *links}):
        operations, origin_ns = communication.get(rank, (None, None))
        step = steps.get(rank)
        bubble = None if step is None else step.extra.get("bubble")
        yield RankData(
            rank=rank, name=f"rank {rank}", path=str(path), origin_ns=origin_ns, steps=step, communication=operations,
            links=links.get(rank), stages=stages,
            receive=np.minimum(bubble, step.part("communication"))
            if step is not None and isinstance(bubble, np.ndarray)
            else None,
        )  # fmt: skip


def _steps(table: CsvTable) -> dict[int, Steps]:
    types, indices = table.cells("Type"), table.cells("Index")
    if types is None or indices is None:
        raise KeyError(f"no column Type or Index, it has {', '.join(table.names) or 'none'}")
    rows: dict[int, list[int]] = defaultdict(list)
    for row, (kind, index) in enumerate(zip(types, indices, strict=True)):
        if kind == "rank" and index.isdecimal():
            rows[int(index)].append(row)
    found = {rank: steps_of(table.select(own), None) for rank, own in rows.items()}
    return {rank: steps for rank, steps in found.items() if steps is not None}


def _stages(table: CsvTable) -> int:
    """Return the stages of the pipeline: the greatest number of rows of stages in a step."""
    types, steps = table.cells("Type") or [], table.cells("Step") or []
    counts: dict[str, int] = defaultdict(int)
    for kind, step in zip(types, steps, strict=False):
        counts[step] += kind == "stage"
    return max(counts.values(), default=0)


def _communication(path: Path) -> dict[int, tuple[Communication, int]]:
    """Return the operations of each rank, with the time of 0."""
    found: dict[int, list[AscendOperation]] = defaultdict(list)
    groups: dict[int, list[str]] = defaultdict(list)
    for group, step, name, ranks in _entries(read_object(path)):
        for rank, facts in ranks.items():
            operation = ascend_operation(step, name, facts)
            if rank.isdecimal() and "total" not in operation.name.lower():
                found[int(rank)].append(operation)
                groups[int(rank)].append(",".join(re.findall(r"\d+", group)))
    tables = {rank: communication_table(own, f"NPU {rank}", 0) for rank, own in found.items()}
    return {
        rank: (_since_origin(table, TextColumn.of(groups[rank])), _origin(table))
        for rank, table in tables.items()
        if table is not None
    }


def _since_origin(table: Communication, groups: TextColumn) -> Communication:
    start = None if table.start is None else table.start - _origin(table)
    return replace(table, start=start, group_ranks=groups)


def _origin(table: Communication) -> int:
    return 0 if table.start is None else int(table.start.min())


def _links(path: Path) -> dict[int, Links]:
    """Read the links by the rank that sends."""
    operations = [ascend_operation(step, name, facts) for _, step, name, facts in _entries(read_object(path))]
    table = links_table(operations)
    if table is None:
        return {}
    return {rank: table.select(table.source == rank) for rank in np.unique(table.source).tolist()}


def _entries(content: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Yield group, step, name and facts of each operation."""
    for group, steps in content.items():
        for step, operations in _mapping(steps).items():
            for name, facts in _mapping(operations).items():
                yield group, step, name, _mapping(facts)


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _file(path: Path, name: str) -> Path | None:
    return path / name if (path / name).is_file() else None
