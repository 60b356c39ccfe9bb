# SPDX-License-Identifier: Apache-2.0
"""Describes why an operator makes NaN or infinity of finite inputs: numbers in them, and where these come from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial

from mindscope.debug.texts import say

_say = partial(say, "first_bad")


class Trait(str, Enum):
    """What is wrong with a finite input."""

    ZEROS = "zeros"
    """Zeros, of which a division or a logarithm makes infinity or NaN."""
    NEGATIVES = "negatives"
    """Negative numbers, of which a logarithm or a root makes NaN."""
    LARGE = "large"
    """Numbers so large that the result overflows."""

    def __str__(self) -> str:
        return self.value


class SourceKind(str, Enum):
    """The kind of what a tensor comes from."""

    OPERATOR = "operator"
    PARAMETER = "parameter"
    BATCH = "batch"
    UNRECORDED = "unrecorded"
    """No recorded operator made it."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Explanation:
    """A tensor that has a trait, and what made it. The next one explains this one; the last one is the first cause."""

    trait: Trait
    kind: SourceKind
    name: str
    """Name of the operator or of the parameter, else of the tensor."""
    tensor: int
    """Index of the tensor in ``DebugSource.tensors``."""
    row: int
    """Row of the tensor in the statistics of the step."""
    line: str
    """The line of the program; empty if it was not recorded."""
    count: int
    """Elements with the trait; of ``LARGE`` all."""
    total: int
    value: float
    """Max |x|."""
    since: int
    """The first of the steps up to the bad one in which the tensor always has the trait."""
    inputs_reach: float
    """Max |x| of the inputs of the operator; NaN without any."""
    update: int
    """Index of a parameter after the optimizer in ``DebugSource.tensors``; -1 without one."""
    update_ratio: float
    """The largest change of a parameter by its optimizer in a step, as a share of its size; NaN if unknown."""

    @property
    def text(self) -> str:
        """A sentence such as ``The zeros come from aten::mul, since step 30, at /train/net.py:57.``."""
        line = _say("at_line", line=self.line) if self.line else ""
        values = {"trait": _say(f"trait_{self.trait}"), "name": self.name, "since": self.since, "line": line}
        found = _say(f"from_{self.kind}", **values)
        return f"{found} {_say('large_update', ratio=f'{self.update_ratio:.3g}')}" if self.has_large_update else found

    @property
    def has_large_update(self) -> bool:
        """Whether the optimizer changed a parameter that is too large by more than its size in a step."""
        return self.trait is Trait.LARGE and self.update_ratio > 1
