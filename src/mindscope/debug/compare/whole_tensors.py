# SPDX-License-Identifier: Apache-2.0
"""The tensors of an operator in a step of two trainings, element by element where both were recorded as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mindscope.debug.compare.attributes import differing_attributes
from mindscope.debug.compare.compared_step import ComparedStep
from mindscope.debug.compare.names import is_memory_only
from mindscope.debug.difference_level import Level, difference_level
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.tensors import DebugTensor, Role
from mindscope.debug.tensor_difference import TensorDifference, elements_difference

ElementsOf = Callable[[int, int, int], TensorElements | None]
"""Returns the elements of a step, rank and row, as ``DebugSource.elements``."""
_ORDER = {Role.INPUT: 0, Role.PARAMETER: 1, Role.OUTPUT: 2, Role.GRADIENT: 3, Role.BUFFER: 4}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Tolerances beyond which elements count as different, and the smallest denominator of relative errors."""

    atol: float = 1e-8
    rtol: float = 1e-5
    floor: float = 1e-12


class TensorPair(NamedTuple):
    """A tensor of a step in both trainings."""

    rows: tuple[int, int]
    """Rows in the left and in the right step."""
    tensors: tuple[DebugTensor, DebugTensor]

    @property
    def role(self) -> Role:
        """The role in the left training."""
        return self.tensors[0].role


class FoundDifference(NamedTuple):
    """The difference of the left tensor of a pair from the right one."""

    difference: TensorDifference
    is_whole: bool
    """Whether all elements were compared, not statistics only."""


class OperatorTensors:
    """The tensors of one operator in a step, inputs first. A difference is computed on access, once.

    Args:
        compared: the step.
        rows: of a tensor of the operator, in the left and in the right step.
        tolerance: of elements.
        elements: of both trainings; by default those of the sources.
    """

    def __init__(
        self,
        compared: ComparedStep,
        rows: tuple[int, int],
        tolerance: Tolerance | None = None,
        elements: tuple[ElementsOf, ElementsOf] | None = None,
    ) -> None:
        self._compared, self._tolerance = compared, tolerance or Tolerance()
        one, other = compared.sources
        self._elements = elements or (one.elements, other.elements)
        self._found: dict[tuple[int, int], FoundDifference] = {}
        self.chosen = _pair(compared, rows)
        self.pairs = _pairs_of_operator(compared, self.chosen)
        """The pairs of its operator, with the chosen one."""

    def elements(self, pair: TensorPair) -> tuple[TensorElements | None, TensorElements | None]:
        """Return the elements of both; None where only statistics were recorded. Raises as ``DebugSource.at``."""
        left, right = self._compared.steps
        one, other = self._elements
        return one(left.step, left.rank, pair.rows[0]), other(right.step, right.rank, pair.rows[1])

    def difference(self, pair: TensorPair) -> FoundDifference:
        """Compare all elements, or the statistics where one was not recorded as a whole. Raises as ``elements``."""
        if pair.rows not in self._found:
            self._found[pair.rows] = self._computed(pair)
        return self._found[pair.rows]

    def level(self, pair: TensorPair) -> tuple[Level, tuple[str, ...]]:
        """Judge a pair by the thresholds of msprobe, beside the inputs of the operator, with codes of what is wrong."""
        is_output = pair.role is Role.OUTPUT
        if is_output and is_memory_only(pair.tensors[0].type):
            return Level.OK, ()
        inputs = [self.difference(each).difference for each in self.pairs if is_output and each.role is Role.INPUT]
        found = self.difference(pair)
        return difference_level(found.difference, inputs, attributes=self._attributes(pair, found.is_whole))

    def _attributes(self, pair: TensorPair, is_whole: bool) -> tuple[str, ...]:
        is_result = pair.role is Role.OUTPUT or not any(each.role is Role.OUTPUT for each in self.pairs)
        compared = self._compared
        return differing_attributes(
            compared.sources, compared.steps, pair.rows, is_result=is_result, has_elements=is_whole
        )

    def _computed(self, pair: TensorPair) -> FoundDifference:
        got, want = self.elements(pair)
        if got is not None and want is not None:
            limits = self._tolerance
            found = elements_difference(got, want, atol=limits.atol, rtol=limits.rtol, floor=limits.floor)
            return FoundDifference(found, True)
        return FoundDifference(self._compared.statistic_difference(pair.rows), False)


def _pair(compared: ComparedStep, rows: tuple[int, int]) -> TensorPair:
    one, other = (source.tensors[int(step.tensor[row])]
                  for source, step, row in zip(compared.sources, compared.steps, rows, strict=True))  # fmt: skip
    return TensorPair(rows, (one, other))


def _pairs_of_operator(compared: ComparedStep, chosen: TensorPair) -> tuple[TensorPair, ...]:
    """Return the pairs of the match that the chosen one is of; the chosen one alone if it is of none."""
    left, right = compared.rows
    match = compared.matching.match[compared.pairs]
    own = match[(left == chosen.rows[0]) & (right == chosen.rows[1])]
    pairs: list[int] = np.flatnonzero(match == own[0]).tolist() if own.size else []
    found = [_pair(compared, (int(left[pair]), int(right[pair]))) for pair in pairs]
    return _in_order(found or [chosen])


def _in_order(pairs: Sequence[TensorPair]) -> tuple[TensorPair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (_ORDER[pair.role], pair.rows)))
