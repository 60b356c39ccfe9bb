# SPDX-License-Identifier: Apache-2.0
"""Describes the first bad number that the search found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from functools import partial
from typing import Any

from mindscope.debug.first_bad.explanation import Explanation
from mindscope.debug.texts import say

_say = partial(say, "first_bad")


class Cause(str, Enum):
    """The kind of the origin of NaN or infinity."""

    OPERATOR = "operator"
    """An operator whose inputs do not explain it: finite ones, or a mask of infinities of which it makes NaN."""
    BATCH = "batch"
    """The number enters the network with its inputs."""
    BUFFER = "buffer"
    """A buffer or another tensor that no recorded operator made has it, maybe since earlier steps."""
    PARAMETERS = "parameters"
    """Parameters had it before they were used."""
    LOSS = "loss"
    """The loss, or its backward pass, which were not recorded."""
    UNRECORDED = "unrecorded"
    """The number begins between recorded operators."""
    OTHER_RANK = "other_rank"
    """A collective brought it, and the rank that it is from was not recorded."""

    def __str__(self) -> str:
        return self.value


class OperatorKind(str, Enum):
    """The kind of what computes a tensor."""

    OPERATOR = "operator"
    """An operator or a module."""
    GRADIENT = "gradient"
    """The backward pass, of the gradient of a parameter."""
    UPDATE = "update"
    """The optimizer, of a parameter."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """An operator of a step, and the row of its tensor."""

    kind: OperatorKind
    name: str
    """Name of the operator, or of the parameter."""
    row: int
    """Row in the statistics of the step: its first output that is not finite, else its first tensor."""

    @property
    def text(self) -> str:
        """Name in sentences, such as ``gradient of fc1.weight``."""
        return self.name if self.kind is OperatorKind.OPERATOR else f"{self.kind} of {self.name}"


@dataclass(frozen=True, slots=True)
class FirstBadRows:
    """Rows of the tensors of the first bad number in the statistics of its step."""

    operator: OperatorRow
    before: OperatorRow
    """The operator that has or gets the bad tensor; the same unless a module was named."""
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    chain: tuple[OperatorRow, ...]
    other_ranks: Mapping[int, OperatorRow]
    """Rows in the statistics of the other rank."""
    stack: tuple[str, ...]
    """Source lines, innermost first."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Exponential growth of max |x| of a tensor."""

    tensor: int
    since: int
    """The first step of the growth."""
    factor: float
    """Growth per step."""
    first: float
    last_step: int
    last: float
    """The last finite maximum."""
    dtype: str
    limit: float
    """The largest number of the dtype; infinite where the dtype is not known."""

    @property
    def text(self) -> str:
        """Sentences such as ``Max |x| doubled each step since step 812, from 1 to 256. float16 ends at 65,504.``."""
        code = "doubled" if 1.9 <= self.factor <= 2.1 else "grew"
        values = {"since": self.since, "first": _number(self.first), "last": _number(self.last)}
        grew = _say(code, factor=f"{self.factor:.3g}", **values)
        is_bounded = math.isfinite(self.limit)
        return f"{grew} {_say('limit', dtype=self.dtype, limit=_number(self.limit))}" if is_bounded else grew


