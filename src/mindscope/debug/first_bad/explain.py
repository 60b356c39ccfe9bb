# SPDX-License-Identifier: Apache-2.0
"""Walks from the finite inputs of the first bad operator up to what made them zero, negative or too large."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.first_bad.explanation import Explanation, SourceKind, Trait
from mindscope.debug.first_bad.origin import Origin, enters_network
from mindscope.debug.first_bad.step_operators import StepOperator, StepOperators
from mindscope.debug.model.array_statistics import FLOAT_LIMITS
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.tensor_kinds import plain_type
from mindscope.debug.model.tensors import DebugTensor, Phase, Role

_MOST = 8
"""Limit of the explanations; longer ways up are cut."""
_DIVISIONS = frozenset("div divide truedivide realdiv divnonan floordivide remainder fmod".split())
_RECIPROCALS = frozenset("reciprocal rsqrt inv".split())
_LOGARITHMS = frozenset("log log2 log10".split())
_ROOTS = frozenset("sqrt rsqrt".split())
_EXPONENTIALS = frozenset("exp exp2 expm1 sinh cosh".split())
_KEEPING = frozenset(
    "abs alias asstrided broadcastto cast clone contiguous copy detach expand flatten gather indexselect mul multiply"
    " neg permute repeat reshape select slice split sqrt square squeeze sum t tocopy transpose unsafeview unsqueeze"
    " view viewas".split()
)
"""Operators whose outputs have zeros, or a sign, because an input has them."""
_SIGN_CHANGING = frozenset(("mul", "multiply", "neg", "abs", "square", "sum"))
_NEAR = 0.25
"""An input of at least this share of the output's magnitude makes it large."""


def explain(step: StepOperators, origin: Origin) -> list[Explanation]:
    """Return what explains an operator that makes bad numbers of finite inputs, nearest first; empty if nothing does.

    ``since`` of each is the step itself.
    """
    return _Walk(step).explanations(origin.operator)


@dataclass(slots=True)
class _Walk:
    step: StepOperators
    by_digest: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Operators by the digest of an output, in the order of execution."""

    def __post_init__(self) -> None:
        for index, operator in enumerate(self.step.operators):
            for row in operator.outputs:
                self.by_digest.setdefault(self._digest(row), []).append(index)

    def explanations(self, operator: StepOperator) -> list[Explanation]:
        found: list[Explanation] = []
        explained = self._explained(operator)
        index = self.step.operators.index(operator)
        while explained is not None and len(found) < _MOST:
            trait, row = explained
            maker = self._maker(index, row)
            if maker is None:
                return [*found, self._external(trait, row, index)]
            made, index = self.step.operators[maker], maker
            explained = self._passed_on(trait, made, row)
            if explained is None or not _is_view(made):
                found.append(self._of_operator(trait, made, row))
        return found

    def _explained(self, operator: StepOperator) -> tuple[Trait, int] | None:
        """Return the input that explains the result of an operator, and its trait."""
        rows = [row for row in operator.inputs if self._count(row, Field.COUNT) > 0]
        kind = plain_type(operator.tensor.type)
        if not rows or operator.is_module:
            return self._too_large(operator, rows, kind)
        divisor = rows[-1] if kind in _DIVISIONS and len(rows) > 1 else rows[0]
        is_by_number = kind in _DIVISIONS and len(rows) < 2  # which is not recorded
        if (
            kind in _DIVISIONS | _RECIPROCALS | _LOGARITHMS
            and not is_by_number
            and self._count(divisor, Field.ZERO) > 0
        ):
            return Trait.ZEROS, divisor
        has_nan = any(self._count(row, Field.NAN) > 0 for row in operator.outputs)
        if kind in _LOGARITHMS | _ROOTS and has_nan and self._count(rows[0], Field.BELOW_ZERO) > 0:
            return Trait.NEGATIVES, rows[0]
        return self._too_large(operator, rows, kind)

    def _too_large(self, operator: StepOperator, rows: Sequence[int], kind: str) -> tuple[Trait, int] | None:
        has_infinity = any(self.step.kinds[row] & 6 for row in operator.outputs)
        largest = max(rows, key=self._magnitude, default=None)
        if not has_infinity or largest is None or not operator.outputs:
            return None
        limit = FLOAT_LIMITS.get(self._dtype(operator.outputs[0]) or "float32", (math.inf, 0.0))[0]
        least = math.log(limit) / 2 if kind in _EXPONENTIALS else math.sqrt(limit) / 4
        return (Trait.LARGE, largest) if least <= self._magnitude(largest) else None

    def _passed_on(self, trait: Trait, made: StepOperator, row: int) -> tuple[Trait, int] | None:
        """Return the input of an operator from which its output has the trait; None if the operator makes it."""
        inputs = [
            parameter
            for parameter in (*made.inputs, *self._parameters_of(made))
            if self._count(parameter, Field.COUNT) > 0
        ]
        if trait is Trait.LARGE:
            largest = max(inputs, key=self._magnitude, default=None)
            made_large = self._magnitude(row)
            least = min(_NEAR * made_large, math.sqrt(made_large) / 2)  # of a product, a factor is large
            return (trait, largest) if largest is not None and self._magnitude(largest) >= least else None
        kind = plain_type(made.tensor.type)
        is_keeping = kind in _KEEPING and not (trait is Trait.NEGATIVES and kind in _SIGN_CHANGING)
        if not is_keeping:
            return None
        best = max(inputs, key=lambda each: self._share(each, trait), default=None)
        return None if best is None or self._share(best, trait) < self._share(row, trait) else (trait, best)

    def _maker(self, index: int, row: int) -> int | None:
        """Return the last operator before one that made a tensor: by its digest, else by all of its statistics."""
        before = [each for each in self.by_digest.get(self._digest(row), ()) if self._is_before(each, index)]
        if self._digest(row):
            return next((each for each in reversed(before) if not self.step.operators[each].is_module),
                        before[-1] if before else None)  # fmt: skip
        values = self.step.recorded.values
        alike = [
            each for each in before
            if any(np.array_equal(values[made], values[row], equal_nan=True)
                   for made in self.step.operators[each].outputs)
        ]  # fmt: skip
        return alike[-1] if alike else None

    def _is_before(self, each: int, index: int) -> bool:
        operator = self.step.operators[index]
        return each < index and not self.step.operators[each].contains(operator)

    def _parameters_of(self, operator: StepOperator) -> list[int]:
        """Return the parameters that a module holds itself; those of an operator are among its inputs."""
        if not operator.is_module or operator.phase is not Phase.FORWARD:
            return []
        tensors, tensors_of_rows = self.step.tensors, self.step.recorded.tensor.tolist()
        return [
            row for row, tensor in enumerate(tensors_of_rows)
            if tensors[tensor].role is Role.PARAMETER and tensors[tensor].phase is Phase.FORWARD
            and tensors[tensor].module == operator.tensor.module
        ]  # fmt: skip

    def _external(self, trait: Trait, row: int, index: int) -> Explanation:
        """Explain a tensor that no recorded operator made."""
        operator, tensor = self.step.operators[index], self._tensor(row)
        update = self._update_of(tensor)
        if update >= 0:
            parameter = self.step.tensors[update]
            return self._of(
                trait, SourceKind.PARAMETER, f"{parameter.module}.{parameter.slot}".lstrip("."), row, update=update
            )
        is_of_batch = operator.phase is Phase.FORWARD and enters_network(self.step, operator, row)
        kind = SourceKind.BATCH if is_of_batch else SourceKind.UNRECORDED
        return self._of(trait, kind, f"{tensor.role} {tensor.slot} of {tensor.operator}", row)

    def _update_of(self, tensor: DebugTensor) -> int:
        """Return the index of the parameter that a tensor seems to be, after the optimizer; -1 if it is none.

        It is the parameter itself, or the only one of the module with that shape, which the finder compares with the
        step before.
        """
        if tensor.shape is None and tensor.role is not Role.PARAMETER:
            return -1
        same = [
            index for index, each in enumerate(self.step.tensors)
            if each.role is Role.PARAMETER and each.phase is Phase.OPTIMIZER and each.module == tensor.module
            and (each.slot == tensor.slot if tensor.role is Role.PARAMETER else each.shape == tensor.shape)
        ]  # fmt: skip
        return same[0] if len(same) == 1 else -1

    def _of_operator(self, trait: Trait, operator: StepOperator, row: int) -> Explanation:
        same = [output for output in operator.outputs if self._digest(output) == self._digest(row)]
        reach = max(map(self._magnitude, operator.inputs), default=math.nan)
        line = next(iter(operator.tensor.stack), "")
        return self._of(
            trait, SourceKind.OPERATOR, operator.tensor.operator, (same or operator.outputs)[0], line, reach
        )  # fmt: skip

    def _of(
        self, trait: Trait, kind: SourceKind, name: str, row: int, line: str = "", inputs_reach: float = math.nan,
        update: int = -1,
    ) -> Explanation:  # fmt: skip
        total = int(self._count(row, Field.COUNT))
        count = total if trait is Trait.LARGE else int(self._count(row, _FIELDS[trait]))
        tensor, step = int(self.step.recorded.tensor[row]), self.step.recorded.step
        return Explanation(
            trait, kind, name, tensor, row, line, count, total, self._magnitude(row), step, inputs_reach, update,
            update_ratio=math.nan,
        )  # fmt: skip

    def _share(self, row: int, trait: Trait) -> float:
        count = self._count(row, Field.COUNT)
        return self._count(row, _FIELDS[trait]) / count if count > 0 else 0.0

    def _count(self, row: int, of: Field) -> float:
        return float(np.nan_to_num(self.step.recorded.values[row, COLUMN[of]]))

    def _magnitude(self, row: int) -> float:
        return float(magnitude(self.step.recorded.values[row]))

    def _digest(self, row: int) -> int:
        return int(self.step.recorded.digest[row])

    def _tensor(self, row: int) -> DebugTensor:
        return self.step.tensors[int(self.step.recorded.tensor[row])]

    def _dtype(self, row: int) -> str:
        return self._tensor(row).dtype


_FIELDS = {Trait.ZEROS: Field.ZERO, Trait.NEGATIVES: Field.BELOW_ZERO}


def magnitude(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return max |x| of tensors whose statistics are on the last axis; 0 where it was not recorded."""
    return np.nan_to_num(np.fmax(np.abs(values[..., COLUMN[Field.MIN]]), np.abs(values[..., COLUMN[Field.MAX]])))


