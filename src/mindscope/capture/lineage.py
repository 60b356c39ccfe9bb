# SPDX-License-Identifier: Apache-2.0
"""Encodes lineage: training, evaluation and data-set lineage, and the user's own entries, as ``LineageEvent``."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, cast

from mindscope.capture.array_conversion import to_item
from mindscope.capture.messages import message_bytes
from mindscope.capture.protobuf_fields import bytes_field
from mindscope.errors import TypeRejectedError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import (
    DATASET_GRAPH,
    EVALUATION_LINEAGE,
    LINEAGE_EVENT,
    TRAIN_LINEAGE,
    USER_DEFINED_INFO,
)
from mindscope.types import Message

FIELDS = {
    "train_lineage": ("train_lineage", TRAIN_LINEAGE),
    "eval_lineage": ("evaluation_lineage", EVALUATION_LINEAGE),
    "dataset_graph": ("dataset_graph", DATASET_GRAPH),
    "custom_lineage_data": ("user_defined_info", USER_DEFINED_INFO),
}
"""Plugin -> its field of the LineageEvent, and its message."""

_MESSAGE_FIELDS = frozenset(field.name for field in USER_DEFINED_INFO.fields)


def lineage_bytes(plugin: str, value: Any) -> bytes:
    """The encoded message of a lineage plugin. Raises like ``message_bytes``."""
    if plugin == "custom_lineage_data" and isinstance(value, Mapping):
        entries = cast(Mapping[str, Any], value)
        if not all(name in _MESSAGE_FIELDS and isinstance(item, (list, Mapping)) for name, item in entries.items()):
            return message_bytes(USER_DEFINED_INFO, custom_message(entries))
    return message_bytes(FIELDS[plugin][1], value)


def lineage_event(plugin: str, encoded: bytes, wall_time: float) -> bytes:
    """The payload of the record that holds one encoded lineage message."""
    name, _ = FIELDS[plugin]
    number = next(field.number for field in LINEAGE_EVENT.fields if field.name == name)
    return wire.encode(LINEAGE_EVENT, {"wall_time": wall_time}) + bytes_field(number, encoded)


def custom_message(entries: Mapping[str, Any]) -> Message:
    """The ``UserDefinedInfo`` of a user's own entries, one key each as MindSpore writes them.

    Text stays text, floats are float64, integers and booleans are int32; an integer beyond int32 is stored as decimal
    text, which loses nothing. Raises TypeRejectedError for other keys and values.
    """
    return {"user_info": [_entry(key, value) for key, value in entries.items()]}


def _entry(key: Any, value: Any) -> Message:
    if not isinstance(key, str) or not key:
        raise TypeRejectedError(f"custom lineage key is {type(key).__name__} {key!r}, want text")
    number = to_item(value) if hasattr(value, "item") else value
    if isinstance(number, str):
        return {"map_str": {key: number}}
    if isinstance(number, numbers.Integral):  # bool too
        whole = int(number)
        return {"map_int32": {key: whole}} if -(1 << 31) <= whole < 1 << 31 else {"map_str": {key: str(whole)}}
    if isinstance(number, numbers.Real):
        return {"map_double": {key: float(number)}}
    raise TypeRejectedError(
        f"custom lineage {key!r} is {type(value).__name__} {str(value)[:40]!r}, want text, a number or a bool"
    )
