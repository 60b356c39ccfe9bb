# SPDX-License-Identifier: Apache-2.0
"""Matches the tensors of two trainings, also of two frameworks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.fused import Fused, match_fused
from mindscope.debug.compare.names import alike_slot, alike_type, plain_path
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import DebugDataError

_MOST_ALIGNED = 5000
"""Operators of a scope that are aligned; longer ones are matched by their number among equal ones."""


@dataclass(frozen=True, slots=True)
class MatchedOperator:
    """An operator, module or parameter of one training with its tensors, by role and slot."""

    tensors: tuple[int, ...]
    first: DebugTensor
    place: int
    """In the order of execution."""

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter or its gradient, not an operator."""
        return self.first.role in (Role.PARAMETER, Role.GRADIENT)


@dataclass(slots=True)
class TensorMatching:
    """Which tensors of two sources are the same."""

    left: NDArray[np.int64]
    """Places of matched tensors in the left source, and at the same index of ``right`` in the right one."""
    right: NDArray[np.int64]
    fused: tuple[Fused, ...]
    """Weights of one source that are several in the other."""
    operators: tuple[int, int]
    """Of the left and of the right source."""
    matched_operators: int
    unmatched_operators: tuple[tuple[MatchedOperator, ...], tuple[MatchedOperator, ...]]
    """Of the left and of the right source, those without a match in the order of execution."""

    @property
    def unmatched(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of operators of the left and of the right source without a match."""
        left, right = ([name_of(each) for each in side] for side in self.unmatched_operators)
        return tuple(left), tuple(right)

    @property
    def coverage(self) -> float:
        """Share of matched operators, of the source that has more; 1 if none has any."""
        most = max(self.operators)
        return self.matched_operators / most if most else 1.0

    @property
    def text(self) -> str:
        """The coverage, such as ``91 % of 1,204 operators matched``."""
        return f"{self.coverage:.0%} of {max(self.operators):,} operators matched".replace("%", " %")


def match_tensors(left: DebugSource, right: DebugSource, by_hand: Mapping[str, str] | None = None) -> TensorMatching:
    """Matches operators, then their tensors: by path, type, call and shape, then by their sequence within a scope.

    Args:
        left: one training.
        right: the other.
        by_hand: names of operators of ``left`` with those of ``right`` that match, first of all; phase by phase.

    Raises:
        DebugDataError: ``by_hand`` names an operator that is not there.
    """
    matcher = _Matcher(left.tensors, right.tensors, _operators(left), _operators(right))
    matcher.match_by_hand(by_hand or {})
    matcher.match_unique(_exact)
    matcher.match_unique(_plain)
    matcher.match_unique(_plain_without_call)
    matcher.align(lambda each: (plain_path(each.first.module), each.first.phase, each.is_parameter))
    matcher.align(lambda each: (each.first.phase, each.is_parameter))
    return matcher.result()


def known_pairs(left: DebugSource, right: DebugSource, pairs: Mapping[str, str]) -> dict[str, str]:
    """Those of ``pairs`` whose operators both trainings have."""
    ours, theirs = ({owner_of(each) for each in source.tensors} for source in (left, right))
    return {one: other for one, other in pairs.items() if one in ours and other in theirs}


def _operators(source: DebugSource) -> list[MatchedOperator]:
    """The operators of a source in the order of the first step that has them."""
    order: dict[int, int] = {}
    for rank in source.ranks[:1]:
        for step in source.steps(rank)[:2]:
            recorded = source.at(step, rank)
            for row in np.lexsort((np.arange(len(recorded.order)), recorded.order)).tolist():
                order.setdefault(int(recorded.tensor[row]), len(order))
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place, tensor in enumerate(source.tensors):
        own = tensor.slot if tensor.role in (Role.PARAMETER, Role.GRADIENT) else ""
        key = tensor.module, tensor.type, tensor.phase, tensor.call, tensor.name, own, own and tensor.role
        groups[key].append(place)
    last = len(source.tensors)
    found = [
        MatchedOperator(tuple(group), source.tensors[group[0]], min(order.get(each, last + each) for each in group))
        for group in groups.values()
    ]
    return sorted(found, key=lambda each: each.place)


def _exact(operator: MatchedOperator) -> Hashable:
    first = operator.first
    own = (first.slot, first.role) if operator.is_parameter else ()
    return first.module, first.type, first.phase, first.call, first.name, own


def _plain(operator: MatchedOperator) -> Hashable:
    return _plain_without_call(operator), operator.first.call


def _plain_without_call(operator: MatchedOperator) -> Hashable:
    first = operator.first
    if operator.is_parameter:  # of which other frameworks have another class
        return plain_path(first.module), alike_slot(first.slot), first.role
    return plain_path(first.module), alike_type(first.type), first.phase


@dataclass(slots=True)
class _Matcher:
    left_tensors: Sequence[DebugTensor]
    right_tensors: Sequence[DebugTensor]
    left: list[MatchedOperator]
    right: list[MatchedOperator]
    pairs: dict[int, int] = field(default_factory=dict[int, int])
    """Operators of the left source with those of the right one."""
    taken: set[int] = field(default_factory=set[int])

    def match_by_hand(self, names: Mapping[str, str]) -> None:
        sides = [_by_name(side) for side in (self.left, self.right)]
        for one, other in names.items():
            for side, name, word in zip(sides, (one, other), ("left", "right"), strict=True):
                if name not in side:
                    raise DebugDataError(f"operator {name!r} is not in the {word} training")
            left, right = sides[0][one], sides[1][other]
            phases = [phase for phase in left if phase in right]
            for phase, other_phase in [(each, each) for each in phases] or [(next(iter(left)), next(iter(right)))]:
                self._add(left[phase], right[other_phase])

    def _add(self, one: int, other: int) -> None:
        if one not in self.pairs and other not in self.taken:
            self.pairs[one] = other
            self.taken.add(other)

    def _left_over(self) -> tuple[list[int], list[int]]:
        return (
            [each for each in range(len(self.left)) if each not in self.pairs],
            [each for each in range(len(self.right)) if each not in self.taken],
        )

    def match_unique(self, key: Callable[[MatchedOperator], Hashable]) -> None:
        """Matches operators with equal keys, of which both sources have one, if their shapes agree."""
        left, right = self._left_over()
        of_left, of_right = _grouped(left, self.left, key), _grouped(right, self.right, key)
        for each, places in of_left.items():
            others = of_right.get(each, [])
            if len(places) == len(others) == 1 and self._is_alike(places[0], others[0]):
                self._add(places[0], others[0])

    def align(self, scope: Callable[[MatchedOperator], Hashable]) -> None:
        """Aligns the sequences of what is left in each scope, by type and shape."""
        left, right = self._left_over()
        of_left, of_right = _grouped(left, self.left, scope), _grouped(right, self.right, scope)
        for key, places in of_left.items():
            for one, other in self._aligned(places, of_right.get(key, [])):
                self._add(one, other)

    def _aligned(self, left: list[int], right: list[int]) -> Iterable[tuple[int, int]]:
        ours = [self._sequence_key(self.left[each], self.left_tensors) for each in left]
        theirs = [self._sequence_key(self.right[each], self.right_tensors) for each in right]
        if max(len(left), len(right)) > _MOST_ALIGNED:
            return _by_occurrence(left, ours, right, theirs)
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        return [(left[one + each], right[other + each]) for one, other, size in blocks for each in range(size)]

    def _sequence_key(self, operator: MatchedOperator, tensors: Sequence[DebugTensor]) -> Hashable:
        first = operator.first
        shapes = sorted(str(tensors[each].shape) for each in operator.tensors if tensors[each].role is not Role.INPUT)
        own = (alike_slot(first.slot), first.role) if operator.is_parameter else alike_type(first.type)
        return own, tuple(shapes)

    def _is_alike(self, one: int, other: int) -> bool:
        """Whether the shapes of the first outputs agree where both are known."""
        shapes = [_main_shape(side[each].tensors, tensors) for side, each, tensors in (
            (self.left, one, self.left_tensors), (self.right, other, self.right_tensors)
        )]  # fmt: skip
        return None in shapes or shapes[0] == shapes[1]

    def result(self) -> TensorMatching:
        lefts: list[int] = []
        rights: list[int] = []
        for one, other in self.pairs.items():
            for ours, theirs in self._tensor_pairs(self.left[one].tensors, self.right[other].tensors):
                lefts.append(ours)
                rights.append(theirs)
        left, right = self._left_over()
        fused = match_fused(
            [self.left[each].tensors[0] for each in left if self.left[each].is_parameter], self.left_tensors,
            [self.right[each].tensors[0] for each in right if self.right[each].is_parameter], self.right_tensors,
        )  # fmt: skip
        in_fused = _fused_places(fused)
        unmatched = (
            tuple([self.left[each] for each in left if self.left[each].tensors[0] not in in_fused[0]]),
            tuple([self.right[each] for each in right if self.right[each].tensors[0] not in in_fused[1]]),
        )
        most = max(len(self.left), len(self.right))
        side = 0 if len(self.left) == most else 1
        matched = len((self.left, self.right)[side]) - len(unmatched[side])
        return TensorMatching(
            np.array(lefts, np.int64), np.array(rights, np.int64), fused, (len(self.left), len(self.right)), matched,
            unmatched,
        )  # fmt: skip

    def _tensor_pairs(self, left: Sequence[int], right: Sequence[int]) -> Iterable[tuple[int, int]]:
        """Tensors with equal role and slot; the only one of a role with the only one."""
        of_left = _grouped_tensors(left, self.left_tensors)
        of_right = _grouped_tensors(right, self.right_tensors)
        for role, ours in of_left.items():
            theirs = of_right.get(role, {})
            if len(ours) == len(theirs) == 1:
                yield next(iter(ours.values())), next(iter(theirs.values()))
                continue
            for slot, place in ours.items():
                if slot in theirs:
                    yield place, theirs[slot]


def _fused_places(fused: Sequence[Fused]) -> tuple[set[int], set[int]]:
    return ({place for each in fused for place in each.left}, {place for each in fused for place in each.right})


def _by_name(operators: Sequence[MatchedOperator]) -> dict[str, dict[Phase, int]]:
    """The places of operators by name and phase: an operator of the backward pass may have the name of its forward."""
    found: dict[str, dict[Phase, int]] = defaultdict(dict)
    for place, each in enumerate(operators):
        found[name_of(each)].setdefault(each.first.phase, place)
    return found


def name_of(operator: MatchedOperator) -> str:
    """The name of an operator, or of a parameter: ``encoder.0.weight``."""
    return owner_of(operator.first)


def owner_of(tensor: DebugTensor) -> str:
    """What messages call the operator, the parameter or the gradient that a tensor is of."""
    own = f"{tensor.module}.{tensor.slot}".lstrip(".")
    if tensor.role is Role.PARAMETER:
        return own
    return f"gradient of {own}" if tensor.role is Role.GRADIENT else tensor.operator


def _grouped(
    places: Iterable[int], operators: Sequence[MatchedOperator], key: Callable[[MatchedOperator], Hashable]
) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for place in places:
        groups[key(operators[place])].append(place)
    return groups


def _grouped_tensors(places: Iterable[int], tensors: Sequence[DebugTensor]) -> dict[Role, dict[str, int]]:
    groups: dict[Role, dict[str, int]] = defaultdict(dict)
    for place in places:
        groups[tensors[place].role].setdefault(tensors[place].slot, place)
    return groups


def _main_shape(places: Iterable[int], tensors: Sequence[DebugTensor]) -> tuple[int, ...] | None:
    return next((tensors[each].shape for each in places if tensors[each].role is not Role.INPUT), None)


def _by_occurrence(
    left: Sequence[int], ours: Sequence[Hashable], right: Sequence[int], theirs: Sequence[Hashable]
) -> Iterable[tuple[int, int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, key in zip(reversed(right), reversed(theirs), strict=True):
        places[key].append(place)
    return [(place, places[key].pop()) for place, key in zip(left, ours, strict=True) if places.get(key)]
