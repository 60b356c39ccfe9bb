# SPDX-License-Identifier: Apache-2.0
"""Counts the samples or batches that leave each stage of a data pipeline in an epoch, where they are known."""

from __future__ import annotations

from collections.abc import Mapping

from mindscope.lineage.cell import Cell
from mindscope.lineage.pipeline import Branches, Operation, Pipeline

_SAME = frozenset({"Map", "Project", "Rename", "Shuffle", "Cache", "Transfer", "DeviceQueue"})
"""Operations that give one row for each of theirs."""


def stage_rows(pipeline: Pipeline, epoch_size: int | None = None) -> tuple[int | None, ...]:
    """Return the number of rows that leave each stage; None if it is unknown, and for branches.

    ``epoch_size`` is the recorded number of samples of an epoch: it gives the batches of a last stage.
    """
    found: list[int | None] = []
    flows: tuple[int | None, ...] = ()
    for stage in pipeline:
        if isinstance(stage, Branches):
            flows = tuple([_last(stage_rows(flow)) for flow in stage.flows])
            found.append(None)
        else:
            found.append(_rows(stage, flows))
            flows = (found[-1],)
    if pipeline and found[-1] is None and epoch_size is not None:
        found[-1] = _batches(pipeline[-1], epoch_size)
    return tuple(found)


def _rows(operation: Operation, flows: tuple[int | None, ...]) -> int | None:
    """Return the rows that leave an operation with these inputs."""
    parameters = dict(operation.parameters)
    if operation.name == "Zip":
        known = [flow for flow in flows if flow is not None]
        return min(known) if known and len(known) == len(flows) else None
    if operation.name == "Concat":
        return sum(flow or 0 for flow in flows) if flows and None not in flows else None
    rows = flows[0] if len(flows) == 1 else None
    match operation.name:
        case "Batch":
            return None if rows is None else _in_batches(parameters, rows)
        case "Take":
            return _taken(rows, _count(parameters))
        case "Skip":
            count = _count(parameters)
            return None if rows is None or count is None else max(0, rows - count)
        case "Repeat":
            count = _count(parameters)
            return None if rows is None or count is None else rows * count
        case name if name in _SAME:
            return rows
        case _:
            return _sampled(parameters)


def _taken(rows: int | None, count: int | None) -> int | None:
    return rows if count is None else None if rows is None else min(rows, count)


def _count(parameters: Mapping[str, Cell]) -> int | None:
    """Return the parameter ``count``; None if it is unknown or -1, which means all."""
    count = parameters.get("count")
    return count if type(count) is int and count >= 0 else None


def _in_batches(parameters: Mapping[str, Cell], rows: int) -> int | None:
    size, drops = parameters.get("batch_size"), parameters.get("drop_remainder")
    if type(size) is not int or size < 1 or not isinstance(drops, bool):
        return None
    return rows // size if drops else -(-rows // size)


def _sampled(parameters: Mapping[str, Cell]) -> int | None:
    """Return the samples of a source: those of its sampler, else its own. 0 means all, which is no number."""
    sampler = parameters.get("sampler")
    for name in (f"{sampler}.num_samples", "num_samples"):
        count = parameters.get(name)
        if type(count) is int and count > 0:
            return count
    return None


def _batches(stage: object, epoch_size: int) -> int | None:
    """Return the batches of a last stage. The recorded size is a multiple of the batch size if the rest is dropped."""
    size = dict(stage.parameters).get("batch_size") if isinstance(stage, Operation) and stage.name == "Batch" else None
    return -(-epoch_size // size) if type(size) is int and size > 0 else None


def _last(rows: tuple[int | None, ...]) -> int | None:
    return rows[-1] if rows else None
