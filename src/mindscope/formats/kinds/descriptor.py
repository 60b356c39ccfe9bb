# SPDX-License-Identifier: Apache-2.0
"""Describes a kind of data for the rest of the program: names in files, decoders, export files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mindscope.errors import FormatError
from mindscope.formats import mindspore_schemas, tensorboard_schemas, wire
from mindscope.reasons import Reason
from mindscope.types import Kind, Message

NamedBytes = tuple[str, bytes]
"""The end of a file name, such as ``.png`` or ``_2.png``, and the content of the file."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The fields in which one dialect stores a kind, and their decoder.

    ``value_fields`` are the fields of a Summary.Value that hold it, ``event_field`` is its field of an Event or a
    LineageEvent. ``decode`` takes the encoded Summary.Value, or the encoded message of the event, and returns the
    value; it raises FormatError for invalid bytes.
    """

    decode: Callable[[bytes | memoryview], Any]
    value_fields: tuple[int, ...] = ()
    event_field: int | None = None


@dataclass(frozen=True, slots=True)
class KindDescriptor:
    """The description of one kind of data.

    ``plugins`` are the names of TensorBoard's plugins whose tensors are of this kind. ``is_tagged`` is False for kinds
    that use their own name as the tag. If ``has_progress`` is True, the steps of its values show the progress of a
    training. A value of the kind ``refines`` is of this kind if ``recognizes`` accepts its encoded Summary.Value; that
    is for kinds that share a field. ``export_directory`` and ``to_files`` write each value as files; "" and None if an
    export writes no file for each value. ``to_tensorboard`` takes a tag and a value that another dialect stores, and
    returns its Summary.Value in TensorBoard's.
    """

    kind: Kind
    tensorboard: Storage | None = None
    mindspore: Storage | None = None
    mindspore_lineage: Storage | None = None
    plugins: tuple[str, ...] = ()
    is_tagged: bool = True
    has_progress: bool = False
    refines: Kind | None = None
    recognizes: Callable[[bytes | memoryview], bool] | None = None
    export_directory: str = ""
    to_files: Callable[[Any], Iterator[NamedBytes]] | None = None
    to_tensorboard: Callable[[str, Any], Message] | None = None


def tensorboard_value(kind: Kind, decode: Callable[[Message], Any], *fields: int) -> Storage:
    """Return a kind in TensorBoard's Summary.Value: in ``fields`` of its own, or in a tensor that a plugin names."""
    return Storage(_of_value(kind, tensorboard_schemas.VALUE, decode), fields)


def mindspore_value(kind: Kind, decode: Callable[[Message], Any], *fields: int) -> Storage:
    """Return a kind in ``fields`` of MindSpore's Summary.Value."""
    return Storage(_of_value(kind, mindspore_schemas.VALUE, decode), fields)


def event_message(schema: wire.Schema, field: int) -> Storage:
    """Return a kind that is a whole message in ``field`` of an event; it decodes to that message."""
    return Storage(lambda encoded: wire.decode(schema, encoded), event_field=field)


def _of_value(kind: Kind, schema: wire.Schema, decode: Callable[[Message], Any]) -> Callable[[bytes | memoryview], Any]:
    def decode_encoded(encoded: bytes | memoryview) -> Any:
        value = wire.decode(schema, encoded)
        try:
            return decode(value)
        except (KeyError, IndexError) as missing:
            tag = value.get("tag", "")
            raise FormatError(Reason("field_missing", kind=kind.value, tag=tag, field=str(missing))) from None

    return decode_encoded


def position(number: int, count: int) -> str:
    """Return the end of a file name for value ``number`` of ``count`` in the same step."""
    return f"_{number}" if count > 1 else ""
