# SPDX-License-Identifier: Apache-2.0
"""``minddata_pipeline_summary``: what MindSpore computed of the operations of a data pipeline, as JSON or CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.csv_table import read_lines
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, number_of, whole_numbers, whole_of
from mindscope.profile.tables.data_pipeline import PipelineFindings, PipelineOperations
from mindscope.table.columns import TextColumn

_NONE = -1
"""Size of operations without a queue, and the parent of the root."""


class PipelineSummary(NamedTuple):
    """The parts of a summary; None where it lists none."""

    operations: PipelineOperations | None = None
    findings: PipelineFindings | None = None


def read_pipeline_summary(path: Path) -> PipelineSummary:
    """Return the operations of a summary, leaves first, and its findings. Raises FormatError, OSError."""
    content = read_object(path) if path.suffix == ".json" else _transposed(path)
    return PipelineSummary(_operations(content), _findings(content))


def _operations(content: Mapping[str, Any]) -> PipelineOperations | None:
    ids = [whole_of(each, _NONE) for each in list_of(content.get("op_ids"))]
    if not ids:
        return None
    names = [str(each) for each in list_of(content.get("op_names"))]
    types = [names[row] if row < len(names) else "" for row in range(len(ids))]
    usage = _numbers(content, "queue_utilization_pct", len(ids)) / 100
    size = _numbers(content, "queue_average_size", len(ids))
    parents = [whole_of(each, _NONE) for each in list_of(content.get("parent_id"))][: len(ids)]
    parents += [_NONE] * (len(ids) - len(parents))
    order = _inputs_first(ids, parents)
    row_of = {ids[index]: row for row, index in enumerate(order)}
    operations = PipelineOperations(
        id=np.array(ids, np.int64),
        name=TextColumn.of(f"{type}Op_{id}" for type, id in zip(types, ids, strict=True)),
        type=TextColumn.of(f"{type}Op" for type in types),
        parent=np.array([row_of.get(parent, -1) for parent in parents], np.int64),
        workers=np.maximum(whole_numbers(_numbers(content, "num_workers", len(ids))), 0),
        queue_size=np.nan_to_num(size),
        queue_usage=usage,
        queue_empty=_numbers(content, "queue_empty_freq_pct", len(ids)) / 100,
        cpu=_numbers(content, "avg_cpu_pct", len(ids)),
    )
    return operations.select(np.array(order, np.int64))


def _inputs_first(ids: Sequence[int], parents: Sequence[int]) -> list[int]:
    """Return the indexes of the operations, each after its inputs, which are in their order; then those of circles."""
    known, inputs = set(ids), dict[int, list[int]]()
    for index, parent in enumerate(parents):
        inputs.setdefault(parent if parent in known else _NONE, []).append(index)
    found: list[int] = []
    pending = inputs.pop(_NONE, [])
    while pending:
        index = pending.pop()
        found.append(index)
        pending += inputs.pop(ids[index], [])
    return found[::-1] + [index for others in inputs.values() for index in others]


def _findings(content: Mapping[str, Any]) -> PipelineFindings | None:
    pairs = zip_longest(_texts(content, "bottleneck_warning"), _texts(content, "bottleneck_suggestion"), fillvalue="")
    found = [(warning, suggestion) for warning, suggestion in pairs if warning]
    if not found:
        return None
    warnings, suggestions = zip(*found, strict=True)
    return PipelineFindings(warning=TextColumn.of(warnings), suggestion=TextColumn.of(suggestions))


def _texts(content: Mapping[str, Any], key: str) -> list[str]:
    """Return the texts of a key, which versions write as a text, a list, or a list in a cell."""
    value = content.get(key)
    listed = [value] if isinstance(value, str) else list_of(value)
    return [text.strip() for each in listed for text in (list_of(each) or [each]) if isinstance(text, str)]


def with_summary(
    operations: PipelineOperations | None, summary: PipelineOperations | None
) -> PipelineOperations | None:
    """Return the operations of the samples, with the processor use of a summary where no other file has it."""
    if operations is None or summary is None or operations.cpu is not None or summary.cpu is None:
        return operations or summary
    known = dict(zip(summary.id.tolist(), summary.cpu.tolist(), strict=True))
    cpu = np.array([known.get(id, np.nan) for id in operations.id.tolist()])
    return operations if np.isnan(cpu).all() else replace(operations, cpu=cpu)


def _numbers(content: Mapping[str, Any], key: str, count: int) -> NDArray[np.float64]:
    """Return a value for each operation; NaN for none."""
    found = [number_of(each) for each in list_of(content.get(key))][:count]
    values = np.array(found + [np.nan] * (count - len(found)))
    return np.where(values < 0, np.nan, values)


def _transposed(path: Path) -> dict[str, list[Any]]:
    """Read a CSV with one row for each key: the key, then one value for each operation."""
    rows = list(csv.reader(read_lines(path)))
    return {row[0].strip(): [_value(each) for each in row[1:]] for row in rows if row}


def _value(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell
