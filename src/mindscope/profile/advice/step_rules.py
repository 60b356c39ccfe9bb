# SPDX-License-Identifier: Apache-2.0
"""Rules about steps and their parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mindscope.profile.advice.advice import Advice
from mindscope.profile.model.optional_parts import slowest_steps, steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import FEWEST_STEPS, PARTS

COMMUNICATION_SHARE = 0.1
"""Share of a step, not overlapped: TensorBoard's profiler plugin, MindInsight."""
UNEVEN_SHARE = 0.2
"""Share by which the slowest step exceeds the mean: MindInsight compares ranks so."""
UNEVEN_TIME = 0.05
"""Ours: share of the time of all steps that the slowest one takes more than the mean."""


def communication(profile: Profile) -> Iterator[Advice]:
    """Ranks communicate while nothing computes."""
    steps = steps_of(profile)
    if steps is None:
        return
    time, whole = steps.part("communication"), int(steps.duration.sum())
    share = int(time.sum()) / whole if whole else 0.0
    if share > COMMUNICATION_SHARE:
        yield Advice(
            code="communication",
            values={"share": share, "time": float(time.mean()), "threshold": COMMUNICATION_SHARE},
            threshold=COMMUNICATION_SHARE, part=Part.STEPS, rows=slowest_steps(profile, time), share=share,
        )  # fmt: skip


def uneven_steps(profile: Profile) -> Iterator[Advice]:
    """One step takes far longer than the others, the warm-up not among them."""
    steps = steps_of(profile)
    if steps is None or len(steps) < FEWEST_STEPS:
        return
    mean = float(steps.duration.mean())
    row = int(np.argmax(steps.duration))
    excess = steps.duration[row] / mean - 1 if mean else 0.0
    share = float(steps.duration[row] - mean) / float(steps.duration.sum()) if mean else 0.0
    if excess > UNEVEN_SHARE and share > UNEVEN_TIME:
        grown = {part: float(steps.part(part)[row] - steps.part(part).mean()) for part in PARTS}
        part = max(grown, key=lambda each: grown[each])
        yield Advice(
            code="uneven_steps",
            values={
                "step": int(steps.number[row]), "time": int(steps.duration[row]), "mean": mean, "excess": excess,
                "cause": part, "threshold": UNEVEN_SHARE,
            },
            threshold=UNEVEN_SHARE, part=Part.STEPS, rows=slowest_steps(profile, steps.duration)[:1],
            share=share,
        )  # fmt: skip
