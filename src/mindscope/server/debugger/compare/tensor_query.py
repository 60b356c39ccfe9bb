# SPDX-License-Identifier: Apache-2.0
"""Makes messages of the differences between a tensor of two trainings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceKey
from mindscope.analysis.tensor_statistics import as_numbers
from mindscope.analysis.tensors import TensorSource
from mindscope.debug.compare.whole_tensors import OperatorTensors, TensorPair, Tolerance
from mindscope.debug.difference_level import guidance
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.tensor_difference import TensorDifference
from mindscope.errors import DebugDataError
from mindscope.server.debugger.compare.comparisons import OpenComparison
from mindscope.server.debugger.compare.tensor_schema import (
    ComparedTensorAnswer,
    ComparedTensorPlace,
    ComparedTensorQuery,
    DifferenceWindow,
    ElementsDifference,
    GuidanceEntry,
    UlpCount,
)
from mindscope.server.debugger.messages import row_entry
from mindscope.server.debugger.schema import DebugRowEntry
from mindscope.server.debugger.tensors.query import source_of_elements
from mindscope.server.tensors.table import axis_spans, cell_texts

WINDOW = 7, 5
"""Rows and columns around the largest error."""
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class ComparedTensor:
    """A tensor of a step in both trainings, whose elements are not read yet."""

    version: str
    steps: tuple[StepStatistics, StepStatistics]
    operator: OperatorTensors


def compared_tensor(opened: OpenComparison, query: ComparedTensorQuery) -> ComparedTensor:
    """Return the tensor that a query names. Raises DebugDataError, FormatError, OSError."""
    compared = opened.at(query.step, query.rank)
    for step, row in zip(compared.steps, (query.row, query.other_row), strict=True):
        if row >= len(step.tensor):
            raise DebugDataError(f"step {step.step} has {len(step.tensor)} tensors, no row {row}")
    tolerance = Tolerance(query.atol, query.rtol)
    elements = opened.left.elements, opened.right.elements
    operator = OperatorTensors(compared, (query.row, query.other_row), tolerance, elements)
    return ComparedTensor(opened.version, compared.steps, operator)


def compared_tensor_answer(compared: ComparedTensor) -> ComparedTensorAnswer:
    """Reads all elements of the tensor and of the inputs of its operator. Raises FormatError, OSError."""
    operator, (left, right) = compared.operator, compared.steps
    pair = operator.chosen
    got, want = operator.elements(pair)
    level, problems = operator.level(pair)
    difference = operator.difference(pair).difference
    return ComparedTensorAnswer(
        version=compared.version,
        step=left.step,
        other_step=right.step,
        rank=left.rank,
        other_rank=right.rank,
        left=_row(left, pair, 0),
        right=_row(right, pair, 1),
        has_elements=(got is not None, want is not None),
        level=level,
        problems=list(problems),
        elements=None if got is None or want is None else _elements_difference(difference, got, want),
        tensors=[
            ComparedTensorPlace(role=each.role, slot=each.tensors[0].slot, row=each.rows[0], other_row=each.rows[1])
            for each in operator.pairs
        ],
    )


def _row(step: StepStatistics, pair: TensorPair, side: int) -> DebugRowEntry:
    return row_entry(step, pair.rows[side], pair.tensors[side])


def _elements_difference(found: TensorDifference, got: TensorElements, want: TensorElements) -> ElementsDifference:
    plain = found.to_json()
    figures = (
        *("cosine", "max_abs", "max_rel", "rmse", "distance", "norm_error", "share_beyond", "share_within_1e3"),
        *("share_within_5e3", "count", "got_non_finite", "want_non_finite", "unequal_non_finite"),
    )
    return ElementsDifference(
        **{name: plain[name] for name in figures},
        ulps=[UlpCount(most=end, count=count) for end, count in found.ulps.items()],
        guidance=[GuidanceEntry.model_validate(_guidance(each)) for each in guidance(found)],
        window=_window(found, got, want),
    )


def _guidance(found: Any) -> dict[str, Any]:
    return {"figure": found.figure, "limit": found.limit, "holds": found.holds}


def _window(found: TensorDifference, got: TensorElements, want: TensorElements) -> DifferenceWindow | None:
    if not found.count or len(found.index) != len(found.got_shape):
        return None
    key, position = _key_around(found.index, found.got_shape)
    tables = [_table(source_of_elements(each), key) for each in (got, want)]
    with np.errstate(invalid="ignore", over="ignore"):
        difference = as_numbers(tables[0]).astype(np.float64) - as_numbers(tables[1]).astype(np.float64)
    rows, columns = axis_spans(key)
    return DifferenceWindow(
        rows=rows,
        columns=columns,
        index=list(found.index),
        row=position[0],
        column=position[1],
        left=cell_texts(tables[0]),
        right=cell_texts(tables[1]),
        difference=cell_texts(difference),
    )


def _table(source: TensorSource, key: SliceKey) -> Array:
    cells = source.take(key)
    return cells.reshape((-1, 1) if cells.ndim < 2 else cells.shape)


def _key_around(position: Sequence[int], shape: Sequence[int]) -> tuple[SliceKey, tuple[int, int]]:
    """Return a slice of the last two dimensions around an element, and its position there. A vector is a column."""
    sizes = WINDOW[-len(shape) :] if len(shape) > 1 else WINDOW[:1]
    cuts = [_around(index, size, most) for index, size, most in zip(position[-2:], shape[-2:], sizes, strict=False)]
    inside = [index - cut.start for index, cut in zip(position[-2:], cuts, strict=True)]
    row, column = (*inside, 0, 0)[:2]
    return (*position[:-2], *cuts), (row, column)


def _around(index: int, size: int, most: int) -> range:
    start = max(0, min(index - most // 2, size - most))
    return range(start, min(size, start + most))
