# SPDX-License-Identifier: Apache-2.0
"""Memory that the compiler planned: ``memory_usage_details`` and ``memory_usage_summary``, no measurement.

A graph lists its operators, the memory after each of them in GiB, and the tensors that live then. A graph of more than
2,000 operators lists only each ``n // 2000``-th one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, mapping_of, number_of, whole_of
from mindscope.profile.formats.scope_names import module_of
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve, MemoryPlan
from mindscope.table.columns import TextColumn

_GIB = 1 << 30
_STATIC = "static"


class _Tensor(NamedTuple):
    name: str
    start: int
    end: int
    """The first operator after its life; -1 if it lives to the end of the graph."""
    size: int
    category: str
    shape: str
    dtype: str


class _Graph(NamedTuple):
    id: int
    positions: list[int]
    """Positions of its listed operators."""
    names: list[str]
    full_names: Mapping[str, str]
    lines: list[int]
    """Bytes after each of them."""
    static: int
    tensors: list[_Tensor]
    length: int
    """Operators of the whole graph."""
    step: int


def read_plan(path: Path, device: str) -> Memory | None:
    """Return the plan of all graphs, one after the other; None without any.

    Raises:
        FormatError: no JSON object.
        OSError: it can't be read.
    """
    content = read_object(path)
    graphs = [graph for key, value in content.items() if (graph := _graph(key, value)) is not None]
    if not graphs:
        return None
    firsts = np.concatenate([[0], np.cumsum([graph.length for graph in graphs])])[:-1].astype(np.int64)
    curve, blocks = _curve(graphs, firsts, device), _blocks(graphs, firsts, device)
    return Memory(curve, blocks, plan=_plan(graphs, firsts, device))


def read_plan_summary(path: Path) -> dict[str, int]:
    """Return ``capacity``, ``peak`` and ``static`` bytes, ``allocations`` and ``deallocations``, as far as they are
    there.

    Raises:
        FormatError: no JSON object.
        OSError: it can't be read.
    """
    content = read_object(path)
    names = {
        "capacity": ("capacity", _GIB), "peak": ("peak_mem", _GIB), "static": ("static_mem", _GIB),
        "allocations": ("allocations", 1), "deallocations": ("deallocations", 1),
    }  # fmt: skip
    values = {name: (content.get(key), scale) for name, (key, scale) in names.items()}
    return {name: round(value * scale) for name, (value, scale) in values.items() if isinstance(value, (int, float))}


def _graph(key: str, content: Any) -> _Graph | None:
    """Return a graph; None if it has no operators, as one without tensors."""
    found = mapping_of(content)
    listed = found.get("nodes")
    entries = list(mapping_of(listed).values()) if isinstance(listed, Mapping) else list_of(listed)
    nodes = [mapping_of(entry) for entry in entries]
    lines = [round(number_of(line) * _GIB) for line in list_of(found.get("lines"))]
    count = min(len(nodes), len(lines))
    if not count:
        return None
    positions = [whole_of(node.get("node_id"), row) for row, node in enumerate(nodes[:count])]
    if positions != sorted(set(positions)):
        positions = list(range(count))
    step = positions[1] - positions[0] if count > 1 else 1
    tensors = {
        tensor: None for each in list_of(found.get("breakdowns")) for tensor in _tensors(each, positions[-1] + step)
    }
    return _Graph(
        whole_of(found.get("graph_id"), whole_of(key, 0)),
        positions,
        [str(node.get("name", "")) for node in nodes[:count]],
        {str(node.get("name", "")): str(node.get("fullname") or node.get("name", "")) for node in nodes},
        lines,
        round(number_of(found.get("static_mem")) * _GIB),
        sorted(tensors, key=lambda tensor: tensor.start),
        positions[-1] + step,
        step,
    )


def _tensors(breakdown: Any, length: int) -> Iterator[_Tensor]:
    """Return the tensors that live after one operator."""
    for tensor in map(mapping_of, list_of(breakdown)):
        end = whole_of(tensor.get("life_end"), -1)
        shape = tensor.get("shape") or ""
        yield _Tensor(
            str(tensor.get("tensor_name") or tensor.get("name", "")),
            max(whole_of(tensor.get("life_start"), 0), 0),
            end + 1 if 0 <= end < length - 1 else -1,
            round(number_of(tensor.get("size")) * _GIB),
            str(tensor.get("type") or ""),
            shape if isinstance(shape, str) else f"[{','.join(map(str, list_of(shape)))}]",
            str(tensor.get("data_type") or ""),
        )


def _curve(graphs: list[_Graph], firsts: Any, device: str) -> MemoryCurve:
    rows = [
        (first + position, f"graph {graph.id}", line, graph.full_names.get(name, name))
        for graph, first in zip(graphs, firsts.tolist(), strict=True)
        for position, line, name in zip(graph.positions, graph.lines, graph.names, strict=False)
    ]
    times, components, lines, names = zip(*rows, strict=True)
    return MemoryCurve(
        time=np.array(times, np.int64),
        device=TextColumn.constant(device, len(rows)),
        component=TextColumn.of(components),
        allocated=np.array(lines, np.int64),
        extra={"operator": TextColumn.of(names)},
    )


def _blocks(graphs: list[_Graph], firsts: Any, device: str) -> MemoryBlocks | None:
    """Return the tensors of all graphs, and a block for the static memory of each one."""
    born: list[int] = []
    freed: list[int] = []
    tensors: list[_Tensor] = []
    owners: list[str] = []
    for graph, first in zip(graphs, firsts.tolist(), strict=True):
        static = [_Tensor("", 0, -1, graph.static, _STATIC, "", "")] if graph.static else []
        for tensor in [*static, *graph.tensors]:
            born.append(first + tensor.start)
            freed.append(first + (graph.length if tensor.end < 0 else tensor.end))
            tensors.append(tensor)
            node = tensor.name.partition(":")[0]
            owners.append(graph.full_names.get(node, node))
    if not tensors:
        return None
    last = max(first + graph.length for graph, first in zip(graphs, firsts.tolist(), strict=True))
    ends = np.array(freed, np.int64)
    return MemoryBlocks(
        device=TextColumn.constant(device, len(tensors)),
        size=np.array([tensor.size for tensor in tensors], np.int64),
        allocated_at=np.array(born, np.int64),
        freed_at=np.where(ends >= last, UNKNOWN_TIME, ends),
        operator=TextColumn.of(owners),
        module=TextColumn.of(map(module_of, owners)),
        category=TextColumn.of(tensor.category for tensor in tensors),
        extra={
            "tensor": TextColumn.of(tensor.name for tensor in tensors),
            "shape": TextColumn.of(tensor.shape for tensor in tensors),
            "dtype": TextColumn.of(tensor.dtype for tensor in tensors),
        },
    )


def _plan(graphs: list[_Graph], firsts: Any, device: str) -> MemoryPlan:
    best = [int(np.argmax(graph.lines[: len(graph.positions)])) for graph in graphs]
    return MemoryPlan(
        graph=np.array([graph.id for graph in graphs], np.int64),
        device=TextColumn.constant(device, len(graphs)),
        first=firsts,
        operators=np.array([graph.length for graph in graphs], np.int64),
        static=np.array([graph.static for graph in graphs], np.int64),
        peak=np.array([graph.lines[row] for graph, row in zip(graphs, best, strict=True)], np.int64),
        peak_at=firsts + np.array([graph.positions[row] for graph, row in zip(graphs, best, strict=True)], np.int64),
        sampled=np.array([graph.step for graph in graphs], np.int64),
    )
