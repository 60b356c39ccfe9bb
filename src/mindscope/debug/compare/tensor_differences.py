# SPDX-License-Identifier: Apache-2.0
"""Compares the tensors of an operator in two trainings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from mindscope.debug.compare.compared_step import ComparedStep
from mindscope.debug.compare.comparison import Comparison
from mindscope.debug.compare.operators import owner_of
from mindscope.debug.compare.whole_tensors import OperatorTensors, TensorPair, Tolerance
from mindscope.debug.difference_level import Level, guidance
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.tensor_difference import TensorDifference
from mindscope.debug.watchpoints.watchpoint import names_of
from mindscope.errors import DebugDataError
from mindscope.table.columns import Flags, Numbers, Texts
from mindscope.table.schema import MAX, MIN, Unit
from mindscope.table.table import Table, Tabular

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class ComparedTensor:
    """A tensor of an operator in both trainings."""

    pair: TensorPair
    difference: TensorDifference
    is_whole: bool
    """Whether all elements are compared; else the statistics are, and what needs elements is NaN."""
    level: Level
    """Level by the thresholds of msprobe, beside the inputs of the operator."""
    problems: tuple[str, ...]
    """Codes of what is wrong."""

    def to_json(self) -> dict[str, Any]:
        """Return all figures as plain values, with msprobe's guidance for whole tensors."""
        left, right = self.pair.tensors
        return {
            "left": left.operator, "right": right.operator, "phase": str(left.phase), "role": str(left.role),
            "slot": left.slot, "level": str(self.level), "problems": list(self.problems), "is_whole": self.is_whole,
            "guidance": {each.figure: each.holds for each in guidance(self.difference)} if self.is_whole else None,
            **self.difference.to_json(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class TensorDifferences(Tabular):
    """The tensors of an operator in a step of both trainings, in the order of execution, inputs first."""

    steps: tuple[int, int]
    """Steps of the left and of the right training."""
    ranks: tuple[int, int]
    tensors: tuple[ComparedTensor, ...]

    @property
    def differs(self) -> bool:
        """Whether a whole tensor has elements beyond the tolerance, or statistics exceed a threshold."""
        return any(
            tensor.level in (Level.WARNING, Level.ERROR) or tensor.difference.share_beyond > 0
            for tensor in self.tensors
        )

    def to_json(self) -> dict[str, Any]:
        """Return all differences as plain values."""
        (step, other_step), (rank, other_rank) = self.steps, self.ranks
        return {
            "step": step, "other_step": other_step, "rank": rank, "other_rank": other_rank,
            "tensors": [tensor.to_json() for tensor in self.tensors],
        }  # fmt: skip

    def to_table(self) -> DifferenceRows:
        """Return a row for each tensor."""
        figures = ("cosine", "max_abs", "max_rel", "rmse", "norm_error", "share_beyond", "share_within_1e3")
        rows = [
            {
                **{"operator": owner_of(tensor.pair.tensors[0]), "role": str(tensor.pair.role)},
                **{"slot": tensor.pair.tensors[0].slot, "level": str(tensor.level), "is_whole": tensor.is_whole},
                **{name: getattr(tensor.difference, name) for name in figures},
            }
            for tensor in self.tensors
        ]
        return DifferenceRows.of_rows(rows)


@dataclass(frozen=True, kw_only=True)
class DifferenceRows(Table):
    """One row for each tensor, with the figures of ``TensorDifference``."""

    operator: Texts
    role: Texts
    slot: Texts
    level: Texts
    is_whole: Flags
    cosine: Annotated[Numbers, MIN]
    max_abs: Annotated[Numbers, MAX]
    max_rel: Annotated[Numbers, MAX]
    rmse: Numbers
    norm_error: Annotated[Numbers, MAX]
    share_beyond: Annotated[Numbers, Unit.SHARE]
    share_within_1e3: Annotated[Numbers, Unit.SHARE]


def tensor_differences(
    left: DebugSource,
    right: DebugSource,
    operator: str,
    step: int | None = None,
    *,
    rank: int | None = None,
    by_hand: Mapping[str, str] | None = None,
    step_offset: int | None = None,
    tolerance: Tolerance | None = None,
) -> TensorDifferences:
    """Return the differences of all tensors of an operator, of all elements where both trainings have them.

    Args:
        left: one training.
        right: the reference.
        operator: name of an operator of ``left``, path of a module, or name of a parameter, ``fc1.weight``.
        step: by default the first that differs, else the last that both have.
        rank: of ``left``; by default the first.
        by_hand: as in ``compare_sources``.
        step_offset: as in ``compare_sources``.
        tolerance: of elements.

    Raises:
        DebugDataError: the trainings have no such step or operator in common; the text names others.
        FormatError, OSError: as ``DebugSource.at``.
    """
    comparison = Comparison(left, right, by_hand=by_hand, step_offset=step_offset)
    compared = _step_of(comparison, left, right, step, rank)
    found: dict[tuple[int, int], ComparedTensor] = {}
    for rows in _rows_of(compared, left, operator):
        if rows not in found:
            tensors = OperatorTensors(compared, rows, tolerance)
            found.update({tensor.pair.rows: tensor for tensor in _compared_tensors(tensors, operator)})
    one, other = compared.steps
    return TensorDifferences((one.step, other.step), (one.rank, other.rank), tuple(found.values()))


def _compared_tensors(tensors: OperatorTensors, operator: str) -> Iterator[ComparedTensor]:
    for pair in tensors.pairs:
        if _is_named(pair, operator):
            yield ComparedTensor(pair, *tensors.difference(pair), *tensors.level(pair))


def _step_of(
    comparison: Comparison, left: DebugSource, right: DebugSource, step: int | None, rank: int | None
) -> ComparedStep:
    if step is None:
        while not comparison.is_over and comparison.first is None:
            comparison.read_next()
        if not comparison.differences:
            raise DebugDataError("the trainings have no common step")
        step = comparison.differences[-1].step
        rank = comparison.first.rank if rank is None and comparison.first is not None else rank
    rank = left.ranks[0] if rank is None and left.ranks else rank or 0
    other = comparison.other_rank(step, rank)
    if other is None:
        raise DebugDataError(f"the trainings have no common step {step} of rank {rank}")
    return comparison.compare(left.at(step, rank), right.at(step + comparison.step_offset, other))


def _rows_of(compared: ComparedStep, left: DebugSource, operator: str) -> list[tuple[int, int]]:
    """Return the rows of the matched tensors of an operator, in the order of execution."""
    tensors = [left.tensors[int(compared.left.tensor[row])] for row in compared.row]
    order = compared.left.order[compared.row]
    pairs = [pair for pair, tensor in enumerate(tensors) if operator in _names(tensor)]
    if not pairs:
        there = dict.fromkeys(name for each in tensors for name in _names(each) if name)
        near = [name for name in there if operator.lower() in name.lower()] or list(there)
        names = ", ".join(near[:_MOST_NAMED])
        where = f"step {compared.left.step} of rank {compared.left.rank}"
        raise DebugDataError(f"{where} has no operator {operator!r} that both trainings have; it has {names}, ...")
    pairs.sort(key=lambda pair: (int(order[pair]), pair))
    return [(int(compared.rows[0][pair]), int(compared.rows[1][pair])) for pair in pairs]


def _is_named(pair: TensorPair, operator: str) -> bool:
    return operator in _names(pair.tensors[0])


def _names(tensor: DebugTensor) -> tuple[str, ...]:
    return (*names_of(tensor), owner_of(tensor))
