# SPDX-License-Identifier: Apache-2.0
"""The data pipeline in profiles of MindSpore, on all devices and in all versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.csv_table import CsvTable, read_csv, read_lines
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import bounded, list_of, mapping_of, number_of, whole_numbers
from mindscope.profile.formats.minddata_summary import PipelineSummary, read_pipeline_summary, with_summary
from mindscope.profile.tables.data_pipeline import BatchWaits, DataPipeline, PipelineOperations, QueueSamples
from mindscope.table.columns import TextColumn
from mindscope.table.table import joined

DEVICE_QUEUE, GET_NEXT, ITERATOR = "device_queue", "get_next", "iterator"
_TIME, _QUEUE = 0, 1
"""Kinds of lines of queue files."""
_FETCH, _PUSH, _BATCH = 0, 1, 2
"""Codes of what a line of a time measures."""

_SUMMARIES = tuple(f"minddata_pipeline_summary{rank}.{kind}" for rank in ("_{}", "") for kind in ("json", "csv"))


class _Node(NamedTuple):
    id: int
    type: str
    workers: int
    children: Sequence[int]
    sizes: Sequence[int]
    capacity: int
    interval_ms: int
    """Milliseconds between two of ``sizes``."""


def data_pipeline_of(directory: Path, rank: int | str, problems: Problems) -> DataPipeline | None:
    """Return the operations, queues and waits of the files of a rank; None without any."""

    def file(name: str) -> Path | None:
        path = directory / name.format(rank)
        return path if path.is_file() else None

    nodes = problems.read(file("pipeline_profiling_{}.json"), _raw_nodes)
    if nodes is None:
        raw = file("minddata_pipeline_raw_{}.csv") or file("minddata_pipeline_raw.csv")
        nodes = problems.read(raw, lambda path: _csv_nodes(read_csv(path)))
    usage = problems.read(file("minddata_cpu_utilization_{}.json"), _processor_usage) or {}
    summary = next(filter(None, map(file, _SUMMARIES)), None)
    summarized = problems.read(summary, read_pipeline_summary) or PipelineSummary()
    operations = with_summary(_operations(nodes, usage) if nodes else None, summarized.operations)
    lines, queue = problems.read(file("device_queue_profiling_{}.txt"), _queue_lines), DEVICE_QUEUE
    if lines is None or not len(lines):
        lines, queue = problems.read(file("dataset_iterator_profiling_{}.txt"), _queue_lines), ITERATOR
    get_next = problems.read(file("minddata_aicpu_{}.txt"), _get_next)
    if get_next is None:
        get_next = problems.read(file("minddata_getnext_profiling_{}.txt"), _get_next)
    samples = [*([] if lines is None else [_queue_samples(lines, queue)]), *([get_next] if get_next else [])]
    queues = joined(samples) if samples else None
    batches = None if lines is None else _batches(lines)
    if not (operations or queues or batches or summarized.findings):
        return None
    return DataPipeline(operations, queues, _operation_queues(nodes or ()), batches, summarized.findings)


def _raw_nodes(path: Path) -> list[_Node]:
    """Read the nodes of ``pipeline_profiling``: usually leaves first."""
    nodes: list[_Node] = []
    content = read_object(path)
    interval_ms = _whole(content.get("sampling_interval") or 0)
    for each in cast("list[Any]", content.get("op_info") or []):
        node = cast("Mapping[str, Any]", each)
        metrics = cast("Mapping[str, Any]", node.get("metrics") or {})
        queue = cast("Mapping[str, Any]", metrics.get("output_queue") or {})
        nodes.append(
            _Node(
                _whole(node["op_id"]),
                str(node["op_type"]),
                _whole(node.get("num_workers") or 0),
                [_whole(child) for child in node.get("children") or ()],
                [_whole(size) for size in queue.get("size") or ()],
                _whole(queue.get("length") or 0),
                interval_ms,
            )
        )
    return nodes


def _csv_nodes(table: CsvTable) -> list[_Node]:
    """Read the nodes of ``minddata_pipeline_raw``: the root first."""
    columns = [
        table.cells(name) or [""] * len(table)
        for name in ("op_id", "op_type", "num_workers", "children_id", "output_queue_size", "output_queue_length")
    ]
    intervals = table.cells("sample_interval") or [""] * len(table)
    return [
        _Node(_whole(id), type, _whole(workers), _list(children), _list(sizes), _whole(capacity), _whole(interval))
        for id, type, workers, children, sizes, capacity, interval in zip(*columns, intervals, strict=True)
    ][::-1]


def _operations(nodes: Sequence[_Node], usage: Mapping[int, float]) -> PipelineOperations:
    """Return the operations, leaves first, the root last."""
    ordered = _execution_order({node.id: node for node in nodes})
    row_of = {node.id: row for row, node in enumerate(ordered)}
    parents = np.full(len(ordered), -1, np.int64)
    for row, node in enumerate(ordered):
        for child in node.children:
            if child in row_of:
                parents[row_of[child]] = row
    sizes = np.array([np.mean(node.sizes) if node.sizes else 0.0 for node in ordered])
    capacities = np.array([node.capacity for node in ordered], np.int64)
    shares = np.divide(sizes, capacities, out=np.full(len(ordered), np.nan), where=capacities > 0)
    return PipelineOperations(
        id=np.array([node.id for node in ordered], np.int64),
        name=TextColumn.of(f"{node.type}_{node.id}" for node in ordered),
        type=TextColumn.of(node.type for node in ordered),
        parent=parents,
        workers=np.array([node.workers for node in ordered], np.int64),
        queue_capacity=capacities,
        queue_size=sizes,
        queue_usage=shares,
        queue_empty=np.array(
            [np.mean([size == 0 for size in node.sizes]) if node.sizes else np.nan for node in ordered]
        ),
        cpu=np.array([usage.get(node.id, np.nan) for node in ordered]) if usage else None,
    )


def _operation_queues(nodes: Sequence[_Node]) -> QueueSamples | None:
    """Return the sizes that the profiler saw at its interval, from the begin of the pipeline on."""
    sampled = [node for node in nodes if node.sizes and node.capacity]
    if not sampled:
        return None
    indexes = np.concatenate([np.arange(len(node.sizes)) for node in sampled])
    counts = [len(node.sizes) for node in sampled]
    return QueueSamples(
        queue=TextColumn.of(f"{node.type}_{node.id}" for node in sampled for _ in node.sizes),
        size=np.array([size for node in sampled for size in node.sizes], np.int64),
        capacity=np.repeat(np.array([node.capacity for node in sampled], np.int64), counts),
        time=indexes * np.repeat(np.array([node.interval_ms for node in sampled], np.int64), counts) * 1_000_000,
    )


def _execution_order(nodes: Mapping[int, _Node]) -> list[_Node]:
    """Order each operation after its children; those of a circle, which no pipeline has, as in the file."""
    children = {child for node in nodes.values() for child in node.children}
    ordered: dict[int, _Node] = {}
    opened: set[int] = set()
    pending = [id for id in nodes if id not in children] + list(nodes)
    pending.reverse()
    while pending:
        node = nodes[pending[-1]]
        new = [child for child in node.children if child in nodes and child not in opened]
        if node.id in opened or not new:
            opened.add(node.id)
            ordered.setdefault(pending.pop(), node)
        else:
            opened.add(node.id)
            pending += reversed(new)
    return list(ordered.values())


def _processor_usage(path: Path) -> dict[int, float]:
    """Return the mean percent of user and system of each operation."""
    found: dict[int, float] = {}
    for each in cast("list[Any]", read_object(path).get("op_info") or []):
        metrics = cast("Mapping[str, Any]", each.get("metrics") or {})
        samples = [cast("list[float]", metrics.get(name) or []) for name in ("user_utilization", "sys_utilization")]
        if any(samples):
            found[int(each["op_id"])] = float(sum(np.mean(part) for part in samples if part))
    return found


def processor_load(path: Path) -> float | None:
    """Return the share of the time in which the processors of the host are not idle, 0 to 1; None without samples.

    Raises:
        FormatError: no JSON object.
        OSError: it can't be read.
    """
    samples = list_of(mapping_of(read_object(path).get("device_info")).get("idle_utilization"))
    return 1 - float(np.mean([number_of(sample) for sample in samples])) / 100 if samples else None


def _queue_lines(path: Path) -> NDArray[np.float64] | None:
    """Return rows of kind, extra, batch, value and stamp, which may lack; None without any."""
    rows: list[list[float]] = []
    for line in read_lines(path):
        try:
            numbers = [bounded(float(word)) for word in line.split()]
        except ValueError:
            continue
        if len(numbers) in (4, 5):
            rows.append(numbers + [np.nan] * (5 - len(numbers)))
    return np.array(rows, np.float64) if rows else None


def _queue_samples(lines: NDArray[np.float64], name: str) -> QueueSamples:
    rows = lines[lines[:, 0] == _QUEUE]
    return QueueSamples(
        queue=TextColumn.constant(name, len(rows)),
        size=whole_numbers(rows[:, 3]),
        capacity=whole_numbers(rows[:, 1]),
        step=_from_1(rows[:, 2]),
        time=_stamps(rows),
    )


def _batches(lines: NDArray[np.float64]) -> BatchWaits | None:
    """Return waits for the pipeline; an iterator only says when each batch came: the time between two is one batch."""
    times = lines[lines[:, 0] == _TIME]
    by_extra = {extra: times[times[:, 1] == extra] for extra in (_FETCH, _PUSH, _BATCH)}
    fetches = by_extra[_FETCH]
    if not len(fetches):
        return _batches_of_stamps(lines[lines[:, 0] == _QUEUE])
    return BatchWaits(
        step=_from_1(fetches[:, 2]),
        start=_stamps(fetches),
        wait=whole_numbers(fetches[:, 3] * 1e6),
        push=_of_batches(by_extra[_PUSH], fetches[:, 2]),
        whole=_of_batches(by_extra[_BATCH], fetches[:, 2]) if len(by_extra[_BATCH]) else None,
    )


def _of_batches(times: NDArray[np.float64], batches: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the nanoseconds of each batch; 0 where a line lacks."""
    known = dict(zip(times[:, 2].tolist(), times[:, 3].tolist(), strict=True))
    return whole_numbers([known.get(batch, 0) * 1e6 for batch in batches.tolist()])


