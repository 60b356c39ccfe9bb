# SPDX-License-Identifier: Apache-2.0
"""The aligned data pipelines of runs, as a message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mindscope.lineage.cell_json import cell_to_json, to_json
from mindscope.lineage.pipeline import Branches, Stage
from mindscope.lineage.pipeline_alignment import AlignedColumn, Alignment
from mindscope.lineage.pipeline_rows import stage_rows
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.response_limit import check_size
from mindscope.server.lineage.query import select_runs
from mindscope.server.lineage.schema import PipelinesQuery

Message = dict[str, Any]


def answer_pipelines(viewer: Viewer, query: PipelinesQuery) -> str:
    """Return a PipelinesAnswer as JSON. Raises ExpressionError."""
    table = select_runs(viewer, query).pipelines(check_connected)
    runs: list[list[str]] = [[] for _ in range(table.alignment.height)]
    for run, mark in table.marks.items():
        runs[mark].append(run)
    answer = to_json(
        {
            "marks": dict(table.marks),
            "rows": [{"runs": each, "count": len(each)} for each in runs],
            "columns": _columns(table.alignment, table.epoch_sizes),
        }
    )
    check_size(len(answer))
    return answer


def _columns(alignment: Alignment, epoch_sizes: Sequence[int | None]) -> list[Message]:
    counts = [iter(stage_rows(alignment.row(row), epoch_sizes[row])) for row in range(alignment.height)]
    return [_column(column, counts) for column in alignment.columns]


def _column(column: AlignedColumn, counts: Sequence[Iterator[int | None]]) -> Message:
    check_connected()
    return {
        "cells": [_cell(stage, count) for stage, count in zip(column.stages, counts, strict=True)],
        "differing": column.differing,
        "differs": column.differs,
        "branches": [_columns(branch, [None] * branch.height) for branch in column.branches],
    }


def _cell(stage: Stage | None, counts: Iterator[int | None]) -> Message | None:
    """Return the cell of a stage. ``counts`` continues with the rows of this stage, if the pipeline has it."""
    if stage is None:
        return None
    if isinstance(stage, Branches):
        return {"name": None, "parameters": {}, "rows": next(counts)}
    parameters = {name: cell_to_json(cell) for name, cell in stage.parameters}
    return {"name": stage.name, "parameters": parameters, "rows": next(counts)}
