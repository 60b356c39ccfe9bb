# SPDX-License-Identifier: Apache-2.0
"""Rules about steps and their parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mindscope.profile.advice.advice import Advice
from mindscope.profile.advice.parts import steps_of
from mindscope.profile.columns import integers_of
from mindscope.profile.profile import Part, Profile
from mindscope.profile.steps import PARTS

COMMUNICATION_SHARE = 0.1
"""Of a step, not overlapped: TensorBoard's profiler plugin, MindInsight."""
UNEVEN_SHARE = 0.2
"""By which the slowest step exceeds the mean: MindInsight compares ranks so."""
_FEWEST_STEPS = 3


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
            threshold=COMMUNICATION_SHARE, part=Part.STEPS, rows=slowest(time), share=share,
        )  # fmt: skip


def uneven_steps(profile: Profile) -> Iterator[Advice]:
    """One step takes far longer than the others; of the first one that is usual."""
    steps = steps_of(profile)
    if steps is None or len(steps) < _FEWEST_STEPS:
        return
    mean = float(steps.duration.mean())
    row = int(np.argmax(steps.duration))
    excess = steps.duration[row] / mean - 1 if mean else 0.0
    if excess > UNEVEN_SHARE:
        grown = {part: float(steps.part(part)[row] - steps.part(part).mean()) for part in PARTS}
        part = max(grown, key=lambda each: grown[each])
        yield Advice(
            code="uneven_steps",
            values={
                "step": int(steps.number[row]), "time": int(steps.duration[row]), "mean": mean, "excess": excess,
                "cause": part, "threshold": UNEVEN_SHARE,
            },
            threshold=UNEVEN_SHARE, part=Part.STEPS, rows=[row],
            share=(steps.duration[row] - mean) / float(steps.duration.sum()),
        )  # fmt: skip


def slowest(times: np.ndarray[tuple[int], np.dtype[np.int64]], count: int = 3) -> list[int]:
    """Rows of the greatest times."""
    return integers_of(np.argsort(-times, kind="stable")[:count])
