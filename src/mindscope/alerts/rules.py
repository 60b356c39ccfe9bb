# SPDX-License-Identifier: Apache-2.0
"""Rules: a built-in check by its name, a condition over tags, or a watchpoint over debugging data."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from mindscope import debug
from mindscope.errors import ExpressionError
from mindscope.reasons import Reason
from mindscope.stats.expression import Expression, parse

if TYPE_CHECKING:
    from mindscope.debug.watchpoints import Watchpoint

FAILED = "failed"
CHECKS = {
    FAILED: "the training failed: its log ends with an error",
    "nan": "the loss is NaN or infinite",
    "spike": "the loss jumps up and comes down again",
    "divergence": "the loss is far above its lowest value",
    "plateau": "the loss has stopped falling",
    "vanishing": "gradients vanish: they are nearly zero",
    "exploding": "gradients are NaN, infinite, or far larger than before",
    "dead": "nearly all activations are zero",
    "stuck": "no step for many times the usual pause, and the log is not closed",
}
"""The built-in checks, and what each says."""

VALUE = "value"
"""Name of the tag in the condition of a rule for one tag."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``name`` is what alerts call it. Without ``condition`` and ``watchpoint`` it is a built-in check.

    A condition fires when it held at ``for_steps`` logged steps in a row. ``tag`` is what it calls ``value``, None
    when it names all its tags itself. ``runs`` is a pattern of run ids with * and ?, None for all of them.
    """

    name: str
    condition: Expression | None = None
    for_steps: int = 1
    tag: str | None = None
    runs: str | None = None
    watchpoint: Watchpoint | None = field(default=None, compare=False)
    """The watchpoint, whose text is the name of the rule; None for other rules."""

    @property
    def is_check(self) -> bool:
        """Whether it is a built-in check."""
        return self.condition is None and self.watchpoint is None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that the condition needs, first the one whose value an alert shows."""
        if self.condition is None:
            return ()
        own = [] if self.tag is None else [self.tag]
        return tuple(dict.fromkeys([*own, *(name for name in self.condition.tags if name != VALUE or not own)]))

    def is_for(self, run: str) -> bool:
        return self.runs is None or fnmatchcase(run, self.runs)


def check_rule(name: str) -> Rule:
    """Return a built-in check. Raises ExpressionError, which names all of them."""
    if name not in CHECKS:
        raise ExpressionError(f"{name!r} is no check, want one of {' '.join(CHECKS)} or a condition such as loss > 2")
    return Rule(name)


RECOMMENDED = "recommended"


def watchpoint_rules(text: str) -> list[Rule]:
    """Return a watchpoint by its text, or all recommended ones. Raises WatchpointError when it can't be read."""
    recommended_watchpoints = (
        debug.recommended_watchpoints() if text == RECOMMENDED else (debug.parse_watchpoint(text),)
    )
    return [Rule(each.text, watchpoint=each) for each in recommended_watchpoints]


def expression_rule(
    name: str, text: str, *, for_steps: int = 1, tag: str | None = None, runs: str | None = None
) -> Rule:
    """Return a condition over tags. Raises ExpressionError when it can't be read, or names no tag."""
    condition = parse(text, wants_condition=True)
    if not condition.tags:
        raise ExpressionError(Reason("expression_without_tag", text=text))
    return Rule(name, condition, for_steps, tag, runs)
