# SPDX-License-Identifier: Apache-2.0
"""Matches the tensors of two trainings, also of two frameworks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.chains import (
    OperatorMatch,
    module_chains,
    names_of_chain,
    part_chains,
    with_additions,
)
from mindscope.debug.compare.fused import Fused, match_fused
from mindscope.debug.compare.one_to_one import OneToOne, of_phase, of_scope
from mindscope.debug.compare.operators import RecordedOperator, RecordedOperators, owner_of
from mindscope.debug.compare.partial_matches import partial_matches, updates_of
from mindscope.debug.compare.step_offset import StepOffset, aligned_samples, find_step_offset
from mindscope.debug.compare.tensor_pairs import Sides, operator_pairs
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.tensors import Role
from mindscope.debug.texts import say

_LEAST_SHARE = 0.5
"""Share of the operators of one training that must have a counterpart, so that a comparison says something."""


@dataclass(slots=True)
class TensorMatching:
    """Pairs of tensors of two sources that are the same."""

    left: NDArray[np.int64]
    """Indexes of matched tensors in the left source, and at the same index of ``right`` in the right one."""
    right: NDArray[np.int64]
    match: NDArray[np.int64]
    """Indexes in ``names``, by the same index."""
    names: tuple[tuple[str, str], ...]
    """Names of the matched operators in the left and in the right source; a chain of operators has one name."""
    fused: tuple[Fused, ...]
    """Weights of one source that are several in the other."""
    operators: tuple[int, int]
    """Numbers of operators that compute something, of the left and of the right source."""
    unmatched_operators: tuple[tuple[RecordedOperator, ...], tuple[RecordedOperator, ...]]
    """Operators without a match in the order of execution, of the left and of the right source."""
    step_offset: StepOffset
    """The number that is added to a step of the left source to get that of the right one."""

    @property
    def unmatched(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of operators of the left and of the right source without a match."""
        left, right = ([each.name for each in side] for side in self.unmatched_operators)
        return tuple(left), tuple(right)

    @property
    def matched_operators(self) -> int:
        """The number of matched operators of the source that has more operators."""
        side = int(self.operators[1] > self.operators[0])
        return self.operators[side] - len(self.unmatched_operators[side])

    @property
    def coverage(self) -> float:
        """Share of matched operators, of the source that has more; 1 if none has any."""
        most = max(self.operators)
        return self.matched_operators / most if most else 1.0

    @property
    def is_sufficient(self) -> bool:
        """Whether half of the operators of one of the sources match, so that equal ones say something."""
        counts = zip(self.operators, self.unmatched_operators, strict=True)
        shares = [1 - len(unmatched) / count for count, unmatched in counts if count]
        return bool(len(self.left) and shares and max(shares) >= _LEAST_SHARE)

    @property
    def text(self) -> str:
        """The coverage, such as ``91 % of 1,204 operators matched``."""
        most = max(self.operators)
        return say("compare", "coverage", percent=100 * self.matched_operators // most if most else 100, n=f"{most:,}")


def match_tensors(
    left: DebugSource,
    right: DebugSource,
    by_hand: Mapping[str, str] | None = None,
    step_offset: int | None = None,
) -> TensorMatching:
    """Matches operators, then their tensors: by path, type, call and shape, then by their sequence within a scope.

    An operator of one source may be several of the other, and a module what runs in it.

    Args:
        left: one training.
        right: the other.
        by_hand: names of operators of ``left`` with those of ``right`` that match, first of all; phase by phase.
        step_offset: what is added to a step of ``left`` to get that of ``right``; by default it is found.

    Raises:
        DebugDataError: ``by_hand`` names an operator that is not there.
    """
    sides = RecordedOperators.of(left), RecordedOperators.of(right)
    pairs = OneToOne(*sides)
    pairs.match_by_hand(by_hand or {})
    pairs.match_by_names()
    pairs.align(of_scope)
    offset = find_step_offset(left, right, _tensors(pairs)) if step_offset is None else StepOffset(step_offset)
    samples = aligned_samples(left, right, offset.steps) or tuple(zip(sides[0].samples, sides[1].samples, strict=False))
    return _Matching(Sides(*sides, samples), pairs).result(offset)


def _tensors(pairs: OneToOne) -> list[tuple[int, int]]:
    sides = Sides(pairs.left, pairs.right, ())
    return [
        pair
        for one, other in pairs.pairs.items()
        for pair in operator_pairs(sides, pairs.left.operators[one], pairs.right.operators[other])
    ]


def known_pairs(left: DebugSource, right: DebugSource, pairs: Mapping[str, str]) -> dict[str, str]:
    """Return the ``pairs`` whose operators both trainings have."""
    ours, theirs = ({owner_of(tensor) for tensor in source.tensors} for source in (left, right))
    return {one: other for one, other in pairs.items() if one in ours and other in theirs}


@dataclass(slots=True)
class _Matching:
    sides: Sides
    pairs: OneToOne
    """Pairs of single operators; the others are matched from here."""
    matches: list[OperatorMatch] = field(default_factory=list[OperatorMatch])
    compared: tuple[set[int], set[int]] = field(default_factory=lambda: (set[int](), set[int]()))
    """Operators of the left and of the right source whose results are compared."""

    def result(self, offset: StepOffset) -> TensorMatching:
        self._add(part_chains(self.sides, *self._free(), of_scope))
        self._add(module_chains(self.sides, *self._free()))
        self.pairs.align(of_phase)
        self._add(part_chains(self.sides, *self._free(), of_phase))
        self._add([self._of_pair(one, other) for one, other in sorted(self.pairs.pairs.items())])
        self._add_later(self.sides, is_swapped=False)
        self._add_later(self.sides.swapped(), is_swapped=True)
        self._add_partial(self.sides, is_swapped=False)
        self._add_partial(self.sides.swapped(), is_swapped=True)
        fused = self._fused()
        self._add_updates()
        return self._matching(fused, offset)

    def _free(self) -> tuple[list[int], list[int]]:
        """Return operators without a match that compute something."""
        left, right = self.pairs.left_over()
        return self._computing(self.sides.left, left), self._computing(self.sides.right, right)

    def _computing(self, side: RecordedOperators, indexes: list[int]) -> list[int]:
        operators = side.operators
        return [index for index in indexes if operators[index].computes and not operators[index].is_parameter
                and not operators[index].is_loss]  # fmt: skip

    def _add(self, matches: Iterable[OperatorMatch]) -> None:
        for match in matches:
            self.matches.append(match)
            self.pairs.take(match.left, match.right)
            self._compare(match.left, match.right)

    def _compare(self, left: Iterable[int], right: Iterable[int]) -> None:
        self.compared[0].update(left)
        self.compared[1].update(right)

    def _of_pair(self, one: int, other: int) -> OperatorMatch:
        operators = self.sides.left.operators[one], self.sides.right.operators[other]
        return OperatorMatch((one,), (other,), tuple(operator_pairs(self.sides, *operators)))

    def _add_later(self, sides: Sides, *, is_swapped: bool) -> None:
        matches = [each.swapped() for each in self.matches] if is_swapped else self.matches
        for number, match in with_additions(sides, matches, self._free()[is_swapped]):
            self.matches[number] = match.swapped() if is_swapped else match
            self._compare(self.matches[number].left, self.matches[number].right)

    def _add_partial(self, sides: Sides, *, is_swapped: bool) -> None:
        compared = self.compared[is_swapped]
        unmatched = [index for index in range(len(sides.left.operators)) if index not in compared]
        for match, covered in partial_matches(sides, unmatched):
            self.matches.append(match.swapped() if is_swapped else match)
            self._compare(*((covered, match.left) if is_swapped else (match.left, covered)))

    def _fused(self) -> tuple[Fused, ...]:
        left, right = (
            [each for each, operator in enumerate(side.operators) if operator.is_parameter and each not in compared]
            for side, compared in zip((self.sides.left, self.sides.right), self.compared, strict=True)
        )
        ours = {self.sides.left.operators[each].tensors[0]: each for each in left}
        theirs = {self.sides.right.operators[each].tensors[0]: each for each in right}
        found = match_fused(list(ours), self.sides.left.tensors, list(theirs), self.sides.right.tensors)
        for each in found:
            self._compare([ours[tensor] for tensor in each.left], [theirs[tensor] for tensor in each.right])
        return found

    def _add_updates(self) -> None:
        """Match the results of optimizers as the parameters, which are compared."""
        for side, compared in zip((self.sides.left, self.sides.right), self.compared, strict=True):
            weights = [each for each in compared if side.operators[each].first.role is Role.PARAMETER]
            compared |= updates_of(side, weights)

    def _matching(self, fused: tuple[Fused, ...], offset: StepOffset) -> TensorMatching:
        sides = self.sides.left, self.sides.right
        rows = [(*pair, number) for number, match in enumerate(self.matches) for pair in match.pairs]
        columns: NDArray[np.int64] = np.array(rows, np.int64).reshape(-1, 3)
        names = [(names_of_chain(sides[0], each.left), names_of_chain(sides[1], each.right)) for each in self.matches]
        unmatched = [
            tuple(
                [
                    operator
                    for index, operator in enumerate(side.operators)
                    if operator.computes and index not in compared
                ]
            )
            for side, compared in zip(sides, self.compared, strict=True)
        ]
        counts = [
            len(unmatched[number]) + sum(index in compared for index in range(len(side.operators)))
            for number, (side, compared) in enumerate(zip(sides, self.compared, strict=True))
        ]
        return TensorMatching(
            left=columns[:, 0],
            right=columns[:, 1],
            match=columns[:, 2],
            names=tuple(names),
            fused=fused,
            operators=(counts[0], counts[1]),
            unmatched_operators=(unmatched[0], unmatched[1]),
            step_offset=offset,
        )
