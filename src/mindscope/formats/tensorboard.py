# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's dialect: locates the values of an Event, in old form (own fields) and new (tensors)."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats._scalar_events import encode_summary_event
from mindscope.formats.event_fields import split_event
from mindscope.formats.kinds import KINDS, refined_kind
from mindscope.formats.kinds.scalar import SCALAR
from mindscope.formats.tensorboard_schemas import EVENT, METADATA
from mindscope.types import Kind, Located, Undecodable

__all__ = ["VERSION", "graph_event", "locate", "session_start_events", "session_stop_event", "summary_event",
           "version_event"]  # fmt: skip

VERSION = "brain.Event:2"
"""The version in the first record of an event file."""

_PLUGIN_KINDS = {plugin: kind for kind, each in KINDS.items() for plugin in each.plugins}
_STORAGES = {kind: each.tensorboard for kind, each in KINDS.items() if each.tensorboard}
FIELD_KINDS = {field: kind for kind, storage in _STORAGES.items() for field in storage.value_fields}
EVENT_KINDS = {each.event_field: kind for kind, each in _STORAGES.items() if each.event_field is not None}
_SUMMARY_FIELD = 5
_EVENT_FIELDS = {_SUMMARY_FIELD, *EVENT_KINDS}

# ---- reading --------------------------------------------------------------------------------------------------------


def locate(payload: bytes | memoryview, offset: int, kinds: dict[str, Kind]) -> Iterator[Located | Undecodable]:
    """Yield the values of one Event whose bytes begin at file byte ``offset``.

    ``kinds`` stores the kind of each tag, because only the first event of a tag names its plugin. Keep one dict for
    each run and pass it to every call. A value that can't be decoded does not hide the other values of its event. If
    metadata can't be decoded, the field of the value decides its kind; the result has both the value and the error.
    Raises FormatError if the event itself breaks the encoding.
    """
    wall_time, step, spans = split_event(payload, _EVENT_FIELDS)
    for number, start, end in spans:
        if number == _SUMMARY_FIELD:
            yield from _locate_summary(payload, offset, start, end, step, wall_time, kinds)
            continue
        kind = EVENT_KINDS[number]
        try:
            tag = run_metadata_tag(payload, start, end) if kind is Kind.RUN_METADATA else kind.value
            yield Located(kind, tag, step, wall_time, None, offset + start, end - start)
        except FormatError as error:
            yield Undecodable(offset + start, end - start, error)


def run_metadata_tag(payload: bytes | memoryview, start: int, end: int) -> str:
    for number, value, text_start, text_end in wire.split(payload, start, end):
        if number == 1 and value is None:
            return str(payload[text_start:text_end], "utf-8", "backslashreplace")
    return Kind.RUN_METADATA.value


def _locate_summary(
    payload: bytes | memoryview,
    offset: int,
    start: int,
    end: int,
    step: int,
    wall_time: float,
    kinds: dict[str, Kind],
) -> Iterator[Located | Undecodable]:
    for number, value, value_start, value_end in wire.split(payload, start, end):
        if number != 1 or value is not None:
            continue
        tag, kind, scalar, metadata = "", None, None, None
        for field, content, field_start, field_end in wire.split(payload, value_start, value_end):
            if field == 1 and content is None:
                tag = str(payload[field_start:field_end], "utf-8", "backslashreplace")
            elif field == 9 and content is None:
                metadata = payload[field_start:field_end]
            elif field in FIELD_KINDS:
                kind = FIELD_KINDS[field]
                scalar = content if kind is Kind.SCALAR and isinstance(content, float) else None
        if kind is None and metadata is None:
            continue
        encoded, span = payload[value_start:value_end], (offset + value_start, value_end - value_start)
        if kind in DECIDED_BY_METADATA:
            try:
                learn_kind(tag, metadata, kinds)
            except FormatError as error:
                yield Undecodable(*span, error)
            kind = kinds.get(tag, kind)
        kind = refined_kind(kind, encoded)
        try:
            if kind is Kind.SCALAR and scalar is None:
                scalar = decode_scalar(encoded)
        except FormatError as error:
            yield Undecodable(*span, error)
            continue
        if kind is not None:
            yield Located(kind, tag, step, wall_time, scalar, *span)


def decode_scalar(encoded: bytes | memoryview) -> float:
    """Return the number in an encoded Summary.Value. Raises FormatError."""
    assert SCALAR.tensorboard
    return SCALAR.tensorboard.decode(encoded)


DECIDED_BY_METADATA = (Kind.TENSOR, None)
"""Kinds by field for which the plugin in the metadata decides the real kind."""


def learn_kind(tag: str, metadata: bytes | memoryview | None, kinds: dict[str, Kind]) -> None:
    """Store the kind of a tag by the plugin in an encoded SummaryMetadata, if ``kinds`` does not have it yet.

    Raises FormatError.
    """
    if metadata is None or tag in kinds:
        return
    plugin = wire.decode(METADATA, metadata).get("plugin_data", {}).get("plugin_name", "")
    if plugin in _PLUGIN_KINDS:
        kinds[tag] = _PLUGIN_KINDS[plugin]


def metadata_of(encoded: bytes | memoryview) -> bytes | memoryview | None:
    """Return the encoded SummaryMetadata of an encoded Summary.Value."""
    spans = [
        (start, end)
        for number, value, start, end in wire.split(encoded, 0, len(encoded))
        if number == 9 and value is None
    ]
    return encoded[slice(*spans[-1])] if spans else None


# ---- writing --------------------------------------------------------------------------------------------------------


WRITER = "mindscope"
"""How files name the program that wrote them."""
SESSION_START, SESSION_STOP = 1, 2


def version_event(wall_time: float) -> bytes:
    """Return the payload of the first record of an event file."""
    event = {"wall_time": wall_time, "file_version": VERSION, "source_metadata": {"writer": WRITER}}
    return wire.encode(EVENT, event)


def summary_event(wall_time: float, step: int, values: bytes) -> bytes:
    """Return the payload of an Event whose Summary is made of ``values``, concatenated ``Summary.value`` fields."""
    return encode_summary_event(wall_time, step, values)


def session_start_events(wall_time: float, step: int) -> tuple[bytes, bytes]:
    """Return the payloads of the events that hide older points at ``step`` and later ones."""
    version = {"wall_time": wall_time, "step": step, "file_version": VERSION}
    start = {"wall_time": wall_time, "step": step, "session_log": {"status": SESSION_START}}
    return wire.encode(EVENT, version), wire.encode(EVENT, start)


def session_stop_event(wall_time: float) -> bytes:
    """Return the payload of the last event of a file whose writer closed it."""
    return wire.encode(EVENT, {"wall_time": wall_time, "session_log": {"status": SESSION_STOP}})


def graph_event(wall_time: float, graph: bytes) -> bytes:
    """Return the payload of an Event that holds an encoded GraphDef."""
    return wire.encode(EVENT, {"wall_time": wall_time, "graph_def": graph})
