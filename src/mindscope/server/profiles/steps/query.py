# SPDX-License-Identifier: Apache-2.0
"""The steps of a profile as columns."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.communication import Communication
from mindscope.profile.tables.steps import PARTS, UNKNOWN_DURATION, Steps
from mindscope.profile.texts import Missing
from mindscope.server.http.columns import Packed, pack
from mindscope.server.profiles.steps.schema import (
    StepCommunicationAnswer,
    StepCommunicationEntry,
    StepsHeader,
)
from mindscope.server.profiles.tables.missing import missing_entry
from mindscope.table.columns import TextColumn, integers_of

COLUMNS = ("duration", "interval", "forward_backward", "tail", *PARTS, "overlapped", "device_busy")
MOST_OPERATIONS = 2_000
_STREAM = re.compile(r"(stream_\d+)_")


def pack_steps(profile: Profile, version: str, zero: int) -> Packed:
    """Return all steps with their phases and parts. The header is a StepsHeader."""
    steps = profile.part(Part.STEPS)
    if not isinstance(steps, Steps):
        missing = missing_entry(Part.STEPS, steps) if isinstance(steps, Missing) else None
        nothing = StepsHeader(
            version=version,
            missing=missing,
            count=0,
            warm_up_rows=[],
            incomplete_rows=[],
            number=[],
            begin=[],
            columns={},
            has_communication=False,
        )
        return pack(nothing)
    recorded: dict[str, Any] = {name: getattr(steps, name) for name in COLUMNS}
    communication = profile.part(Part.COMMUNICATION)
    header = StepsHeader(
        version=version,
        missing=None,
        count=len(steps),
        warm_up_rows=integers_of(steps.warm_up_rows),
        incomplete_rows=integers_of(np.setdiff1d(np.arange(len(steps)), steps.complete_rows)),
        number=steps.number,
        begin=steps.start - zero,
        columns={
            name: np.where(values == UNKNOWN_DURATION, np.nan, values)
            for name, values in recorded.items()
            if values is not None
        },
        has_communication=isinstance(communication, Communication)
        and communication.start is not None
        and communication.step is not None,
    )
    return pack(header)


def step_communication(profile: Profile, number: int, zero: int) -> StepCommunicationAnswer:
    """Return the operations between ranks of one step."""
    part = profile.part(Part.COMMUNICATION)
    if not isinstance(part, Communication) or part.start is None or part.step is None:
        return StepCommunicationAnswer(operations=[], left_out=0)
    rows = np.flatnonzero(part.step == number)
    rows = rows[np.argsort(part.start[rows], kind="stable")]
    operations = part.select(rows[:MOST_OPERATIONS])
    start: NDArray[np.int64] = np.asarray(operations.start)
    return StepCommunicationAnswer(
        operations=[
            StepCommunicationEntry(
                name=name, kind=kind, lane=_lane(operations, row), begin_ns=begin - zero, duration_ns=ns
            )
            for row, (name, kind, begin, ns) in enumerate(
                zip(operations.name, operations.kind, integers_of(start), integers_of(operations.duration), strict=True)
            )
        ],
        left_out=max(0, len(rows) - MOST_OPERATIONS),
    )


def _lane(operations: Communication, row: int) -> str:
    """Return ``stream_520`` of ``stream_520_0_AllReduceOp``; else the process group, else the device."""
    stream = _STREAM.match(operations.name[row])
    group: TextColumn | None = operations.group
    return stream[1] if stream else (group[row] if group is not None else "") or operations.device[row]
