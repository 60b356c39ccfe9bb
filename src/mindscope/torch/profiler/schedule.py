# SPDX-License-Identifier: Apache-2.0
"""Selects the steps of a training that are profiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from torch.profiler import ProfilerAction

from mindscope.torch.core.arguments import check_count

Schedule = Callable[[int], ProfilerAction]
"""Function that returns the action during step n, counted from 0 since the profiler was started."""

_DEFAULTS = {"wait": 0, "warmup": 1, "active": 1, "repeat": 1, "skip_first": 0}
_LEAST = {"active": 1}
_ALIASES = {"warm_up": "warmup"}


def check_schedule(value: Any) -> Schedule | None:
    """Return a schedule from a function of the step, or from the numbers of steps by name. None records every step.

    Raises:
        TypeError: neither, or a number that is not whole.
        ValueError: a name that schedules don't have, or a number that is too small.
    """
    if value is None or callable(value):
        return cast("Schedule | None", value)
    if not isinstance(value, Mapping):
        raise TypeError(
            f"schedule is {type(value).__name__}, want torch.profiler.schedule(...) or a dict of {', '.join(_DEFAULTS)}"
        )
    given = {_ALIASES.get(str(name), str(name)): each for name, each in cast("Mapping[Any, Any]", value).items()}
    unknown = sorted(given.keys() - _DEFAULTS.keys())
    if unknown:
        raise ValueError(f"schedule has no {unknown[0]!r}, want {', '.join(_DEFAULTS)}")
    counts = {
        name: check_count(f"schedule[{name!r}]", default, _LEAST.get(name, 0))
        for name, default in (_DEFAULTS | given).items()
    }
    return _cycles(**counts)


def _cycles(wait: int, warmup: int, active: int, repeat: int, skip_first: int) -> Schedule:
    """Return the schedule of ``torch.profiler.schedule``.

    That one warns about a warm-up of 0 even where its user chose it.
    """
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        cycle, position = divmod(step - skip_first, length)
        if cycle < 0 or (repeat and cycle >= repeat) or position < wait:
            return ProfilerAction.NONE
        if position < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if position < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action