@dataclass(frozen=True, slots=True)
class FirstBad:
    """The first operator in time whose inputs are finite and whose outputs are not."""

    cause: Cause
    step: int
    rank: int
    operator: str
    """Name of the operator: the first that uses the tensor; of ``UNRECORDED`` the module around."""
    phase: str
    order: int
    tensor: int
    """Index of the tensor in ``DebugSource.tensors`` that is not finite."""
    tensor_name: str
    row: int
    """Row of the tensor in the statistics of the step."""
    counts: Mapping[str, int]
    """Elements that are ``nan``, ``positive_inf`` and ``negative_inf``, and ``count`` of all."""
    is_least: bool
    """Whether there may be more such elements: only extremes were recorded."""
    is_first_step: bool
    """Whether no earlier step was recorded: an earlier one may be bad too."""
    is_module: bool
    """Whether only the module was recorded, not the operators inside of it."""
    source: str
    """The line of the program; empty if it was not recorded."""
    has_finite_inputs: bool
    """Whether inputs of the operator were recorded, and all are finite; False of an update, whose states are not."""
    since: int
    """The step since which the tensor is not finite, at first without damage; only of ``BUFFER`` and ``PARAMETERS``.

    Else ``step``.
    """
    made_by: str
    """The operator that made the tensor in an earlier step; empty if no recorded one did."""
    inputs: tuple[str, ...]
    """The ranges of its inputs, in words."""
    explanations: tuple[Explanation, ...]
    """Why its finite inputs are bad, nearest first: the last one is the first cause. Empty if nothing explains it."""
    growth: tuple[Growth, ...]
    """Growth of its inputs."""
    chain: tuple[str, ...]
    """Operators from it to the loss, or to the gradients and parameters that it damaged."""
    other_ranks: Mapping[int, str]
    """The first bad operators of other ranks in the same step."""
    before: str
    """The operator that gets the bad tensor; only of ``UNRECORDED`` and ``LOSS``."""
    rows: FirstBadRows

    @property
    def text(self) -> str:
        """The event, in sentences."""
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Describe the event, most important facts first."""
        found = [self._head]
        if self.source:
            found.append(f"It ran at {self.source}.")
        found += [f"Its input: {each}." for each in self.inputs]
        found += [explanation.text for explanation in self.explanations[-1:]]
        found += [each.text for each in self.growth]
        if self.is_module and self.cause is Cause.OPERATOR:
            found.append(_say("module"))
        if self.is_unexplained_update:
            found.append(_say("optimizer"))
        if self.is_first_step:
            found.append(_say("first_step"))
        return found

    @property
    def is_unexplained_update(self) -> bool:
        """Whether an optimizer made it of a finite gradient: its states were not recorded."""
        return self.cause is Cause.OPERATOR and self.rows.operator.kind is OperatorKind.UPDATE

    @property
    def _head(self) -> str:
        has_ranks = bool(self.rank or self.other_ranks)
        return _say(
            self._code,
            **{"pass": _say(f"pass_{self.phase}")},
            place=_say("place_rank", step=self.step, rank=self.rank) if has_ranks else _say("place", step=self.step),
            what=non_finite_text(self.counts, is_least=self.is_least),
            operator=self.operator, before=self.before, tensor=self.tensor_name, since=self.since, maker=self.made_by,
        )  # fmt: skip

    @property
    def _code(self) -> str:
        kind = self.rows.operator.kind
        if self.cause is Cause.OPERATOR:
            code = "operator" if kind is OperatorKind.OPERATOR else "computed"
            return code if self.has_finite_inputs else f"{code}_other"
        if self.cause in (Cause.BUFFER, Cause.PARAMETERS):
            is_changed = self.cause is Cause.PARAMETERS and kind is OperatorKind.UPDATE
            code = "parameters_changed" if is_changed else str(self.cause)
            return code if self.since == self.step else f"{code}_made" if self.made_by else f"{code}_since"
        is_inside = self.cause is Cause.UNRECORDED and self.before != self.operator
        return "unrecorded_inside" if is_inside else str(self.cause)

    def to_json(self) -> dict[str, Any]:
        """Return all fields but ``rows`` as plain values, and the text."""
        fields = asdict(self)
        del fields["rows"]
        for field in fields["explanations"]:
            field.update(
                {name: None for name, value in field.items() if isinstance(value, float) and math.isnan(value)}
            )
        for growth in fields["growth"]:
            growth["limit"] = growth["limit"] if math.isfinite(growth["limit"]) else None
        return {**fields, "cause": str(self.cause), "text": self.text}


def non_finite_text(counts: Mapping[str, int], *, is_least: bool = False) -> str:
    """Say which numbers are not finite, and how many, such as ``NaN in 3 of 64 elements``."""
    names = {"nan": "NaN", "positive_inf": "infinity", "negative_inf": "-infinity"}
    kinds = _say("and").join(name for key, name in names.items() if counts[key])
    bad = sum(counts[key] for key in names)
    return _say("what_least" if is_least else "what", kinds=kinds, bad=f"{bad:,}", count=f"{counts['count']:,}")


def _number(value: float) -> str:
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.4g}"
