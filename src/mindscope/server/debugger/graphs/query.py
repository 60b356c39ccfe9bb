# SPDX-License-Identifier: Apache-2.0
"""Figures of the nodes and scopes of a graph as columns, and the tensors of one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.graph_tensors import GraphTensors
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import Phase, Role
from mindscope.debug.views.figures import FIGURES
from mindscope.debug.views.merged_figure import merged_figure
from mindscope.errors import DebugDataError
from mindscope.server.debugger.graphs.schema import (
    GraphFiguresHeader,
    GraphFiguresQuery,
    GraphItemsAnswer,
    GraphItemsQuery,
    GraphTensorsAnswer,
    GraphTensorsQuery,
)
from mindscope.server.debugger.messages import row_entry
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.disconnect import while_connected

MOST_TENSORS = 60
_NAN, _INFINITY = 1, 2


def pack_figures(opened: OpenSource, joined: GraphTensors, query: GraphFiguresQuery) -> Packed:
    """Return a figure of all items at some steps. Raises DebugDataError, FormatError, OSError."""
    has_role = np.array([tensor.role is query.role for tensor in opened.source.tensors], np.bool_)
    wanted = has_role & _of_phase(opened, joined, query)
    pairs = joined.around[wanted[joined.around[:, 0]]]
    items, inverse = np.unique(pairs[:, 1], return_inverse=True)
    value, bits = np.empty((len(query.steps), len(items))), np.empty((len(query.steps), len(items)), np.uint8)
    read = opened.at if len(query.steps) == 1 else opened.read
    for number, step in enumerate(while_connected(query.steps)):
        recorded = read(step, query.rank)
        rows, chosen = _rows_of_pairs(recorded, pairs[:, 0])
        of_rows = recorded.values[rows], inverse.reshape(-1)[chosen], len(items)
        value[number] = merged_figure(FIGURES[query.figure], *of_rows)
        bits[number] = _bits(*of_rows)
    own = np.unique(joined.own[:, 0])
    header = GraphFiguresHeader(
        version=opened.version,
        tensors=int(wanted.sum()),
        placed=int(wanted[own].sum()),
        phases=_phases(opened, joined),
        item=items,
        value=value,
        bits=bits,
    )
    return pack(header)


def _of_phase(opened: OpenSource, joined: GraphTensors, query: GraphFiguresQuery) -> NDArray[np.bool_]:
    if query.role is not Role.OUTPUT:
        return np.ones(len(joined.is_named), np.bool_)
    return joined.is_named | np.array([tensor.phase is query.phase for tensor in opened.source.tensors], np.bool_)


def _phases(opened: OpenSource, joined: GraphTensors) -> list[Phase]:
    tensors = opened.source.tensors
    own: list[int] = np.unique(joined.own[:, 0]).tolist()
    phases = {tensors[row].phase for row in own if tensors[row].role is Role.OUTPUT and not joined.is_named[row]}
    return [phase for phase in Phase if phase in phases]


def _rows_of_pairs(recorded: StepStatistics, tensors: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return each row of a step with each pair of its tensor; ``tensors`` of the pairs ascend."""
    first = np.searchsorted(tensors, recorded.tensor)
    counts = np.searchsorted(tensors, recorded.tensor, side="right") - first
    rows = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    return rows, np.arange(len(rows)) - np.repeat(before - first, counts)


def _bits(values: NDArray[np.float64], groups: NDArray[np.intp], count: int) -> NDArray[np.uint8]:
    nan, positive, negative = (
        merged_figure(FIGURES[name], values, groups, count) > 0 for name in ("nan", "positive_inf", "negative_inf")
    )
    return np.where(nan, _NAN, 0).astype(np.uint8) | np.where(positive | negative, _INFINITY, 0).astype(np.uint8)


def items_answer(opened: OpenSource, joined: GraphTensors, query: GraphItemsQuery) -> GraphItemsAnswer:
    """Return the items of rows. Raises DebugDataError, FormatError, OSError."""
    recorded = opened.at(query.step, query.rank)
    if any(row >= len(recorded.tensor) for row in query.rows):
        raise DebugDataError(f"step {query.step} has {len(recorded.tensor)} tensors, no row {max(query.rows)}")
    items = [joined.items_of(int(recorded.tensor[row])) for row in query.rows]
    return GraphItemsAnswer(version=opened.version, items=items)


def tensors_answer(opened: OpenSource, joined: GraphTensors, query: GraphTensorsQuery) -> GraphTensorsAnswer:
    """Return the tensors of an item. Raises DebugDataError, FormatError, OSError."""
    recorded, tensors = opened.at(query.step, query.rank), opened.source.tensors
    own = joined.own[joined.own[:, 1] == query.item, 0]
    rows = np.flatnonzero(np.isin(recorded.tensor, own))
    entries = [row_entry(recorded, int(row), tensors[int(recorded.tensor[row])]) for row in rows[:MOST_TENSORS]]
    return GraphTensorsAnswer(version=opened.version, rows=entries, total=len(rows))
