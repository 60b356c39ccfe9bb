# SPDX-License-Identifier: Apache-2.0
"""All hits by watchpoint, parameter, rank and tensor: how many, the first and the last one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.watchpoints.hits import Hit
from mindscope.debug.watchpoints.step_evaluation import Rows, Verdict

_HIT = [("step", "i8"), ("since", "i8"), ("row", "i8"), ("order", "i8"), ("actual", "f8")]
_GROUP = np.dtype([("count", "i8"), ("first", _HIT), ("last", _HIT)])
_Key = tuple[int, str, int]
"""Watchpoint, parameter, rank."""


@dataclass(frozen=True, slots=True)
class HitGroup:
    """The hits of one tensor and parameter of a watchpoint on one rank."""

    first: Hit
    last: Hit
    count: int


class HitGroups:
    """Grows step by step; the memory depends on the number of tensors, not of steps. For one thread."""

    def __init__(self, tensors: int) -> None:
        self._tensors = tensors
        self._by_key: dict[_Key, NDArray[np.void]] = {}  # of each, a structure for each tensor
        self._set_values: dict[_Key, float] = {}

    def grow(self, tensors: int) -> None:
        """Take further tensors."""
        more = np.zeros(tensors - self._tensors, _GROUP)
        self._by_key = {key: np.concatenate([groups, more]) for key, groups in self._by_key.items()}
        self._tensors = tensors

    def add(
        self, watchpoint: int, verdict: Verdict, recorded: StepStatistics, rows: Rows, actual: NDArray[np.float64],
        since: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Add the hits of a step, in the order of execution, with the steps since which they hold."""
        key = watchpoint, verdict.parameter, recorded.rank
        groups = self._by_key.get(key)
        if groups is None:
            groups = self._by_key[key] = np.zeros(self._tensors, _GROUP)
            self._set_values[key] = verdict.set_value
        tensor = recorded.tensor[rows]
        hits = np.zeros(len(rows), _HIT)
        hits["step"], hits["row"], hits["order"], hits["actual"] = recorded.step, rows, recorded.order[rows], actual
        hits["since"] = since
        is_new = groups["count"][tensor] == 0
        groups["first"][tensor[is_new][::-1]] = hits[is_new][::-1]  # of several, the first one stays
        groups["last"][tensor] = hits
        np.add.at(groups["count"], tensor, 1)

    def page(self, first: int, count: int, watchpoint: int | None = None) -> tuple[int, list[HitGroup]]:
        """Return the number of groups, of one watchpoint or of all, and some of them, by their first hit."""
        found = [(key, np.flatnonzero(groups["count"])) for key, groups in sorted(self._by_key.items())
                 if watchpoint in (None, key[0])]  # fmt: skip
        keys: list[_Key] = [key for key, tensors in found for _ in tensors.tolist()]
        tensors = np.concatenate([each for _, each in found]) if found else np.zeros(0, np.int64)
        if not len(keys):
            return 0, []
        firsts = np.concatenate([self._by_key[key]["first"][each] for key, each in found])
        ranks, watchpoints = np.array([key[2] for key in keys]), np.array([key[0] for key in keys])
        ordered = np.lexsort((watchpoints, firsts["row"], ranks, firsts["order"], firsts["step"]))
        indexes: list[int] = ordered[first:][:count].tolist()
        return len(keys), [self._group(keys[index], int(tensors[index])) for index in indexes]

    def _group(self, key: _Key, tensor: int) -> HitGroup:
        group = self._by_key[key][tensor]
        return HitGroup(self._hit(key, tensor, group["first"]), self._hit(key, tensor, group["last"]),
                        int(group["count"]))  # fmt: skip

    def _hit(self, key: _Key, tensor: int, hit: np.void) -> Hit:
        watchpoint, parameter, rank = key
        return Hit(
            int(hit["step"]), rank, tensor, int(hit["row"]), int(hit["order"]), watchpoint, parameter,
            self._set_values[key], float(hit["actual"]), int(hit["since"]),
        )  # fmt: skip
