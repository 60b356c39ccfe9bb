# SPDX-License-Identifier: Apache-2.0
"""Compares one step of two trainings: the errors of all matched tensors, and of the operators that have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.attributes import differing_attributes
from mindscope.debug.compare.fused import Fused
from mindscope.debug.compare.matching import TensorMatching
from mindscope.debug.compare.names import is_memory_only
from mindscope.debug.compare.operators import owner_of
from mindscope.debug.compare.result import Difference
from mindscope.debug.compare.statistic_error import statistic_difference
from mindscope.debug.difference_level import SEVERITY, Level, difference_level
from mindscope.debug.first_bad.step_operators import PHASES
from mindscope.debug.model.fields import Field
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
    """Rows of the first tensor in the left and in the right step."""
    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Statistics of all tensors of each side together."""
    error: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class ComparedOperator:
    """An operator, a parameter or a gradient of a step, and how far it is from the one of the other training."""

    difference: Difference
    tensor: DebugTensor
    """A tensor of the left training."""
    time: Time
    worst_input_digest: int
    """Digest of its most different input, in the left training; 0 without one."""
    worst_input: DebugTensor | None
    """The input with that difference, in the left training."""
    is_worst_input_made: bool
    """Whether an earlier operator of the step made it, so that it is no batch."""
    digest: int
    """Digest of its first tensor."""
    has_inputs: bool
    """Whether what enters it is known."""
    inputs: tuple[TensorDifference, ...]
    """Differences of its inputs by their statistics."""
    outputs: tuple[TensorDifference, ...]
    """Differences of its outputs by their statistics; those of the inputs, if it has no outputs."""
    attributes: tuple[str, ...]
    """Codes of attributes of the outputs that differ."""
    error_before: float = 0.0
    """Relative error of the mean |x| that a parameter had before the step; 0 where it was not recorded."""

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter, not an operator or a gradient."""
        return self.tensor.role is Role.PARAMETER

    def level(self) -> tuple[Level, tuple[str, ...]]:
        """Return the level of the worst output by the thresholds of msprobe, and all codes of that level."""
        if is_memory_only(self.tensor.type):
            return Level.OK, ()
        levels = [difference_level(output, self.inputs, attributes=self.attributes) for output in self.outputs]
        worst = max((level for level, _ in levels), key=SEVERITY.__getitem__, default=Level.OK)
        return worst, tuple(dict.fromkeys(code for level, codes in levels if level is worst for code in codes))

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
    """Indexes in the matching."""
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Rows in the left and in the right step."""
    errors: NDArray[np.float64]
    """NaN where nothing compares."""
    tolerances: NDArray[np.float64]
    is_bitwise_different: NDArray[np.bool_]
    fused: tuple[FusedError, ...]
    _last_forward: int = field(init=False)
    """Order of the last operator of the forward pass, -1 without any; later parameters are updated ones."""

    def __post_init__(self) -> None:
        rows = [row for row in range(len(self.left.tensor)) if _is_output(self._tensor(row))]
        self._last_forward = int(self.left.order[rows].max()) if rows else -1

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
        """Return the first tensor in execution order whose digests differ."""
        pairs = np.flatnonzero(self.is_bitwise_different).tolist()
        if not pairs:
            return None
        pair = min(pairs, key=lambda index: self._time(int(self.row[index])))
        return self._operator([pair], 0.0).difference

    def operators(self) -> tuple[ComparedOperator, ...]:
        """Return the operators in execution order with the errors of what enters and what leaves them."""
        groups: dict[int, list[int]] = {}
        for pair, match in enumerate(self.matching.match[self.pairs].tolist()):
            groups.setdefault(match, []).append(pair)
        gradients = {key: self._error([pair]) for pair in range(len(self.pairs))
                     for key in self._parameters(pair, Role.GRADIENT)}  # fmt: skip
        operators = [self._operator(pairs, self._inherited(pairs, gradients)) for pairs in groups.values()]
        operators += [self._fused_operator(each) for each in self.fused]
        return tuple(sorted(operators, key=lambda operator: operator.time))

    def statistic_difference(self, rows: tuple[int, int]) -> TensorDifference:
        """Compare the statistics of a row of the left and one of the right step."""
        left, right = self.sources
        one, other = (source.tensors[int(step.tensor[row])]
                      for source, step, row in zip(self.sources, self.steps, rows, strict=True))  # fmt: skip
        values = [step.values[row] for step, row in zip(self.steps, rows, strict=True)]
        digests = [int(step.digest[row]) for step, row in zip(self.steps, rows, strict=True)]
        is_same_framework = left.framework == right.framework
        has_digests = is_same_framework and left.format == right.format
        return statistic_difference(
            one, values[0], other, values[1], has_equal_layouts=is_same_framework,
            has_equal_bytes=has_digests and 0 != digests[0] == digests[1],
        )  # fmt: skip

    def _tensor(self, row: int) -> DebugTensor:
        return self.sources[0].tensors[int(self.left.tensor[row])]

    def _phase(self, row: int) -> Phase:
        """Return the phase of a row. A dump has parameters as the optimizer leaves them, without saying so."""
        tensor, order = self._tensor(row), int(self.left.order[row])
        is_updated = tensor.role is Role.PARAMETER and 0 <= self._last_forward < order
        return Phase.OPTIMIZER if is_updated else tensor.phase

    def _time(self, row: int) -> Time:
        is_after = self._tensor(row).role not in (Role.INPUT, Role.PARAMETER)
        return PHASES[self._phase(row)], int(self.left.order[row]), is_after, row

    def _parameters(self, pair: int, role: Role) -> Iterator[tuple[int, str, str]]:
        """Yield the side, module and slot of a pair of tensors with a role on one of the sides."""
        for side, (source, step, rows) in enumerate(zip(self.sources, self.steps, self.rows, strict=True)):
            tensor = source.tensors[int(step.tensor[rows[pair]])]
            if tensor.role is role:
                yield side, tensor.module, tensor.slot

    def _error(self, pairs: Sequence[int]) -> float:
        return float(np.nanmax(self.errors[list(pairs)], initial=0.0)) if pairs else 0.0

    def _inherited(self, pairs: Sequence[int], gradients: dict[tuple[int, str, str], float]) -> float:
        """Return the error of an operator's inputs, or of an updated parameter's gradient."""
        row = int(self.row[pairs[0]])
        if self._tensor(row).role is Role.PARAMETER and self._phase(row) is Phase.OPTIMIZER:
            return max((gradients.get(key, 0.0) for key in self._parameters(pairs[0], Role.PARAMETER)), default=0.0)
        return self._error([pair for pair in pairs if self._is_input(pair)])

    def _is_input(self, pair: int) -> bool:
        return self._tensor(int(self.row[pair])).role is Role.INPUT

    def _worst(self, pairs: Sequence[int]) -> int:
        return max(pairs, key=lambda pair: float(np.nan_to_num(self.errors[pair], posinf=np.inf)))

    def _operator(self, pairs: Sequence[int], inherited: float) -> ComparedOperator:
        entering = [pair for pair in pairs if self._is_input(pair)]
        leaving = [pair for pair in pairs if not self._is_input(pair)]
        worst = self._worst(leaving or entering)
        row = max((int(self.row[pair]) for pair in leaving or entering), key=self._time)
        left, right = self.matching.names[int(self.matching.match[self.pairs[pairs[0]]])]
        one, tensor = self._tensor(row), self._tensor(int(self.row[worst]))
        difference = Difference(
            self.left.step, self.left.rank, left, right, f"{tensor.role} {tensor.slot}", str(self._phase(row)),
            int(self.left.order[row]), inherited, self._error(leaving), float(self.tolerances[worst]),
            one.stack[0] if one.stack else "", int(self.rows[0][worst]), int(self.rows[1][worst]),
            self.steps[1].step,
        )  # fmt: skip
        input_row = int(self.row[self._worst(entering)]) if entering else None
        input_digest = 0 if input_row is None else int(self.left.digest[input_row])
        is_made = input_row is not None and self._is_made(input_row)
        input_tensor = None if input_row is None else self._tensor(input_row)
        digest = int(self.left.digest[row])
        has_inputs = bool(entering) or one.role in (Role.PARAMETER, Role.GRADIENT)
        return ComparedOperator(
            difference, one, self._time(row), input_digest, input_tensor, is_made, digest, has_inputs,
            tuple([self.statistic_difference(self._rows(pair)) for pair in (entering if leaving else [])]),
            tuple([self.statistic_difference(self._rows(pair)) for pair in (leaving or entering)]),
            self._attributes(leaving or entering),
            self._error_before(worst) if one.role is Role.PARAMETER else 0.0,
        )  # fmt: skip

    def _error_before(self, pair: int) -> float:
        left, right = (float(step.column(Field.MEAN_ABS_BEFORE)[row])
                       for step, row in zip(self.steps, self._rows(pair), strict=True))  # fmt: skip
        return abs(left - right) / max(left, right) if left != right and left + right > 0 else 0.0

    def _is_made(self, row: int) -> bool:
        """Return whether a row of the left step comes from an operator in a module: a batch may be made in the step
        too.
        """
        pending, seen = [row], {row}
        while pending:
            for maker in self._makers(pending.pop()):
                if self._tensor(maker).module:
                    return True
                pending += [each for each in self._inputs_at(int(self.left.order[maker])) if each not in seen]
                seen.update(pending)
        return False

    def _makers(self, row: int) -> list[int]:
        """Return the earlier rows of outputs with the same bytes."""
        digests, orders = self.left.digest, self.left.order
        is_same = (digests == digests[row]) & (digests != 0) & (orders < orders[row])
        return [each for each in _rows_where(is_same) if self._tensor(each).role is Role.OUTPUT]

    def _inputs_at(self, order: int) -> list[int]:
        return [each for each in _rows_where(self.left.order == order) if self._tensor(each).role is Role.INPUT]

    def _rows(self, pair: int) -> tuple[int, int]:
        return int(self.rows[0][pair]), int(self.rows[1][pair])

    def _attributes(self, pairs: Sequence[int]) -> tuple[str, ...]:
        rows = map(self._rows, pairs)
        found = [differing_attributes(self.sources, self.steps, row, is_result=True) for row in rows]
        return tuple(dict.fromkeys(code for codes in found for code in codes))

    def _fused_operator(self, fused: FusedError) -> ComparedOperator:
        sides = fused.fused.left, fused.fused.right
        names = [", ".join(owner_of(source.tensors[each]) for each in side)
                 for source, side in zip(self.sources, sides, strict=True)]  # fmt: skip
        row = fused.rows[0]
        tensor = self._tensor(row)
        difference = Difference(
            self.left.step, self.left.rank, names[0], names[1], f"{tensor.role} {tensor.slot}", str(tensor.phase),
            int(self.left.order[row]), 0.0, fused.error, fused.tolerance, "", *fused.rows, self.steps[1].step,
        )  # fmt: skip
        output = statistic_difference(tensor, fused.values[0], tensor, fused.values[1])
        digest = int(self.left.digest[row])
        return ComparedOperator(difference, tensor, self._time(row), 0, None, False, digest, True, (), (output,), ())


def _is_output(tensor: DebugTensor) -> bool:
    return tensor.phase is Phase.FORWARD and tensor.role is Role.OUTPUT


def _rows_where(mask: NDArray[np.bool_]) -> list[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows
