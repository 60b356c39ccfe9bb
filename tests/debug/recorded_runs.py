# SPDX-License-Identifier: Apache-2.0
"""Writes debugging data in memory into runs, as the recorder does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mindscope
from mindscope.capture.tensor_statistics import StepColumns, StepRows, TensorTable
from mindscope.debug.model.fields import FIELDS
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.tensors import DebugTensor
from mindscope.formats.tensor_statistics import steps_tag, tensors_tag


def write_run(directory: Path, source: LoadedSource, rank: int = 0, table: int = 7) -> Path:
    """One rank of a source as a run."""
    with mindscope.SummaryRecord(directory) as record:
        described = [_described(each) for each in source.tensors]
        facts = {"framework": source.framework}
        record.add_value("tensor_statistics", tensors_tag(rank), TensorTable(table, rank, 0, described, facts))
        for step in source.steps(rank):
            recorded = source.at(step, rank)
            statistics = {field.value: recorded.column(field) for field in FIELDS}
            columns = StepColumns(recorded.tensor, recorded.order, statistics, recorded.digest)
            rows = StepRows(table, rank, 100, lambda columns=columns: columns)
            record.add_value("tensor_statistics", steps_tag(rank), rows)
            record.record(step)
    return directory


def _described(tensor: DebugTensor) -> dict[str, Any]:
    names = ("module", "type", "slot", "call", "dtype", "name")
    facts: dict[str, Any] = {name: getattr(tensor, name) for name in names if getattr(tensor, name)}
    facts |= {"phase": str(tensor.phase), "role": str(tensor.role)}
    if tensor.shape is not None:
        facts["shape"] = list(tensor.shape)
    return facts | ({"stack": list(tensor.stack)} if tensor.stack else {})
