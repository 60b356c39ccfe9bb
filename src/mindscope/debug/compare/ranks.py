# SPDX-License-Identifier: Apache-2.0
"""Finds where the ranks of one training part: replicas of a network hold equal parameters after every step."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.statistic_error import statistic_errors
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Role

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class RankDifference:
    """The first step after which the bytes of a parameter differ between ranks."""

    step: int
    parameter: str
    """The first one in the execution of the step, such as ``encoder.fc1.weight``."""
    groups: tuple[tuple[int, ...], ...]
    """Ranks with equal bytes of it, the largest group first."""
    error: float
    """Largest relative error of its statistics between the first group and another; 0 if only its bytes differ."""
    has_other_gradient: bool | None
    """Whether its gradient differs too in this step; None if none was recorded."""
    parameters: tuple[str, ...]
    """All that differ after this step, in the order of execution."""
    compared: int
    """Parameters that at least two ranks have."""
    are_replicas: bool
    """False if most differ from the first recorded step on: ranks hold shards, or began with different values."""

    @property
    def text(self) -> str:
        """The difference in sentences."""
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Return the difference, most important first."""
        if not self.are_replicas:
            count = f"{len(self.parameters):,} of {self.compared:,} parameters"
            why = "the ranks hold shards, or began with different values"
            return [f"{count} differ between ranks from the first recorded step on: {why}."]
        groups = " and ".join(_ranks(group) for group in self.groups)
        how = f", relative error {self.error:.3g}" if self.error else " in its bytes only"
        found = [f"After step {self.step}, {self.parameter} differs between {groups}{how}{self._others()}."]
        if self.has_other_gradient:
            found.append("Its gradient differs too: a rank used it before it was reduced over all ranks.")
        elif self.has_other_gradient is False:
            found.append("Its gradient is equal: the optimizers, or what changed the parameter after them, differ.")
        return found

    def _others(self) -> str:
        others = self.parameters[1:]
        if not others:
            return ""
        more = f" and {len(others) - _MOST_NAMED:,} more" if len(others) > _MOST_NAMED else ""
        return f"; so {'does' if len(others) == 1 else 'do'} {', '.join(others[:_MOST_NAMED])}{more}"

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values; an infinite error as text."""
        error = self.error if np.isfinite(self.error) else str(self.error)
        return {**asdict(self), "error": error, "text": self.text}


def compare_ranks(source: DebugSource, check: Callable[[], None] = lambda: None) -> RankDifference | None:
    """Find where the ranks of a data-parallel training part; None if they never do, or only one was recorded.

    Args:
        source: with digests; tensors without them are compared by their statistics.
        check: called for each step; an exception in it ends the search.

    Raises:
        FormatError, OSError: as ``DebugSource.at``.
    """
    ranks = list(source.ranks)
    if len(ranks) < 2:
        return None
    common = sorted(set(source.steps(ranks[0])).intersection(*(source.steps(rank) for rank in ranks[1:])))
    for step in common:
        check()
        every = [source.at(step, rank) for rank in ranks]
        tensors = source.tensors
        parameters = np.flatnonzero([tensor.role is Role.PARAMETER and bool(tensor.slot) for tensor in tensors])
        compared = _Compared(every, parameters, len(tensors))
        if compared.differs.any():
            return _difference(step, step == common[0], ranks, compared, tensors)
    return None


class _Compared:
    """Some tensors of one step on all ranks."""

    def __init__(self, every: Sequence[StepStatistics], tensors: NDArray[np.int64], count: int) -> None:
        self._every, self.tensors = every, tensors
        self.rows = np.stack([_rows(each, tensors, count) for each in every])
        """Row of each tensor in the statistics of each rank, -1 without one. Shape (ranks, tensors)."""
        self.keys = np.stack([_keys(each, rows) for each, rows in zip(every, self.rows, strict=True)])
        """Equal numbers for equal tensors. Shape (ranks, tensors)."""
        has = self.rows >= 0
        self.is_compared = has.sum(axis=0) > 1
        """Whether two ranks have it. Shape (tensors,)."""
        lowest = np.where(has, self.keys, np.iinfo(np.uint64).max).min(axis=0)
        highest = np.where(has, self.keys, 0).max(axis=0)
        self.differs = self.is_compared & (lowest != highest)

    def of(self, tensors: NDArray[np.int64], count: int) -> _Compared:
        """Return the other tensors of the same step."""
        return _Compared(self._every, tensors, count)

    def groups(self, column: int, ranks: Sequence[int]) -> list[list[int]]:
        """Return the indexes of ranks with equal bytes of one tensor, the largest group first."""
        found: dict[int, list[int]] = {}
        for index in range(len(ranks)):
            if self.rows[index, column] >= 0:
                found.setdefault(int(self.keys[index, column]), []).append(index)
        return sorted(found.values(), key=len, reverse=True)

    def error(self, column: int, groups: list[list[int]]) -> float:
        """Return the largest relative error between the first group and another."""
        sides = [self._every[group[0]].values[self.rows[group[0], column]] for group in groups]
        errors = statistic_errors(np.stack([sides[0]] * (len(sides) - 1)), np.stack(sides[1:]))
        return float(np.fmax.reduce(np.nan_to_num(errors, nan=0.0, posinf=np.inf)))

    def order(self, column: int) -> int:
        """Return the order of a tensor in the execution of the first rank that has it."""
        row = int(np.argmax(self.rows[:, column] >= 0))
        return int(self._every[row].order[self.rows[row, column]])


def _keys(recorded: StepStatistics, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the digests; of tensors without one a number from their statistics."""
    keys = recorded.digest[rows]
    for row in np.flatnonzero(keys == 0).tolist():
        keys[row] = zlib.crc32(recorded.values[rows[row]].tobytes())
    return keys


def _rows(recorded: StepStatistics, tensors: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    rows = np.full(count, -1, np.int64)
    rows[recorded.tensor] = np.arange(len(recorded.tensor))
    return rows[tensors]


def _difference(
    step: int, is_first: bool, ranks: Sequence[int], compared: _Compared, tensors: Sequence[DebugTensor]
) -> RankDifference:
    columns = sorted(np.flatnonzero(compared.differs).tolist(), key=compared.order)
    names = tuple([_name(tensors[int(compared.tensors[column])]) for column in columns])
    groups = compared.groups(columns[0], ranks)
    count = int(compared.is_compared.sum())
    return RankDifference(
        step=step,
        parameter=names[0],
        groups=tuple([tuple([ranks[index] for index in group]) for group in groups]),
        error=compared.error(columns[0], groups),
        has_other_gradient=_has_other_gradient(compared, columns[0], tensors),
        parameters=names,
        compared=count,
        are_replicas=not (is_first and len(columns) > 1 and 2 * len(columns) > count),
    )


def _has_other_gradient(compared: _Compared, column: int, tensors: Sequence[DebugTensor]) -> bool | None:
    parameter = tensors[int(compared.tensors[column])]
    indexes = [
        index
        for index, tensor in enumerate(tensors)
        if tensor.role is Role.GRADIENT and (tensor.module, tensor.slot) == (parameter.module, parameter.slot)
    ]
    gradients = compared.of(np.array(indexes[:1], np.int64), len(tensors))
    return bool(gradients.differs[0]) if indexes and gradients.is_compared[0] else None


def _name(parameter: DebugTensor) -> str:
    return f"{parameter.module}.{parameter.slot}" if parameter.module else parameter.slot


def _ranks(group: Sequence[int]) -> str:
    return f"rank {group[0]}" if len(group) == 1 else f"ranks {', '.join(map(str, group))}"
