# SPDX-License-Identifier: Apache-2.0
"""Rules about memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from mindscope.profile.advice.advice import Advice
from mindscope.profile.memory.leaks import LEAST_BYTES, find_leaks
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.memory import Memory

PEAK_SHARE = 0.9
"""TensorBoard's profiler plugin: of the memory of the device."""


def memory_peak(profile: Profile) -> Iterator[Advice]:
    """The memory of a device is nearly used up."""
    memory = part_of(profile, Part.MEMORY, Memory)
    if memory is None:
        return
    for device in profile.devices:
        rows = memory.curve.absolute_rows(device.name)
        if not device.memory or not len(rows):
            continue
        row = int(rows[np.argmax(memory.curve.allocated[rows])])
        peak = int(memory.curve.allocated[row])
        if peak > PEAK_SHARE * device.memory:
            yield Advice(
                code="memory_peak",
                values={
                    "device": device.name, "peak": peak, "share": peak / device.memory, "memory": device.memory,
                    "threshold": PEAK_SHARE,
                },
                threshold=PEAK_SHARE, part=Part.MEMORY, table="curve", rows=[row],
            )  # fmt: skip


def leak(profile: Profile) -> Iterator[Advice]:
    """Each step leaves memory behind."""
    memory = part_of(profile, Part.MEMORY, Memory)
    if memory is None or memory.blocks is None:
        return
    hints = find_leaks(memory.blocks)
    if hints:
        first = hints[0]
        operator = first.operator or "?"
        yield Advice(
            code="leak",
            values={
                "growth": sum(hint.bytes_per_step for hint in hints), "operator": operator, "module": first.module,
                "origin": " · ".join(filter(None, (first.module, operator))), "device": first.device,
                "steps": len(first.steps), "threshold": LEAST_BYTES,
            },
            threshold=LEAST_BYTES, part=Part.MEMORY, table="blocks",
            rows=[row for rows in zip_longest(*(hint.rows for hint in hints)) for row in rows if row is not None],
        )  # fmt: skip
