# SPDX-License-Identifier: Apache-2.0
"""Finds the function of the user that advice is about, from the stacks of a profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.advice import Advice, share_text
from mindscope.profile.advice.code_rules import is_small
from mindscope.profile.advice.data_rules import IN_WORKERS, loaders_of
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.functions import DATA, LOGGING, Functions
from mindscope.profile.tables.memory import Memory
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import Steps
from mindscope.profile.texts import Missing
from mindscope.profile.trace.own_code import own_frame
from mindscope.table.columns import TextColumn, integers_of

_WAITS_FOR_DATA = frozenset(("no_workers", "data_waiting", "batch_wait"))
_ON_HOST = frozenset(("python_code", "python_gaps", "host_bound", "low_device_use", "short_kernels", "uneven_steps"))


class OwnFunction(NamedTuple):
    """A function of the user."""

    name: str
    """File, line of the definition and name: ``train.py(12): decode``; see ``Functions.name``."""
    share: float
    """Share of the time of all steps that it takes for this; 0 if unknown."""
    callee: str = ""
    """The function of a library that takes most of it; empty for its own code."""


def function_text(function: OwnFunction) -> str:
    """Return a function for a person: ``train.py(12): decode, 34 % of the time, calls writer.py(3): add_image``."""
    share = f", {share_text(function.share)} of the time" if function.share else ""
    return f"{function.name}{share}{f', calls {function.callee}' if function.callee else ''}"


def own_function(profile: Profile, kind: str, advice: Advice) -> OwnFunction | Missing | None:
    """Return the function that the advice of a card of this kind is about; None if no function says more."""
    functions = profile.part(Part.FUNCTIONS)
    if kind == "data" and advice.code in _WAITS_FOR_DATA:
        if IN_WORKERS in loaders_of(profile):
            return Missing("torch_worker_functions")
        return _of_purpose(profile, functions, lambda purpose: purpose == DATA)
    if kind == "logging":
        return _of_purpose(profile, functions, lambda purpose: purpose == LOGGING)
    if advice.code in _ON_HOST and kind == "host":
        return _of_purpose(profile, functions, lambda purpose: purpose == "")
    if advice.code == "leak":
        return _of_blocks(profile, advice)
    if advice.part is Part.OPERATORS and advice.rows and advice.code != "vendor_finding":
        return _of_operators(profile, functions, advice)
    return None


def _of_purpose(
    profile: Profile, functions: Functions | Missing, test: Callable[[str], bool]
) -> OwnFunction | Missing | None:
    if isinstance(functions, Missing):
        return functions if functions.remedy else None
    rows = np.flatnonzero(functions.purpose.is_any_of(test) & functions.frame.is_any_of(bool))
    if not len(rows):
        return None
    frame, time = _greatest(functions.frame, rows, functions.host_self)
    own = rows[functions.frame.select(rows).is_any_of(lambda text: text == frame)]
    first = int(own[np.argmax(functions.host_self[own])])
    return OwnFunction(functions.name[first], _share(profile, time), functions.callee[first])


def _of_operators(profile: Profile, functions: Functions | Missing, advice: Advice) -> OwnFunction | Missing | None:
    operators = part_of(profile, Part.OPERATORS, Operators)
    if operators is None or operators.stack is None:
        return functions if isinstance(functions, Missing) and functions.remedy else None
    frames = TextColumn.of(own_frame(stack) for stack in operators.stack.values).select(operators.stack.codes)
    frame, time = _greatest(frames, np.array(advice.rows, np.int64), operators.self_time)
    if not frame:
        return None
    if advice.code == "item_calls":  # what the loop around them does counts, too
        time = _time_of_frame(frames, frame, np.where(is_small(operators), operators.self_time, 0))
        time += 0 if isinstance(functions, Missing) else _time_of_frame(functions.frame, frame, functions.host_self)
    names = {} if isinstance(functions, Missing) else dict(zip(functions.frame, functions.name, strict=True))
    return OwnFunction(names.get(frame, frame), _share(profile, time))


def _of_blocks(profile: Profile, advice: Advice) -> OwnFunction | None:
    memory = part_of(profile, Part.MEMORY, Memory)
    if memory is None or memory.blocks is None or memory.blocks.stack is None:
        return None
    frame = own_frame(memory.blocks.stack[advice.rows[0]])
    return OwnFunction(frame, 0.0) if frame else None


def _greatest(frames: TextColumn, rows: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[str, int]:
    """Return the frame of the greatest time among rows, with its time; empty ones count for nothing."""
    found: dict[str, int] = {}
    for row in integers_of(rows):
        if frame := frames[row]:
            found[frame] = found.get(frame, 0) + int(times[row])
    return max(found.items(), key=lambda each: each[1], default=("", 0))


def _time_of_frame(frames: TextColumn, frame: str, times: NDArray[np.int64]) -> int:
    return int(times[frames.is_any_of(lambda text: text == frame)].sum())


def _share(profile: Profile, time: int) -> float:
    steps = part_of(profile, Part.STEPS, Steps)
    return 0.0 if steps is None else min(time / max(int(steps.duration.sum()), 1), 1.0)
