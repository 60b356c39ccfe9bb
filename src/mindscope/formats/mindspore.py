# SPDX-License-Identifier: Apache-2.0
"""MindSpore's dialect: locates the values of an Event or a LineageEvent, and writes events."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats._scalar_events import encode_summary_event
from mindscope.formats.event_fields import split_event
from mindscope.formats.kinds import KINDS, refined_kind
from mindscope.formats.kinds.scalar import exact_scalar
from mindscope.formats.mindspore_schemas import EVENT, SUMMARY
from mindscope.reasons import Reason
from mindscope.types import Kind, Located, Message

__all__ = ["VERSION", "locate", "locate_lineage", "summary_event", "value_field", "version_event"]

VERSION = "MindSpore.Event:1"
"""The version in the first record of an event file; lineage files have none."""

_STORAGES = {kind: each.mindspore for kind, each in KINDS.items() if each.mindspore}
_LINEAGE_STORAGES = {kind: each.mindspore_lineage for kind, each in KINDS.items() if each.mindspore_lineage}
VALUE_KINDS = {field: kind for kind, storage in _STORAGES.items() for field in storage.value_fields}
EVENT_KINDS = {each.event_field: kind for kind, each in _STORAGES.items() if each.event_field is not None}
LINEAGE_KINDS = {each.event_field: kind for kind, each in _LINEAGE_STORAGES.items() if each.event_field is not None}
EXACT_FIELD = 1001
"""Field of a Value: the scalar as float64, if float32 can't hold it. A mindscope extension; other readers skip it."""
_SUMMARY_FIELD = 5
_EVENT_FIELDS = {_SUMMARY_FIELD, *EVENT_KINDS}


# ---- reading --------------------------------------------------------------------------------------------------------


def locate(payload: bytes | memoryview, offset: int) -> Iterator[Located]:
    """Yield the values of one Event whose bytes begin at file byte ``offset``."""
    wall_time, step, spans = split_event(payload, _EVENT_FIELDS)
    for number, start, end in spans:
        if number == _SUMMARY_FIELD:
            yield from _locate_summary(payload, offset, start, end, step, wall_time)
        else:
            kind = EVENT_KINDS[number]
            yield Located(kind, kind.value, step, wall_time, None, offset + start, end - start)


def _locate_summary(
    payload: bytes | memoryview, offset: int, start: int, end: int, step: int, wall_time: float
) -> Iterator[Located]:
    for number, value, value_start, value_end in wire.split(payload, start, end):
        if number != 1 or value is not None:
            continue
        tag, kind, scalar, exact = "", None, None, None
        for field, content, field_start, field_end in wire.split(payload, value_start, value_end):
            if field == 1 and content is None:
                tag = str(payload[field_start:field_end], "utf-8", "backslashreplace")
            elif field in VALUE_KINDS:
                kind = VALUE_KINDS[field]
                scalar = content if kind is Kind.SCALAR and isinstance(content, float) else None
            elif field == EXACT_FIELD and isinstance(content, float):
                exact = content
        if kind is Kind.SCALAR and scalar is None:
            raise FormatError(Reason("scalar_no_float", tag=tag))
        kind = refined_kind(kind, payload[value_start:value_end])
        if kind is not None:
            if scalar is not None and exact is not None:
                scalar = exact_scalar(scalar, exact)
            yield Located(kind, tag, step, wall_time, scalar, offset + value_start, value_end - value_start)


def locate_lineage(payload: bytes | memoryview, offset: int) -> Iterator[Located]:
    """Yield the messages of one LineageEvent whose bytes begin at file byte ``offset``; the tag is the kind's name."""
    wall_time, step, spans = split_event(payload, LINEAGE_KINDS)
    for number, start, end in spans:
        kind = LINEAGE_KINDS[number]
        yield Located(kind, kind.value, step, wall_time, None, offset + start, end - start)


# ---- writing --------------------------------------------------------------------------------------------------------


def value_field(value: Message) -> bytes:
    """Return one ``Summary.value`` field; concatenate them for ``summary_event``."""
    return wire.encode(SUMMARY, {"value": [value]})


def summary_event(wall_time: float, step: int, values: bytes) -> bytes:
    """Return the payload of an Event whose Summary is made of ``values``, concatenated ``value_field`` bytes."""
    return encode_summary_event(wall_time, step, values)


def version_event(wall_time: float) -> bytes:
    """Return the payload of the first record of an event file."""
    return wire.encode(EVENT, {"wall_time": wall_time, "version": VERSION})
