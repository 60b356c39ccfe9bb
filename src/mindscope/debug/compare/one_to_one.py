# SPDX-License-Identifier: Apache-2.0
"""Matches single operators: by hand, by names, then by their sequence in a scope."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from mindscope.debug.compare.names import alike_slot
from mindscope.debug.compare.operators import RecordedOperator, RecordedOperators
from mindscope.debug.model.tensors import Phase
from mindscope.errors import DebugDataError

Key = Callable[[RecordedOperator], Hashable]
_MOST_ALIGNED = 5000
"""Operators of a scope that are aligned; longer ones are matched by their number among equal ones."""


@dataclass(slots=True)
class OneToOne:
    """Pairs of operators of two sources, by their indexes in ``RecordedOperators.operators``."""

    left: RecordedOperators
    right: RecordedOperators
    pairs: dict[int, int] = field(default_factory=dict[int, int])
    """Operators of the left source with those of the right one."""
    _taken: tuple[set[int], set[int]] = field(default_factory=lambda: (set[int](), set[int]()))
    """Operators of both sources that have a match."""

    def match_by_hand(self, names: Mapping[str, str]) -> None:
        """Pair operators phase by phase. Raises DebugDataError if one is not there."""
        sides = [_by_name(side.operators) for side in (self.left, self.right)]
        for one, other in names.items():
            for side, name, word in zip(sides, (one, other), ("left", "right"), strict=True):
                if name not in side:
                    raise DebugDataError(f"operator {name!r} is not in the {word} training")
            left, right = sides[0][one], sides[1][other]
            phases = [phase for phase in left if phase in right]
            for phase, other_phase in [(each, each) for each in phases] or [(next(iter(left)), next(iter(right)))]:
                self._add(left[phase], right[other_phase])

    def match_by_names(self) -> None:
        """Pair operators with equal names, then with names that are equal without what frameworks add."""
        for key in (_exact, _plain, _plain_without_call):
            self._match_unique(key)

    def align(self, scope: Key) -> None:
        """Align the sequences of what is left in each scope, by what the operators compute and their sizes."""
        left, right = self.left_over()
        of_left, of_right = grouped(left, self.left, scope), grouped(right, self.right, scope)
        for key, indexes in of_left.items():
            for one, other in self._aligned(indexes, of_right.get(key, [])):
                self._add(one, other)

    def left_over(self) -> tuple[list[int], list[int]]:
        """Return the operators of both sources without a pair, in the order of execution."""
        left, right = (
            [index for index in range(len(side.operators)) if index not in taken]
            for side, taken in zip((self.left, self.right), self._taken, strict=True)
        )
        return left, right

    def take(self, left: Iterable[int], right: Iterable[int]) -> None:
        """Leave operators out that have another match."""
        self._taken[0].update(left)
        self._taken[1].update(right)

    def _add(self, one: int, other: int) -> None:
        if one not in self._taken[0] and other not in self._taken[1]:
            self.pairs[one] = other
            self.take([one], [other])

    def _match_unique(self, key: Key) -> None:
        """Pair operators with equal keys, of which both sources have one, if their sizes agree."""
        left, right = self.left_over()
        of_left, of_right = grouped(left, self.left, key), grouped(right, self.right, key)
        for value, indexes in of_left.items():
            others = of_right.get(value, [])
            if len(indexes) == len(others) == 1 and self._is_alike(indexes[0], others[0]):
                self._add(indexes[0], others[0])

    def _is_alike(self, one: int, other: int) -> bool:
        """Return whether the sizes of the first outputs agree where both are known."""
        sizes = self.left.main_size(self.left.operators[one]), self.right.main_size(self.right.operators[other])
        return None in sizes or sizes[0] == sizes[1]

    def _aligned(self, left: list[int], right: list[int]) -> Iterable[tuple[int, int]]:
        ours = [_sequence_key(self.left, self.left.operators[each]) for each in left]
        theirs = [_sequence_key(self.right, self.right.operators[each]) for each in right]
        if max(len(left), len(right)) > _MOST_ALIGNED:
            return _by_occurrence(left, ours, right, theirs)
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        return [(left[one + index], right[other + index]) for one, other, size in blocks for index in range(size)]


def of_scope(operator: RecordedOperator) -> Hashable:
    """Return the module, the phase, and whether it is an operator."""
    return operator.path, operator.phase, operator.is_parameter


def of_phase(operator: RecordedOperator) -> Hashable:
    """Return the phase, and whether it is an operator."""
    return operator.phase, operator.is_parameter


def _exact(operator: RecordedOperator) -> Hashable:
    first = operator.first
    own = (first.slot, first.role) if operator.is_parameter else ()
    return first.module, first.type, first.phase, first.call, first.name, own


def _plain(operator: RecordedOperator) -> Hashable:
    return _plain_without_call(operator), operator.first.call


def _plain_without_call(operator: RecordedOperator) -> Hashable:
    if operator.is_parameter:  # of which other frameworks have another class
        return operator.path, alike_slot(operator.first.slot), operator.first.role, operator.is_state
    return operator.path, operator.parts, operator.phase, operator.is_state


def _sequence_key(side: RecordedOperators, operator: RecordedOperator) -> Hashable:
    parts = (alike_slot(operator.first.slot), operator.first.role) if operator.is_parameter else operator.parts
    return parts, operator.is_state, side.main_size(operator)


def _by_name(operators: Sequence[RecordedOperator]) -> dict[str, dict[Phase, int]]:
    """Return the indexes of operators by name and phase: an operator of the backward pass may have the name of its
    forward.
    """
    found: dict[str, dict[Phase, int]] = defaultdict(dict)
    for index, operator in enumerate(operators):
        found[operator.name].setdefault(operator.phase, index)
    return found


def grouped(indexes: Iterable[int], side: RecordedOperators, key: Key) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index in indexes:
        groups[key(side.operators[index])].append(index)
    return groups


def _by_occurrence(
    left: Sequence[int], ours: Sequence[Hashable], right: Sequence[int], theirs: Sequence[Hashable]
) -> Iterable[tuple[int, int]]:
    indexes: dict[Hashable, list[int]] = defaultdict(list)
    for index, key in zip(reversed(right), reversed(theirs), strict=True):
        indexes[key].append(index)
    return [(index, indexes[key].pop()) for index, key in zip(left, ours, strict=True) if indexes.get(key)]
