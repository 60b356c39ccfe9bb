# SPDX-License-Identifier: Apache-2.0
"""Rules about what Python does in a step: its own code, small operators, single numbers, logs. They are ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.advice import Advice
from mindscope.profile.model.optional_parts import part_of, slowest_steps, steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.functions import LOGGING, Functions
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import Steps
from mindscope.profile.texts import Missing
from mindscope.table.columns import integers_of

CODE_SHARE = 0.1
"""Share of a step, of code of the user outside of operators."""
GAP_SHARE = 0.5
"""Share of a step without an operator, where the profile has no stacks: PyTorch's own Python is in it."""
LOGGING_SHARE = 0.05
SMALL_NS, SMALL_SHARE = 10_000, 0.25
"""Mean of an operator that is small, and the share of a step that all small ones take."""
ITEMS_A_STEP = 50


def python_code(profile: Profile) -> Iterator[Advice]:
    """On a CPU, Python works while no operator runs."""
    steps = _steps_on_cpu(profile)
    functions = profile.part(Part.FUNCTIONS)
    if steps is None or (isinstance(functions, Missing) and not functions.remedy):
        return
    whole = int(steps.duration.sum())
    time = steps.part("host") + steps.part("idle")
    if isinstance(functions, Functions):
        code, threshold, share = "python_code", CODE_SHARE, purpose_share(profile, functions, "")
    else:
        code, threshold, share = "python_gaps", GAP_SHARE, int(time.sum()) / max(whole, 1)
    if share > threshold:
        yield Advice(
            code=code, values={"share": share, "time": share * float(steps.duration.mean()), "threshold": threshold},
            threshold=threshold, part=Part.STEPS, rows=slowest_steps(profile, time), share=share,
        )  # fmt: skip


def logging_calls(profile: Profile) -> Iterator[Advice]:
    """Logs take time of each step."""
    steps, functions = steps_of(profile), part_of(profile, Part.FUNCTIONS, Functions)
    if steps is None or functions is None:
        return
    share = purpose_share(profile, functions, LOGGING)
    if share > LOGGING_SHARE:
        time = steps.part("host") + steps.part("idle")
        yield Advice(
            code="logging_calls",
            values={"share": share, "time": share * float(steps.duration.mean()), "threshold": LOGGING_SHARE},
            threshold=LOGGING_SHARE, part=Part.STEPS, rows=slowest_steps(profile, time), share=share,
        )  # fmt: skip


def small_operators(profile: Profile) -> Iterator[Advice]:
    """On a CPU, operators are so small that calling them takes the time."""
    operators = part_of(profile, Part.OPERATORS, Operators)
    if _steps_on_cpu(profile) is None or operators is None or operators.host_self is None:
        return
    host_self = operators.host_self
    rows = np.flatnonzero(is_small(operators) & _is_of_network(operators, "data"))
    share = _share_of_steps(profile, host_self[rows])
    if share > SMALL_SHARE:
        yield Advice(
            code="small_operators",
            values={"count": _a_step(profile, operators.count[rows]), "least": SMALL_NS, "share": share,
                    "threshold": SMALL_SHARE},
            threshold=SMALL_SHARE, part=Part.OPERATORS, rows=_greatest(rows, host_self), share=share,
        )  # fmt: skip


def item_calls(profile: Profile) -> Iterator[Advice]:
    """On a CPU, single numbers leave tensors: each call of ``.item()`` runs two operators for one number."""
    operators = part_of(profile, Part.OPERATORS, Operators)
    if _steps_on_cpu(profile) is None or operators is None or operators.host_total is None:
        return
    is_item = operators.name.is_any_of(lambda name: name == "aten::item")
    rows = np.flatnonzero(is_item & _is_of_network(operators, "optimizer"))
    count = _a_step(profile, operators.count[rows])
    if count > ITEMS_A_STEP:
        share = _share_of_steps(profile, operators.host_total[rows])
        yield Advice(
            code="item_calls", values={"count": count, "share": share, "threshold": ITEMS_A_STEP},
            threshold=ITEMS_A_STEP, part=Part.OPERATORS, rows=_greatest(rows, operators.host_total), share=share,
        )  # fmt: skip


def is_small(operators: Operators) -> NDArray[np.bool_]:
    """Return which operators take little time, so that it is most of all that of calling them."""
    return operators.self_time < SMALL_NS * operators.count


def purpose_share(profile: Profile, functions: Functions, purpose: str) -> float:
    """Return the share of all steps in which functions of a purpose run."""
    return _share_of_steps(profile, functions.host_self[functions.purpose.is_any_of(lambda text: text == purpose)])


def _steps_on_cpu(profile: Profile) -> Steps | None:
    """Return the steps of a training whose operators run on a CPU."""
    steps = steps_of(profile)
    has_device = any(device.kind != "cpu" for device in profile.devices)
    return None if steps is None or steps.device_busy is not None or has_device else steps


def _share_of_steps(profile: Profile, times: NDArray[np.int64]) -> float:
    """Return the share of the time of all steps, also of those that no mean has: tables are of all of them."""
    steps = part_of(profile, Part.STEPS, Steps)
    return 0.0 if steps is None else min(int(times.sum()) / max(int(steps.duration.sum()), 1), 1.0)


def _a_step(profile: Profile, counts: NDArray[np.int64]) -> int:
    steps = part_of(profile, Part.STEPS, Steps)
    return 0 if steps is None else round(int(counts.sum()) / len(steps))


def _is_of_network(operators: Operators, other: str) -> NDArray[np.bool_]:
    """Return which operators are not of another phase."""
    if operators.phase is None:
        return np.ones(len(operators), np.bool_)
    return operators.phase.is_any_of(lambda phase: phase != other)


def _greatest(rows: NDArray[np.int64], times: NDArray[np.int64]) -> list[int]:
    return integers_of(rows[np.argsort(-times[rows], kind="stable")])
