# SPDX-License-Identifier: Apache-2.0
"""A data pipeline as a sequence of operations from source to sink, with branches where several flows join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mindscope.lineage.cell import Cell

SOURCE = "Dataset"
"""Suffix of the names of operations that read data, such as MnistDataset."""
IMPOSSIBLE = float("-inf")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: ``parameters`` are sorted by name, those of inner transforms and the sampler are dotted."""

    name: str
    parameters: tuple[tuple[str, Cell], ...] = ()


@dataclass(frozen=True, slots=True)
class Branches:
    """Flows that the next operation joins, such as those of zip and concat, in their order."""

    flows: tuple[Pipeline, ...]


Stage: TypeAlias = "Operation | Branches"
Pipeline: TypeAlias = "tuple[Stage, ...]"


def stage_score(one: Stage, other: Stage) -> float:
    """Return how well two stages match: from 1 to 2 for the same operation, by the share of its equal parameters.

    Two different sources score 0.5; other different operations never share a column. Branches score by the
    best pairs of their flows.
    """
    if isinstance(one, Branches) and isinstance(other, Branches):
        return 1 + _flows_score(one.flows, other.flows)
    if isinstance(one, Branches) or isinstance(other, Branches):
        return IMPOSSIBLE
    if one.name == other.name:
        return 1 + _equal_share(one, other)
    return 0.5 if one.name.endswith(SOURCE) and other.name.endswith(SOURCE) else IMPOSSIBLE


def flow_similarity(one: Pipeline, other: Pipeline) -> float:
    """Return the score of the best alignment of two flows from 0 to 1, relative to that of equal flows."""
    if not one and not other:
        return 1.0
    best = [0.0] * (len(other) + 1)
    for stage in one:
        before = best[:]
        for index, each in enumerate(other):
            best[index + 1] = max(before[index + 1], best[index], before[index] + stage_score(stage, each))
    return best[-1] / (2 * max(len(one), len(other)))


def pair_flows(groups: list[list[Pipeline]], flows: tuple[Pipeline, ...]) -> list[int]:
    """Return the best matching group of each flow, each group at most once.

    A flow without a match gets a new number.
    """
    scores = sorted(
        (
            (-max(flow_similarity(each, flow) for each in group), number, index)
            for number, group in enumerate(groups)
            for index, flow in enumerate(flows)
        ),
    )
    chosen: dict[int, int] = {}
    for score, number, index in scores:
        if score < 0 and index not in chosen and number not in chosen.values():
            chosen[index] = number
    new = iter(range(len(groups), len(groups) + len(flows)))
    return [chosen[index] if index in chosen else next(new) for index in range(len(flows))]


def _flows_score(one: tuple[Pipeline, ...], other: tuple[Pipeline, ...]) -> float:
    numbers = pair_flows([[flow] for flow in one], other)
    pairs = [(one[number], flow) for number, flow in zip(numbers, other, strict=True) if number < len(one)]
    return sum(flow_similarity(*pair) for pair in pairs) / max(len(one), len(other), 1)


def _equal_share(one: Operation, other: Operation) -> float:
    left, right = dict(one.parameters), dict(other.parameters)
    names = left.keys() | right.keys()
    equal = sum(name in left and name in right and repr(left[name]) == repr(right[name]) for name in names)
    return equal / len(names) if names else 1.0
