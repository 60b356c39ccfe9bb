# SPDX-License-Identifier: Apache-2.0
"""MindInsight's rules: which operations of a data pipeline are slow, by the usage of the queues around them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.data_pipeline import PipelineOperations
from mindscope.table.columns import integers_of

HIGH_USE, LOW_USE, USE_GAP = 0.8, 0.6, 0.1
"""Usage of the output queues of operations, 0 to 1."""

Rule = Literal["gap", "leaf", "root"]
Code = Literal[
    "pipeline_consumer",
    "pipeline_reader",
    "pipeline_generator",
    "pipeline_map",
    "pipeline_batch",
    "pipeline_bottleneck",
]
_CODES: dict[Rule, Code] = {"gap": "pipeline_bottleneck", "leaf": "pipeline_reader", "root": "pipeline_consumer"}
_CODES_BY_TYPE: dict[tuple[Rule, str], Code] = {
    ("leaf", "Generator"): "pipeline_generator", ("gap", "Map"): "pipeline_map", ("gap", "Batch"): "pipeline_batch",
}  # fmt: skip
_THRESHOLDS: dict[Rule, float] = {"gap": USE_GAP, "leaf": LOW_USE, "root": HIGH_USE}


class Bottleneck(NamedTuple):
    """``row`` is that of the operation, ``type`` its type.

    ``gap``: the queue of a child is fuller than its own by more than ``USE_GAP``. ``leaf``: it reads the data, and its
    queue is filled less than ``LOW_USE``. ``root``: all queues are filled ``HIGH_USE`` or more, so what takes the data
    is slow.
    """

    row: int
    rule: Rule
    type: str

    @property
    def code(self) -> Code:
        """Code of the advice about it, by the kind of operation."""
        return _CODES_BY_TYPE.get((self.rule, self.type.removesuffix("Op")), _CODES[self.rule])

    @property
    def threshold(self) -> float:
        """Usage, or difference of usages, 0 to 1."""
        return _THRESHOLDS[self.rule]


def bottlenecks(operations: PipelineOperations) -> list[Bottleneck]:
    """Return the slow operations in the order of execution; one that both rules find is a ``leaf``.

    Operations without a queue, but the root, run in the thread of the next one, and are passed over.
    """
    if operations.queue_usage is None:
        return []
    usage = operations.queue_usage
    parents = integers_of(operations.parent)
    roots = {row for row, parent in enumerate(parents) if parent < 0}
    others = [row for row, parent in enumerate(parents) if parent >= 0 and not np.isnan(usage[row])]
    if others and all(usage[row] >= HIGH_USE for row in others):
        return [Bottleneck(row, "root", operations.type[row]) for row in sorted(roots)]
    has_child = set(parents)
    leaves = {row for row in others if row not in has_child and usage[row] < LOW_USE}
    consumers = {row: _consumer(row, parents, usage) for row in others}
    gaps = {consumers[row] for row in others if usage[row] - np.nan_to_num(usage[consumers[row]]) > USE_GAP}
    found = sorted((leaves | gaps) - roots)
    return [Bottleneck(row, "leaf" if row in leaves else "gap", operations.type[row]) for row in found]


def inputs_of(operations: PipelineOperations) -> dict[int, list[int]]:
    """Return by row from which operations with a queue each operation takes its input; leaves are not in it."""
    if operations.queue_usage is None:
        return {}
    usage, parents = operations.queue_usage, integers_of(operations.parent)
    found: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        if parent >= 0 and not np.isnan(usage[row]):
            found.setdefault(_consumer(row, parents, usage), []).append(row)
    return found


def _consumer(row: int, parents: list[int], usage: NDArray[np.float64]) -> int:
    """Return the next operation with a queue of its own, or the root."""
    row = parents[row]
    for _ in parents:  # a damaged file may have a circle
        if parents[row] < 0 or not np.isnan(usage[row]):
            break
        row = parents[row]
    return row
