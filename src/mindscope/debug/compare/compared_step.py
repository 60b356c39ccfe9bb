# SPDX-License-Identifier: Apache-2.0
"""One step of two trainings: the errors of all matched tensors, and of the operators that have them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.fused import Fused
from mindscope.debug.compare.matching import TensorMatching, owner_of
from mindscope.debug.compare.result import Difference
from mindscope.debug.compare.statistic_error import statistic_difference
from mindscope.debug.first_bad.step_operators import PHASES
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.tensor_difference import TensorDifference

Time = tuple[int, int, bool, int]


@dataclass(frozen=True, slots=True)
class FusedError:
    """Weights that one training has as one tensor and the other as several, in a step."""

    fused: Fused
    rows: tuple[int, int]
    """Of the first tensor in the left and in the right step."""
    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Statistics of all tensors of each side together."""
    error: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class ComparedOperator:
    """An operator, a parameter or a gradient of a step, and how far it is from the one of the other training."""

    difference: Difference
    tensor: DebugTensor
    """Of the left training."""
    time: Time
    worst_input_digest: int
    """Of its most different input, in the left training; 0 without one."""
    worst_input: DebugTensor | None
    """That input, in the left training."""
    digest: int
    """Of its first tensor."""
    has_inputs: bool
    """Whether what enters it is known."""
    inputs: tuple[TensorDifference, ...]
    """By their statistics."""
    outputs: tuple[TensorDifference, ...]
    """By their statistics; the inputs, if it has no outputs."""

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter, not an operator or a gradient."""
        return self.tensor.role is Role.PARAMETER

    @property
    def is_input_different(self) -> bool:
        """Whether what enters it is beyond the tolerance."""
        return self.difference.inherited > self.difference.tolerance


@dataclass(slots=True)
class ComparedStep:
    """Compared tensors of a step. Columns of shape (pairs,)."""

    sources: tuple[DebugSource, DebugSource]
    matching: TensorMatching
    steps: tuple[StepStatistics, StepStatistics]
    pairs: NDArray[np.int64]
    """Places in the matching."""
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]
    """In the left and in the right step."""
    errors: NDArray[np.float64]
    """NaN where nothing compares."""
    tolerances: NDArray[np.float64]
    is_bitwise_different: NDArray[np.bool_]
    fused: tuple[FusedError, ...]

    @property
    def left(self) -> StepStatistics:
        """The step of the left training."""
        return self.steps[0]

    @property
    def row(self) -> NDArray[np.int64]:
        """Rows of the left step."""
        return self.rows[0]

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Tensors beyond their tolerance, those of fused weights last."""
        fused = [each.error > each.tolerance for each in self.fused]
        return np.concatenate([self.errors > self.tolerances, np.array(fused, np.bool_)])

    def first_bitwise(self) -> Difference | None:
        """The first tensor in execution order whose digests differ."""
        places = np.flatnonzero(self.is_bitwise_different).tolist()
        if not places:
            return None
        place = min(places, key=lambda each: self._time(int(self.row[each])))
        return self._operator([place], 0.0).difference

    def operators(self) -> tuple[ComparedOperator, ...]:
        """The operators in execution order with the errors of what enters and what leaves them."""
        groups: dict[Hashable, list[int]] = {}
        for place, row in enumerate(self.row.tolist()):
            tensor = self._tensor(row)
            own = (tensor.slot, tensor.role) if tensor.role in (Role.PARAMETER, Role.GRADIENT) else ()
            key = tensor.phase, int(self.left.order[row]), tensor.module, tensor.type, tensor.call, tensor.name, own
            groups.setdefault(key, []).append(place)
        gradients = {(tensor.module, tensor.slot): self._error([place]) for place, row in enumerate(self.row.tolist())
                     if (tensor := self._tensor(row)).role is Role.GRADIENT}  # fmt: skip
        found = [self._operator(places, self._inherited(places, gradients)) for places in groups.values()]
        found += [self._fused_operator(each) for each in self.fused]
        return tuple(sorted(found, key=lambda each: each.time))

    def _tensor(self, row: int) -> DebugTensor:
        return self.sources[0].tensors[int(self.left.tensor[row])]

    def _time(self, row: int) -> Time:
        tensor = self._tensor(row)
        return PHASES[tensor.phase], int(self.left.order[row]), tensor.role not in (Role.INPUT, Role.PARAMETER), row

    def _error(self, places: Sequence[int]) -> float:
        return float(np.nanmax(self.errors[list(places)], initial=0.0)) if places else 0.0

    def _inherited(self, places: Sequence[int], gradients: dict[tuple[str, str], float]) -> float:
        """Of an operator the error of its inputs, of an updated parameter that of its gradient."""
        tensor = self._tensor(int(self.row[places[0]]))
        if tensor.role is Role.PARAMETER and tensor.phase is Phase.OPTIMIZER:
            return gradients.get((tensor.module, tensor.slot), 0.0)
        return self._error([each for each in places if self._is_input(each)])

    def _is_input(self, place: int) -> bool:
        return self._tensor(int(self.row[place])).role is Role.INPUT

    def _worst(self, places: Sequence[int]) -> int:
        return max(places, key=lambda each: float(np.nan_to_num(self.errors[each], posinf=np.inf)))

    def _operator(self, places: Sequence[int], inherited: float) -> ComparedOperator:
        entering = [each for each in places if self._is_input(each)]
        leaving = [each for each in places if not self._is_input(each)]
        worst = self._worst(leaving or entering)
        row = int(self.row[places[0]])
        pair = int(self.pairs[places[0]])
        one = self.sources[0].tensors[int(self.matching.left[pair])]
        other = self.sources[1].tensors[int(self.matching.right[pair])]
        tensor = self._tensor(int(self.row[worst]))
        difference = Difference(
            self.left.step, self.left.rank, owner_of(one), owner_of(other), f"{tensor.role} {tensor.slot}",
            str(one.phase), int(self.left.order[row]), inherited, self._error(leaving), float(self.tolerances[worst]),
            one.stack[0] if one.stack else "", int(self.rows[0][worst]), int(self.rows[1][worst]),
        )  # fmt: skip
        input_row = int(self.row[self._worst(entering)]) if entering else None
        input_digest = 0 if input_row is None else int(self.left.digest[input_row])
        input_tensor = None if input_row is None else self._tensor(input_row)
        digest = int(self.left.digest[row])
        has_inputs = bool(entering) or one.role in (Role.PARAMETER, Role.GRADIENT)
        return ComparedOperator(
            difference, one, self._time(row), input_digest, input_tensor, digest, has_inputs,
            tuple([self._statistic_difference(each) for each in (entering if leaving else [])]),
            tuple([self._statistic_difference(each) for each in (leaving or entering)]),
        )  # fmt: skip

    def _statistic_difference(self, place: int) -> TensorDifference:
        tensors = [source.tensors[int(step.tensor[rows[place]])]
                   for source, step, rows in zip(self.sources, self.steps, self.rows, strict=True)]  # fmt: skip
        values = [step.values[rows[place]] for step, rows in zip(self.steps, self.rows, strict=True)]
        return statistic_difference(tensors[0], values[0], tensors[1], values[1])

    def _fused_operator(self, fused: FusedError) -> ComparedOperator:
        sides = fused.fused.left, fused.fused.right
        names = [", ".join(owner_of(source.tensors[each]) for each in side)
                 for source, side in zip(self.sources, sides, strict=True)]  # fmt: skip
        row = fused.rows[0]
        tensor = self._tensor(row)
        difference = Difference(
            self.left.step, self.left.rank, names[0], names[1], f"{tensor.role} {tensor.slot}", str(tensor.phase),
            int(self.left.order[row]), 0.0, fused.error, fused.tolerance, "", *fused.rows,
        )  # fmt: skip
        output = statistic_difference(tensor, fused.values[0], tensor, fused.values[1])
        digest = int(self.left.digest[row])
        return ComparedOperator(difference, tensor, self._time(row), 0, None, digest, True, (), (output,))
