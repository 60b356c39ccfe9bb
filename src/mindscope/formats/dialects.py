# SPDX-License-Identifier: Apache-2.0
"""Detects the dialect of a file, and calls the functions of each dialect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mindscope.errors import FormatError, WireError
from mindscope.formats import mindspore, tensorboard, wire
from mindscope.formats.barrier import as_format_error
from mindscope.formats.kinds import KINDS
from mindscope.reasons import Reason
from mindscope.types import DialectName, Kind, Located, Undecodable

EVENT_DIALECTS = (DialectName.MINDSPORE, DialectName.MINDSPORE_LINEAGE, DialectName.TENSORBOARD)
"""Dialects of event files; values of other logs are read as those of TensorBoard."""

__all__ = ["EVENT_DIALECTS", "decode", "detect", "locate", "rewinds"]


def detect(file_name: str, first_payload: bytes | memoryview | None = None) -> DialectName:
    """Return the dialect by the version in the first record; if the record has no version, by the name of the file."""
    version = _read_version(first_payload) if first_payload is not None else ""
    if version.startswith("MindSpore.Event"):
        return DialectName.MINDSPORE
    if version.startswith("brain.Event"):
        return DialectName.TENSORBOARD
    if "tfevents" in file_name:
        return DialectName.TENSORBOARD
    return DialectName.MINDSPORE_LINEAGE if file_name.endswith("_lineage") else DialectName.MINDSPORE


def rewinds(dialect: DialectName, first_payload: bytes | memoryview) -> bool:
    """Return whether a decreasing step replaces earlier points with larger steps.

    ``first_payload`` is the record at byte 0.

    This is TensorBoard's rule for files below version 2 of its format, whose writers have no other sign of a restart.
    """
    return dialect is DialectName.TENSORBOARD and _read_version(first_payload) in ("", "brain.Event:1")


def _read_version(payload: bytes | memoryview) -> str:
    try:
        for number, value, start, end in wire.split(payload, 0, len(payload)):
            if number == 3 and value is None:
                return str(payload[start:end], "utf-8", "replace")
    except WireError:
        pass  # the reader of the record reports this error with its position
    return ""


def locate(
    dialect: DialectName, payload: bytes | memoryview, offset: int, kinds: dict[str, Kind]
) -> Iterator[Located | Undecodable]:
    """Return the values of the event in ``payload``, which begins at file byte ``offset``, and those that can't be
    decoded.

    ``kinds`` maps the tags of one run to kinds, see ``tensorboard.locate``. Raises FormatError for an invalid event.
    """
    if dialect is DialectName.TENSORBOARD:
        return tensorboard.locate(payload, offset, kinds)
    if dialect is DialectName.MINDSPORE_LINEAGE:
        return mindspore.locate_lineage(payload, offset)
    return mindspore.locate(payload, offset)


def decode(dialect: DialectName, kind: Kind, encoded: bytes | memoryview) -> Any:
    """Return the value in the bytes that a Located of this dialect refers to. Raises FormatError."""
    storage = getattr(KINDS[kind], dialect.value if dialect in EVENT_DIALECTS else DialectName.TENSORBOARD.value)
    if storage is None:
        raise FormatError(Reason("value_malformed", kind=kind.value, why=f"{dialect} files hold no such values"))
    try:
        return storage.decode(encoded)
    except FormatError:
        raise
    except Exception as error:  # such as a number instead of a text, an incomplete table, or an impossible shape
        raise as_format_error(error, kind.value) from error