def since_of(trait: Trait, steps: Sequence[int], values: NDArray[np.float64], last: float) -> int:
    """Return the first step from which a tensor always has a trait, up to the last one.

    A tensor is large while it has at least a half of its ``last`` magnitude. ``values`` has shape (steps, fields).
    """
    if trait is Trait.LARGE:
        has_trait = magnitude(values) >= last / 2
    else:
        has_trait = np.nan_to_num(values[:, COLUMN[_FIELDS[trait]]]) > 0
    without = np.flatnonzero(~has_trait[:-1])
    return steps[int(without[-1]) + 1 if without.size else 0]


def update_ratio(values: NDArray[np.float64]) -> float:
    """Return the largest change of a parameter in a step as a share of its size; NaN if none was recorded.

    ``values`` has shape (steps, fields).
    """
    with np.errstate(all="ignore"):
        ratios = values[:, COLUMN[Field.MEAN_ABS_UPDATE]] / values[:, COLUMN[Field.MEAN_ABS_BEFORE]]
    return (
        float(np.max(ratios, where=np.isfinite(ratios), initial=-math.inf)) if np.isfinite(ratios).any() else math.nan
    )


def _is_view(operator: StepOperator) -> bool:
    kind = plain_type(operator.tensor.type)
    return kind in _KEEPING and kind not in ("mul", "multiply", "sum", "square", "sqrt", "abs", "neg", "cast", "tocopy")
