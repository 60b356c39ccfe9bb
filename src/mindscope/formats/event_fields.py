# SPDX-License-Identifier: Apache-2.0
"""What the events of all dialects have in common: a wall time, a step, and fields with what happened."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from mindscope.formats import wire


class EventFields(NamedTuple):
    """``wall_time`` in seconds since 1970, and the number, start and end of each field that was asked for."""

    wall_time: float
    step: int
    spans: list[tuple[int, int, int]]


def split_event(payload: bytes | memoryview, wanted: Container[int]) -> EventFields:
    """The parts of an event, of its messages those of the ``wanted`` numbers. Raises WireError."""
    wall_time, step, spans = 0.0, 0, list[tuple[int, int, int]]()
    for number, value, start, end in wire.split(payload, 0, len(payload)):
        if number == 1 and isinstance(value, float):
            wall_time = value
        elif number == 2 and isinstance(value, int):
            step = wire_to_int64(value)
        elif value is None and number in wanted:
            spans.append((number, start, end))
    return EventFields(wall_time, step, spans)


def wire_to_int64(value: int) -> int:
    """A varint as the signed number that an int64 field means."""
    return value - (1 << 64) if value >= 1 << 63 else value
