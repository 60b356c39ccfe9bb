# SPDX-License-Identifier: Apache-2.0
"""Arguments of a debugger, checked when it is made."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mindscope.capture.arguments import check_log_dir
from mindscope.capture.record import SummaryRecord
from mindscope.debug.watchpoints.watchpoint import Watchpoint, parse_watchpoint, recommended_watchpoints
from mindscope.torch.core.arguments import check_choice, check_count

LEVELS = ("module", "operator")
IsDue = Callable[[int], bool]
"""Whether a step of this number is recorded."""


@dataclass(frozen=True, slots=True)
class DebuggerOptions:
    """Options of what a debugger records, and where."""

    directory: Path
    """Directory as given: of several processes, each has its own one in it."""
    level: str
    every: int
    steps: IsDue | None
    ring: int
    first_step: int
    watchpoints: tuple[Watchpoint, ...] = ()
    """Watchpoints that write the ring."""

    def is_due(self, step: int) -> bool:
        """Return whether a step is recorded. Raises what a function of the user raises."""
        if self.steps is not None:
            return bool(self.steps(step))
        return (step - self.first_step) % self.every == 0


def check_options(
    directory: Any, level: Any, every: Any, steps: Any, ring: Any, watch: Any, first_step: Any
) -> DebuggerOptions:
    """Return the arguments of ``Debugger``, whose docstring explains them.

    Raises TypeError, ValueError, WatchpointError.
    """
    return DebuggerOptions(
        directory=_directory(directory),
        level=check_choice("level", level, LEVELS),
        every=check_count("every", every, 1),
        steps=_steps(steps),
        ring=check_count("ring", ring),
        first_step=check_count("first_step", first_step),
        watchpoints=_watchpoints(watch, ring),
    )


def _watchpoints(watch: Any, ring: int) -> tuple[Watchpoint, ...]:
    if watch is None:
        return recommended_watchpoints() if ring else ()
    if isinstance(watch, (str, Mapping)) or not isinstance(watch, Iterable):
        raise TypeError(f"watch is {type(cast(Any, watch)).__name__}, want a list of watchpoints or of their texts")
    given = list(cast("Iterable[Any]", watch))
    if given and not ring:
        raise ValueError("watch has watchpoints, which write the ring: give ring=20 too")
    return tuple([each if isinstance(each, Watchpoint) else parse_watchpoint(str(each)) for each in given])


def _directory(value: Any) -> Path:
    if isinstance(value, SummaryRecord):
        return Path(value.log_dir).parent
    if not isinstance(value, (str, PathLike)) or not value:
        raise TypeError(f"run is {type(cast(Any, value)).__name__} {value!r}, want a directory or a SummaryRecord")
    return check_log_dir(value, "run")


def _steps(value: Any) -> IsDue | None:
    if value is None or callable(value):
        return cast("IsDue | None", value)
    if isinstance(value, str) or not isinstance(value, Container):
        raise TypeError(f"steps is {type(value).__name__}, want numbers of steps, a range, or a function of the step")
    steps = cast("Container[int]", value)
    return lambda step: step in steps
