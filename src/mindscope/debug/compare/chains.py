# SPDX-License-Identifier: Apache-2.0
"""Matches chains of operators: a fused operator of one source is several of the other.

A chain is compared by what enters and what leaves it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from mindscope.debug.compare.one_to_one import Key, grouped, of_scope
from mindscope.debug.compare.operators import RecordedOperator, RecordedOperators
from mindscope.debug.compare.tensor_pairs import Sides, chain_pairs
from mindscope.debug.model.tensors import Phase, Role

Indexes = Sequence[int]
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class OperatorMatch:
    """Operators of the left source that together are those of the right one; mostly one of each."""

    left: tuple[int, ...]
    """Indexes in ``RecordedOperators.operators``, in the order of execution."""
    right: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    """Tensors of the left source with those of the right one."""

    def swapped(self) -> OperatorMatch:
        """Return the right source as the left one."""
        return OperatorMatch(self.right, self.left, tuple([(other, one) for one, other in self.pairs]))


def part_chains(sides: Sides, left: Indexes, right: Indexes, scope: Key) -> Iterator[OperatorMatch]:
    """Yield the operators of a scope that compute the same: ``addmm`` is ``mm`` and ``add``, as are those two
    operators.

    Args:
        sides: the sources.
        left: indexes of operators without a match, in the order of execution.
        right: as ``left``.
        scope: only operators with equal ones match.
    """
    others = grouped(right, sides.right, scope)
    for key, indexes in grouped(left, sides.left, scope).items():
        for one, other in _linked(sides, indexes, others.get(key, [])):
            yield from _chain(sides, one, other)


def module_chains(sides: Sides, left: Indexes, right: Indexes) -> Iterator[OperatorMatch]:
    """Yield all of a module without inner ones in a phase, if both sources have it. Arguments as ``part_chains``."""
    outer = {operator.path.rpartition(".")[0] for side in (sides.left, sides.right) for operator in side.operators}
    others = grouped(right, sides.right, of_scope)
    for key, indexes in grouped(left, sides.left, of_scope).items():
        path = sides.left.operators[indexes[0]].path
        if path and path not in outer and key in others:
            yield from _chain(sides, indexes, others[key])


def with_additions(
    sides: Sides, matches: Sequence[OperatorMatch], left: Indexes
) -> Iterator[tuple[int, OperatorMatch]]:
    """Yield the operators of the left source that its training added later, after what they continue in the same
    module.

    Args:
        sides: the sources.
        matches: so far.
        left: operators of the left source without a match.

    Returns:
        Indexes in ``matches``, and the matches with those operators.
    """
    last: dict[Hashable, int] = {}
    for number, match in enumerate(matches):
        last[of_scope(sides.left.operators[match.left[-1]])] = number
    for index in left:
        operator = sides.left.operators[index]
        number = last.get(of_scope(operator)) if operator.path and operator.phase is Phase.FORWARD else None
        if number is not None and not _is_sampled(sides, operator):
            outputs = [tensor for tensor in operator.tensors if sides.left.tensors[tensor].role is Role.OUTPUT][:1]
            theirs = [other for one, other in matches[number].pairs if sides.left.tensors[one].role is Role.OUTPUT]
            pairs = sides.pair(outputs, theirs[-1:])
            if pairs:
                match = matches[number]
                yield number, OperatorMatch((*match.left, index), match.right, (*match.pairs, *pairs))


def _is_sampled(sides: Sides, operator: RecordedOperator) -> bool:
    return any(sample.has(tensor) for sample, _ in sides.samples[:1] for tensor in operator.tensors)


def _chain(sides: Sides, left: Indexes, right: Indexes) -> Iterator[OperatorMatch]:
    ours, theirs = ([side.operators[index] for index in indexes]
                    for side, indexes in ((sides.left, left), (sides.right, right)))  # fmt: skip
    pairs = chain_pairs(sides, ours, theirs)
    if pairs:
        yield OperatorMatch(tuple(left), tuple(right), tuple(pairs))


def _linked(sides: Sides, left: Indexes, right: Indexes) -> Iterator[tuple[list[int], list[int]]]:
    """Yield operators that share parts, by aligning the parts of both sequences."""
    ours, theirs = _parts(sides.left, left), _parts(sides.right, right)
    blocks = SequenceMatcher(None, [part for part, _ in ours], [part for part, _ in theirs], autojunk=False)
    links = [(ours[one + index][1], theirs[other + index][1])
             for one, other, size in blocks.get_matching_blocks() for index in range(size)]  # fmt: skip
    groups: list[tuple[list[int], list[int]]] = []
    for one, other in links:  # ascending on both sides, so only the last group can go on
        if groups and (one == groups[-1][0][-1] or other == groups[-1][1][-1]):
            _append(groups[-1][0], one)
            _append(groups[-1][1], other)
        else:
            groups.append(([one], [other]))
    yield from groups


def _append(indexes: list[int], index: int) -> None:
    if indexes[-1] != index:
        indexes.append(index)


def _parts(side: RecordedOperators, indexes: Indexes) -> list[tuple[str, int]]:
    return [(part, index) for index in indexes for part in side.operators[index].parts]


def names_of_chain(side: RecordedOperators, indexes: Indexes) -> str:
    """Return the name of an operator, or of the first and the last one of a chain."""
    names = [side.operators[index].name for index in indexes]
    return " + ".join(names if len(names) <= _MOST_NAMED else [names[0], "…", names[-1]])
