# SPDX-License-Identifier: Apache-2.0
"""The common fields of events in all dialects: wall time, step, and message fields."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from mindscope.formats import wire


class EventFields(NamedTuple):
    """``wall_time`` in seconds since 1970, and the number, start and end of each wanted field."""

    wall_time: float
    step: int
    spans: list[tuple[int, int, int]]


def split_event(payload: bytes | memoryview, wanted: Container[int]) -> EventFields:
    """Return the parts of an event, with the message fields whose numbers are in ``wanted``. Raises WireError."""
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
    """Converts a varint to the signed number of an int64 field."""
    return value - (1 << 64) if value >= 1 << 63 else value
