# SPDX-License-Identifier: Apache-2.0
"""A watchpoint: a condition with its parameters and the tensors that it watches, and its text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints.conditions import ABBREVIATIONS, CONDITIONS, Condition, Parameter
from mindscope.debug.watchpoints.recommended import RECOMMENDED, Recommendation
from mindscope.errors import WatchpointError

SYNTAX = "CONDITION [PARAMETER=VALUE ...] [for STEPS] [@ PATTERN[,PATTERN ...]]"
_RANGE_ENDS = ("range_start_inclusive", "range_end_inclusive")
_RANGE_SHARES = ("range_percentage_lt", "range_percentage_gt")


@dataclass(frozen=True, slots=True)
class Watchpoint:
    """One condition over the tensors that match a pattern."""

    condition: Condition
    settings: Mapping[str, float]
    """All parameters that are set, defaults included."""
    patterns: tuple[str, ...] = ()
    """Patterns with ``*``, ``?``, ``[]`` of names of tensors (``names_of``); empty watches all tensors of the kind."""
    for_steps: int = 1
    """Hits only after the condition held in as many consecutive recorded steps; fewer if a run has fewer."""
    recommendation: Recommendation | None = None
    """The one that it follows: only tensors of its types, without those that its guard leaves out."""

    @property
    def compared(self) -> tuple[Parameter, ...]:
        """The set parameters that compare a statistic."""
        return tuple(
            [
                parameter
                for parameter in self.condition.parameters
                if parameter.statistic and parameter.name in self.settings
            ]
        )

    @property
    def text(self) -> str:
        """The watchpoint in the syntax of ``parse_watchpoint``."""
        usual = self.recommendation
        name, for_steps = (usual.name, usual.for_steps) if usual else (self.condition.id, 1)
        given = {**self.condition.defaults, **(usual.settings if usual else {})}
        changed = [f"{key}={_number(value)}" for key, value in self.settings.items() if value != given.get(key)]
        words = [name, *changed, *(["for", str(self.for_steps)] if self.for_steps != for_steps else [])]
        return " ".join([*words, "@ " + ",".join(self.patterns)] if self.patterns else words)

    def matches(self, tensors: Sequence[DebugTensor]) -> NDArray[np.bool_]:
        """Return which tensors the patterns name."""
        if not self.patterns:
            return np.ones(len(tensors), np.bool_)
        return np.array([_is_named(tensor, self.patterns) for tensor in tensors], np.bool_)


def _number(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def names_of(tensor: DebugTensor) -> tuple[str, ...]:
    """Return what a pattern is compared with: path of the module, operator, full name, and that of a parameter."""
    parameter = f"{tensor.module}.{tensor.slot}".lstrip(".")
    return tuple(dict.fromkeys((tensor.module, tensor.operator, tensor.type, parameter, tensor.name)))


def _is_named(tensor: DebugTensor, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names_of(tensor) for pattern in patterns)


def recommended_watchpoints() -> tuple[Watchpoint, ...]:
    """Return the watchpoints that are on unless the user sets others."""
    return tuple([make_watchpoint(name, {}) for name in RECOMMENDED])


def make_watchpoint(
    condition: str, settings: Mapping[str, float], patterns: Sequence[str] = (), for_steps: int | None = None
) -> Watchpoint:
    """Return a watchpoint from the id or the abbreviation of a condition, or from the name of a recommendation.

    Args:
        condition: such as ``tensor_overflow``, ``TO`` or ``dead_relu``.
        settings: parameters; others have their defaults, or what is recommended.
        patterns: as ``Watchpoint.patterns``.
        for_steps: as ``Watchpoint.for_steps``; by default 1, or what is recommended.

    Raises:
        WatchpointError: no such condition or parameter, a value out of range, nothing to compare.
    """
    recommendation = RECOMMENDED.get(condition.lower())
    id = recommendation.condition if recommendation else condition
    found = CONDITIONS.get(id.lower()) or ABBREVIATIONS.get(id.upper())
    if found is None:
        names = [*CONDITIONS, *RECOMMENDED]
        near = get_close_matches(condition.lower(), names, 3, 0.4) or names
        raise WatchpointError(f"condition {condition!r} does not exist; nearest are {', '.join(near)}")
    for name, value in settings.items():
        _check(found, name, value)
    given = {**found.defaults, **(recommendation.settings if recommendation else {})}
    usual_steps = recommendation.for_steps if recommendation else 1
    steps = usual_steps if for_steps is None else for_steps
    watchpoint = Watchpoint(found, {**given, **settings}, tuple(patterns), steps, recommendation)
    _check_completeness(watchpoint)
    return watchpoint


def _check(condition: Condition, name: str, value: float) -> None:
    parameter = condition.parameter(name)
    if parameter is None:
        names = ", ".join(each.name for each in condition.parameters) or "none"
        raise WatchpointError(f"{condition.id} has no parameter {name!r}; it has {names}")
    if not parameter.accepts(value):
        raise WatchpointError(f"{name} of {condition.id} is {value:g}, want {parameter.range_text}")


def _check_completeness(watchpoint: Watchpoint) -> None:
    condition, names = watchpoint.condition, set(watchpoint.settings)
    if names.intersection(_RANGE_SHARES) and not names.issuperset(_RANGE_ENDS):
        raise WatchpointError(f"{condition.id} needs {' and '.join(_RANGE_ENDS)} with a range percentage")
    if condition.statistic is None and not watchpoint.compared:
        names_to_set = ", ".join(parameter.name for parameter in condition.parameters if parameter.statistic)
        raise WatchpointError(f"{condition.id} compares nothing; set at least one of {names_to_set}")


def parse_watchpoint(text: str) -> Watchpoint:
    """Return a watchpoint from a text such as ``tensor_too_large max_gt=1e4 for 3 @ encoder.*`` or ``dead_relu``.

    Raises:
        WatchpointError: the text does not have the syntax, or ``make_watchpoint`` refuses it.
    """
    rules, separator, patterns_text = text.partition("@")
    patterns = tuple([word.strip() for word in patterns_text.split(",") if word.strip()])
    if separator and not patterns:
        raise WatchpointError(f"watchpoint {text!r} has no pattern after @; want {SYNTAX}")
    try:
        words = shlex.split(re.sub(r"\s*=\s*", "=", rules))
    except ValueError as error:
        raise WatchpointError(f"watchpoint {text!r}: {error}; want {SYNTAX}") from error
    if not words:
        raise WatchpointError(f"watchpoint {text!r} has no condition; want {SYNTAX}")
    settings: dict[str, float] = {}
    for_steps: int | None = None
    index = 1
    while index < len(words):
        if words[index] == "for":
            for_steps = _steps(text, words[index + 1 : index + 2])
            index += 2
            continue
        name, value = _setting(text, words[index])
        settings[name] = value
        index += 1
    return make_watchpoint(words[0], settings, patterns, for_steps)


def _steps(text: str, words: Sequence[str]) -> int:
    if not words or not words[0].isdecimal() or not 0 < int(words[0]) < 2**31:
        raise WatchpointError(f"watchpoint {text!r} has no number of steps after for; want {SYNTAX}")
    return int(words[0])


def _setting(text: str, word: str) -> tuple[str, float]:
    name, separator, value = word.partition("=")
    try:
        if separator:
            return name, float(value)
    except ValueError:
        pass
    raise WatchpointError(f"watchpoint {text!r}: {word!r} is no PARAMETER=VALUE with a number; want {SYNTAX}")