def _batches_of_stamps(rows: NDArray[np.float64]) -> BatchWaits | None:
    if len(rows) < 2 or np.isnan(rows[:, 4]).any():
        return None
    return BatchWaits(
        step=_from_1(rows[:, 2])[1:],
        start=whole_numbers(rows[:-1, 4] * 1e6),
        wait=np.maximum(whole_numbers(np.diff(rows[:, 4]) * 1e6), 0),
    )


def _get_next(path: Path) -> QueueSamples | None:
    """Return the sizes of the queue at each request for a batch: ``GetNext_dequeue_wait START END QUEUE``."""
    rows = [line.split() for line in read_lines(path) if line.startswith("GetNext")]
    sizes = [_whole(row[3]) for row in rows if len(row) == 4]
    if not sizes:
        return None
    return QueueSamples(
        queue=TextColumn.constant(GET_NEXT, len(sizes)),
        size=np.array(sizes, np.int64),
        capacity=np.zeros(len(sizes), np.int64),
        step=np.arange(1, len(sizes) + 1, dtype=np.int64),
    )


def _from_1(batches: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return numbers of batches; a profile that began later starts at a higher one."""
    found = whole_numbers(batches)
    return found - found.min() + 1 if len(found) else found


def _stamps(rows: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the nanoseconds of the clock of the host; None where a line lacks its stamp."""
    return None if np.isnan(rows[:, 4]).any() else whole_numbers(rows[:, 4] * 1e6)


def _whole(text: Any) -> int:
    """Return a whole number of at most 53 bits; 0 for anything else."""
    try:
        found = int(float(text))
    except (ValueError, OverflowError):
        return 0
    return found if abs(found) <= 1 << 53 else 0


def _list(text: str) -> list[int]:
    if not text:
        return []
    found = json.loads(text)
    return [int(each) for each in cast("list[Any]", found)] if isinstance(found, list) else []
