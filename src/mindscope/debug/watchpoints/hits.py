# SPDX-License-Identifier: Apache-2.0
"""Holds what an evaluation of watchpoints found, and what it could not evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Annotated, Any

from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints.watchpoint import Watchpoint
from mindscope.table.columns import Ids, Numbers, Texts
from mindscope.table.schema import MIN
from mindscope.table.table import Table, Tabular


class Problem(IntFlag):
    """Reasons why a tensor was not evaluated. The first six are the bits of MindInsight's error code."""

    NAN = 1
    INFINITY = 2
    NO_EARLIER_VALUE = 4
    TOO_LARGE = 8
    NO_EXECUTION_HISTORY = 16
    NO_VALUE = 32
    NOT_RECORDED = 64
    """The statistic is not recorded."""
    WHOLE_TENSOR_NEEDED = 128
    """The recorded statistics leave both possible."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A condition that held for a tensor."""

    step: int
    rank: int
    tensor: int
    """Index in ``DebugSource.tensors``."""
    row: int
    """Row in the statistics of the step."""
    order: int
    """Order of the operator in the execution of the step."""
    watchpoint: int
    parameter: str
    """The one that holds; empty for a condition without."""
    set_value: float
    """NaN without a parameter."""
    actual: float
    """Exact, or the bound that statistics prove."""
    since: int
    """The first of the consecutive recorded steps in which it holds; of a watchpoint ``for 3``, at least two before."""


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """Tensors for which a parameter of a watchpoint could not be evaluated, all for the same reason."""

    watchpoint: int
    parameter: str
    problem: Problem
    missing: tuple[str, ...]
    """Statistics that a recording would need; ``tensor`` is the whole tensor."""
    count: int
    """Tensors, over all steps and ranks."""
    first_step: int
    first_tensor: int


@dataclass(frozen=True, slots=True)
class Evaluation(Tabular):
    """Hits in execution order: by step, then position in the step, then rank. They are the rows of its table."""

    tensors: Sequence[DebugTensor]
    watchpoints: tuple[Watchpoint, ...]
    hits: tuple[Hit, ...]
    """The first hits, at most as many as the evaluation was limited to."""
    counts: Mapping[int, Mapping[int, int]]
    """The number of hits of each watchpoint with any, by step, beyond the limit too."""
    consequences: Mapping[int, int]
    """The number of further hits that follow from the first one, of each watchpoint with any."""
    unevaluated: tuple[Unevaluated, ...]
    unmatched: tuple[int, ...]
    """Watchpoints that no recorded tensor matches."""
    steps: int
    """The number of steps of ranks that were evaluated."""

    @property
    def count(self) -> int:
        """The number of hits, beyond the limit too."""
        return sum(sum(of_step.values()) for of_step in self.counts.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return the hits with names in place of numbers."""
        return [self._row(hit) for hit in self.hits]

    def _row(self, hit: Hit) -> dict[str, Any]:
        tensor, condition = self.tensors[hit.tensor], self.watchpoints[hit.watchpoint].condition
        return {
            "step": hit.step, "rank": hit.rank, "order": hit.order, "operator": tensor.operator,
            "phase": str(tensor.phase), "role": str(tensor.role), "slot": tensor.slot, "condition": condition.id,
            "parameter": hit.parameter, "set_value": hit.set_value, "actual": hit.actual, "since": hit.since,
            "source": tensor.stack[0] if tensor.stack else "",
        }  # fmt: skip

    def to_table(self) -> Hits:
        """Return ``rows`` as a table."""
        return Hits.of_rows(self.rows())


@dataclass(frozen=True, kw_only=True)
class Hits(Table):
    """One row for each hit."""

    step: Ids
    rank: Ids
    order: Ids
    operator: Texts
    phase: Texts
    role: Texts
    slot: Texts
    condition: Texts
    parameter: Texts
    set_value: Numbers
    actual: Numbers
    since: Annotated[Ids, MIN]
    source: Texts
