# SPDX-License-Identifier: Apache-2.0
"""Rows, histories and heat maps of debugging data as columns."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.views.figures import FIGURES, figures_from
from mindscope.debug.views.heat_grid import HeatGrid, reduced
from mindscope.debug.views.step_rows import matching_rows, non_finite_rows, ordered_rows
from mindscope.debug.views.tensor_filter import TensorFilter
from mindscope.debug.views.tensor_history import TensorHistory
from mindscope.errors import DebugDataError
from mindscope.server.debugger.messages import row_entry, tensor_entry
from mindscope.server.debugger.scans import Scans
from mindscope.server.debugger.schema import (
    DebugHeatHeader,
    DebugHeatQuery,
    DebugHistoryHeader,
    DebugHistoryQuery,
    DebugRowAnswer,
    DebugRowQuery,
    DebugRowsHeader,
    DebugRowsQuery,
    DebugStepsAnswer,
    OfSource,
    OfTensors,
)
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.json_numbers import finite

MOST_OPERATOR_ROWS = 200


def steps_answer(opened: OpenSource, query: OfSource) -> DebugStepsAnswer:
    """Return the recorded steps of a rank."""
    return DebugStepsAnswer(version=opened.version, steps=list(opened.source.steps(query.rank)))


def pack_rows(opened: OpenSource, query: DebugRowsQuery) -> Packed:
    """Return a page of rows of a step. Raises DebugDataError, FormatError, OSError."""
    tensors = opened.source.tensors
    recorded = opened.at(_step_of(opened, query), query.rank)
    found = matching_rows(recorded, opened.mask(_filter_of(query)), only_non_finite=query.only_non_finite)
    ordered = ordered_rows(recorded, tensors, found, query.sort, is_descending=query.is_descending)
    page = ordered[query.first :][: query.count]
    header = DebugRowsHeader(
        version=opened.version,
        step=recorded.step,
        total=len(recorded.tensor),
        matching=len(found),
        non_finite=int(non_finite_rows(recorded).sum()),
        tensors=[tensor_entry(int(index), tensors[int(index)]) for index in recorded.tensor[page]],
        row=page,
        order=recorded.order[page],
        figures={figure.name: figure.of(recorded.values[page]) for figure in figures_from(opened.source.fields)},
    )
    return pack(header)


def row_answer(opened: OpenSource, query: DebugRowQuery) -> DebugRowAnswer:
    """Return one row in detail. Raises DebugDataError, FormatError, OSError."""
    tensors = opened.source.tensors
    recorded = opened.at(query.step, query.rank)
    row = _row_of(recorded, query)
    steps = opened.source.steps(query.rank)
    index = bisect_left(steps, query.step)
    tensor = tensors[int(recorded.tensor[row])]
    siblings = np.flatnonzero(recorded.order == recorded.order[row])[:MOST_OPERATOR_ROWS]
    return DebugRowAnswer(
        version=opened.version,
        step=query.step,
        order=int(recorded.order[row]),
        previous_step=steps[index - 1] if index else None,
        next_step=steps[index + 1] if index + 1 < len(steps) else None,
        row=row_entry(recorded, row, tensor),
        has_elements=opened.elements(query.step, query.rank, row) is not None,
        stack=list(tensor.stack),
        operator_rows=[
            row_entry(recorded, int(sibling), tensors[int(recorded.tensor[sibling])]) for sibling in siblings
        ],
    )


def _row_of(recorded: StepStatistics, query: DebugRowQuery) -> int:
    if query.row is None:
        rows = np.flatnonzero(recorded.tensor == (-1 if query.tensor is None else query.tensor))
        if not rows.size:
            raise DebugDataError(f"step {query.step} has no tensor with the number {query.tensor}")
        return int(rows[-1])
    if query.row >= len(recorded.tensor):
        raise DebugDataError(f"step {query.step} has {len(recorded.tensor)} tensors, no row {query.row}")
    return query.row


def pack_history(opened: OpenSource, query: DebugHistoryQuery, scans: Scans) -> Packed:
    """Return a figure of some tensors over the steps. Raises DebugDataError."""
    tensors = opened.source.tensors
    wanted = tuple(dict.fromkeys(query.tensors))
    if any(each >= len(tensors) for each in wanted):
        raise DebugDataError(f"there are {len(tensors)} tensors, none has the number {max(wanted)}")
    total = len(opened.source.steps(query.rank))

    def look(history: TensorHistory) -> Packed:
        values, non_finite = history.figure(FIGURES[query.figure]), history.figure(FIGURES["non_finite"])
        indexes = [wanted.index(tensor) for tensor in query.tensors]
        header = DebugHistoryHeader(
            version=opened.version,
            steps=total,
            read_steps=len(history.steps),
            is_complete=len(history.steps) == total,
            tensors=[tensor_entry(tensor, tensors[tensor]) for tensor in query.tensors],
            step=history.steps,
            values=[_column(values, index) for index in indexes],
            non_finite=[_column(non_finite, index) for index in indexes],
        )
        return pack(header)

    what = ("history", wanted, len(tensors))
    return scans.collect(opened, query.rank, what, lambda: TensorHistory(wanted), look)


def pack_heat(opened: OpenSource, query: DebugHeatQuery, scans: Scans) -> Packed:
    """Return a figure of many tensors over the steps, as cells. Raises DebugDataError."""
    tensors, chosen, figure = opened.source.tensors, _filter_of(query), FIGURES[query.figure]
    indexes = np.flatnonzero(opened.mask(chosen))
    total = len(opened.source.steps(query.rank))

    def look(grid: HeatGrid) -> Packed:
        value, bits, each = reduced(grid.value, grid.bits, query.columns)
        numbers = value[~np.isnan(value)]
        firsts = grid.tensors[grid.starts[:-1]]
        header = DebugHeatHeader(
            version=opened.version,
            steps=total,
            read_steps=len(grid.steps),
            is_complete=len(grid.steps) == total,
            matching=len(indexes),
            steps_per_column=grid.steps_per_column * each,
            minimum=finite(float(numbers.min())) if numbers.size else None,
            maximum=finite(float(numbers.max())) if numbers.size else None,
            first_tensors=[tensor_entry(int(index), tensors[int(index)]) for index in firsts],
            start=grid.starts,
            step=grid.first_steps[::each],
            value=value.flatten(),  # later steps change the cells
            bits=bits.flatten(),
        )
        return pack(header)

    what = ("heat", chosen, figure.name, query.rows, len(tensors))
    return scans.collect(opened, query.rank, what, lambda: HeatGrid(indexes, len(tensors), figure, query.rows), look)


def _column(values: NDArray[np.float64], index: int) -> NDArray[np.float64]:
    return np.ascontiguousarray(values[:, index])


def _step_of(opened: OpenSource, query: DebugRowsQuery) -> int:
    if query.step is not None:
        return query.step
    steps = opened.source.steps(query.rank)
    if not steps:
        raise DebugDataError(f"rank {query.rank} has no debugging data")
    return steps[-1]


def _filter_of(query: OfTensors) -> TensorFilter:
    return TensorFilter(tuple(query.words), query.regex, query.module, frozenset(query.phases), frozenset(query.roles))
