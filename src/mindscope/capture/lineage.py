# SPDX-License-Identifier: Apache-2.0
"""Encodes lineage: training, evaluation and data-set lineage, and the user's own entries, as ``LineageEvent``."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping
from typing import Any, cast

from mindscope.capture.array_conversion import to_item
from mindscope.capture.masking.masked_parameters import masked_parameters
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
_MOST_LEVELS = 32
"""Limit of the levels of nested entries; an entry that contains itself has more."""


def lineage_bytes(plugin: str, value: Any) -> bytes:
    """Return the encoded message of a lineage plugin. Raises like ``message_bytes``."""
    if plugin == "custom_lineage_data" and _has_entries(value):
        return message_bytes(USER_DEFINED_INFO, custom_message(value))
    return message_bytes(FIELDS[plugin][1], value)


def _has_entries(value: Any) -> bool:
    """Return whether it is a dict of the user's own entries, not one of the message's fields."""
    if not isinstance(value, Mapping):
        return False
    entries = cast(Mapping[Any, Any], value)
    return not all(name in _MESSAGE_FIELDS and isinstance(item, (list, Mapping)) for name, item in entries.items())


def lineage_event(plugin: str, encoded: bytes, wall_time: float) -> bytes:
    """Return the payload of the record that holds one encoded lineage message."""
    name, _ = FIELDS[plugin]
    number = next(field.number for field in LINEAGE_EVENT.fields if field.name == name)
    return wire.encode(LINEAGE_EVENT, {"wall_time": wall_time}) + bytes_field(number, encoded)


def flat_entries(entries: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the user's own entries; nested ones have dotted names: ``{"model": {"depth": 3}}`` gives ``model.depth``.

    Raises TypeRejectedError for a key that is no text, a name that occurs twice, and more than 32 levels.
    """
    flat, errors = _flattened(entries)
    if errors:
        raise errors[0]
    return flat


def split_entries(value: Any) -> tuple[Any, list[TypeRejectedError]]:
    """Return the user's own entries that can be recorded, flat, and what is wrong with the others.

    A message stays unchanged.
    """
    if not _has_entries(value):
        return value, []
    good: dict[str, Any] = {}
    flat, errors = _flattened(value)
    for name, each in flat.items():
        try:
            _entry(name, each)
            good[name] = each
        except TypeRejectedError as error:
            errors.append(error)
    return good, errors


def _flattened(entries: Mapping[Any, Any]) -> tuple[dict[str, Any], list[TypeRejectedError]]:
    flat: dict[str, Any] = {}
    errors: list[TypeRejectedError] = []
    for name, value in _leaves(entries, "", _MOST_LEVELS):
        if isinstance(value, TypeRejectedError):
            errors.append(value)
        elif name in flat:
            errors.append(TypeRejectedError(f"custom lineage has two values of {name!r}, want different names"))
        else:
            flat[name] = value
    return flat, errors


def _leaves(entries: Mapping[Any, Any], prefix: str, levels: int) -> Iterator[tuple[str, Any]]:
    """Name and value of each entry, or what is wrong with it in the place of the value."""
    for key, value in entries.items():
        if not isinstance(key, str) or not key:
            yield prefix, TypeRejectedError(f"custom lineage key is {type(key).__name__} {key!r}, want text, not empty")
        elif not isinstance(value, Mapping):
            yield f"{prefix}{key}", value
        elif levels == 0:
            yield prefix, TypeRejectedError(f"custom lineage {prefix[:40]!r} has more than {_MOST_LEVELS} levels")
        else:
            yield from _leaves(cast(Mapping[Any, Any], value), f"{prefix}{key}.", levels - 1)


def custom_message(entries: Mapping[str, Any]) -> Message:
    """Return the ``UserDefinedInfo`` of a user's own entries, one key each as MindSpore writes them.

    Text stays text, floats are float64, integers and booleans are int32; an integer beyond int32 is stored as decimal
    text. ``map_bool`` and ``map_int64`` repeat what is no int32, for readers that know them. An integer beyond int64 is
    text. Secrets are masked. Raises TypeRejectedError for other values, and as ``flat_entries`` does.
    """
    return {"user_info": [_entry(key, value) for key, value in masked_parameters(flat_entries(entries)).items()]}


def _entry(key: str, value: Any) -> Message:
    number = to_item(value) if hasattr(value, "item") else value
    if isinstance(number, str):
        return {"map_str": {key: number}}
    if isinstance(number, bool):
        return {"map_int32": {key: int(number)}, "map_bool": {key: number}}
    if isinstance(number, numbers.Integral):
        return _integer(key, int(number))
    if isinstance(number, numbers.Real):
        return {"map_double": {key: float(number)}}
    raise TypeRejectedError(
        f"custom lineage {key!r} is {type(value).__name__} {str(value)[:40]!r}, want text, a number or a bool"
    )


def _integer(key: str, whole: int) -> Message:
    if -(1 << 31) <= whole < 1 << 31:
        return {"map_int32": {key: whole}}
    text: Message = {"map_str": {key: str(whole)}}
    return {**text, "map_int64": {key: whole}} if -(1 << 63) <= whole < 1 << 63 else text
