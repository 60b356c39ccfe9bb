# SPDX-License-Identifier: Apache-2.0
"""Describes where two trainings part."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from mindscope.debug.texts import say
from mindscope.table.cells import json_value
from mindscope.table.schema import EQUAL, HEAVIEST, MAX, RECOMPUTED, Unit, fields_of
from mindscope.table.table import Table, Tabular, table_of

if TYPE_CHECKING:
    from mindscope.debug.compare.matching import TensorMatching


class DivergenceCause(str, Enum):
    """The kind of the first difference."""

    NONE = "none"
    """Nothing differs beyond the tolerance in the steps that both have."""
    BATCH = "batch"
    """The inputs of the network."""
    PARAMETERS = "parameters"
    """Parameters, before the forward pass uses them."""
    OPERATOR = "operator"
    """An operator with equal inputs."""
    GRADUAL = "gradual"
    """Every differing operator has inputs that differ too: the first one that is beyond the tolerance."""

    def __str__(self) -> str:
        return self.value


_Id = Annotated[int, Unit.ID, EQUAL]
_Text = Annotated[str, Unit.TEXT, HEAVIEST]
_Error = Annotated[float, Unit.NUMBER, MAX]


@dataclass(frozen=True, slots=True)
class Difference:
    """One differing operator, input or parameter of a step."""

    DERIVED: ClassVar = ("added", "differs")

    step: _Id
    rank: _Id
    left: _Text
    """Name of the operator in the left training."""
    right: _Text
    tensor: _Text
    """Role and slot of its most different tensor."""
    phase: _Text
    order: _Id
    """Order of execution in the left training."""
    inherited: _Error
    """Largest relative error of its inputs and parameters."""
    error: _Error
    """Largest relative error of its outputs."""
    tolerance: _Error
    source: _Text = ""
    """Innermost line of its stack."""
    row: _Id = 0
    """Row of its most different tensor, in the step of the left training."""
    other_row: _Id = 0
    """Row of the same tensor in the step of the right training."""
    other_step: _Id = 0
    """The same step in the right training, which may count from another number."""

    @property
    def added(self) -> Annotated[float, Unit.NUMBER, RECOMPUTED]:
        """The error that the operator adds to that of its inputs."""
        if math.isinf(self.error):
            return 0.0 if math.isinf(self.inherited) else math.inf
        return max(0.0, self.error - self.inherited)

    @property
    def differs(self) -> Annotated[bool, Unit.FLAG, RECOMPUTED]:
        """Whether the outputs are beyond the tolerance."""
        return self.error > self.tolerance

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain values; an infinite error as text."""
        return {name: json_value(getattr(self, name)) for name in fields_of(Difference)}


@dataclass(frozen=True, slots=True)
class Divergence(Tabular):
    """The comparison of two trainings. Its table has the operators of the first differing step."""

    matching: TensorMatching
    cause: DivergenceCause
    first: Difference | None
    """The first difference; None if nothing differs."""
    bitwise: Difference | None
    """The first tensor whose bytes differ, within the tolerance too; None without digests of one format."""
    operators: tuple[Difference, ...]
    """All compared operators of the first differing step, in execution order."""
    steps_compared: int

    @property
    def is_comparable(self) -> bool:
        """Whether enough operators match, so that it means something that nothing differs."""
        return self.matching.is_sufficient

    @property
    def text(self) -> str:
        """The first difference, in sentences."""
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """Describe the first difference, most important facts first."""
        if not self.is_comparable and self.first is None:
            return [_NOT_COMPARABLE, f"{self.matching.text}.", _REMEDY]
        found = [f"{self._head}."]
        first = self.first
        if first is not None and self.cause is not DivergenceCause.BATCH:
            errors = {"error": first.error, "inherited": first.inherited, "added": first.added}
            values = {name: _error(value) for name, value in errors.items()}
            found.append(say("compare", "error", **values, tolerance=f"{first.tolerance:.3g}"))
        bitwise = self.bitwise
        if bitwise is not None and (self.first is None or self._comes_before(bitwise)):
            found.append(say("compare", "bitwise", step=bitwise.step, tensor=bitwise.tensor, left=bitwise.left))
        found += [*self._offset_sentences(), f"{self.matching.text}."]
        return found if self.is_comparable else [_NOT_COMPARABLE, *found, _REMEDY]

    @property
    def _head(self) -> str:
        first = self.first
        if first is None:
            return say("compare", "none", n=self.steps_compared)
        has_ranks = first.rank > 0 or any(operator.rank > 0 for operator in self.operators)
        where = (
            say("compare", "place_rank", step=first.step, rank=first.rank)
            if has_ranks
            else say("compare", "place", step=first.step)
        )
        return say("compare", str(self.cause), place=where, left=first.left, tensor=first.tensor, phase=first.phase)

    def _offset_sentences(self) -> list[str]:
        offset = self.matching.step_offset
        if not offset.steps:
            return []
        why = ", because their tensors agree in the first steps" if offset.is_found else ""
        sign = "-" if offset.steps < 0 else "+"
        return [f"Step N is compared with step N {sign} {abs(offset.steps)} of the other training{why}."]

    def _comes_before(self, bitwise: Difference) -> bool:
        first = self.first
        return first is None or (bitwise.step, bitwise.rank, bitwise.order) != (first.step, first.rank, first.order)

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values."""
        offset = self.matching.step_offset
        return {
            "cause": str(self.cause), "is_comparable": self.is_comparable, "step_offset": offset.steps,
            "is_offset_found": offset.is_found, "text": self.text, "first": self.first and self.first.to_json(),
            "bitwise": self.bitwise and self.bitwise.to_json(), "steps_compared": self.steps_compared,
            "operators": [operator.to_json() for operator in self.operators], "coverage": self.matching.coverage,
            "operators_left": self.matching.operators[0], "operators_right": self.matching.operators[1],
            "unmatched_left": list(self.matching.unmatched[0]), "unmatched_right": list(self.matching.unmatched[1]),
        }  # fmt: skip

    def to_table(self) -> Table:
        """Return a row for each of the operators."""
        return table_of(Difference, self.operators)


_NOT_COMPARABLE = "The trainings can't be compared: too few of their operators match."
_REMEDY = "Pair operators by hand, or record both trainings at the same level."


def _error(value: float) -> str:
    return say("compare", "unbounded") if math.isinf(value) else f"{value:.3g}"
