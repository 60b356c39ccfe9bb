# SPDX-License-Identifier: Apache-2.0
"""Reads an XSpace plane by plane, so that only one is in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from mindscope.artifacts.format import Progress
from mindscope.errors import FormatError
from mindscope.formats.message_columns import ByteRanges, Messages, distinct_runs
from mindscope.profile.formats.xplane.schemas import PLANE
from mindscope.reasons import Reason

_PLANE, _ERROR, _WARNING, _HOST = 1, 2, 3, 4
_RUN = 2
_LONGEST_TEXT = 1 << 20
_LINE = 3


@dataclass(slots=True)
class Space:
    """Facts that a file has beside its planes; complete after the last plane."""

    errors: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    hosts: list[str] = field(default_factory=list[str])
    cut_at: int = -1
    """Position where the file ends within a field, or breaks the encoding; -1 for a whole one."""


class EncodedPlane(NamedTuple):
    """A plane of a file, and where in the file it begins."""

    begin: int
    encoded: bytes


def planes_of(path: Path, space: Space, on_progress: Progress) -> Iterator[EncodedPlane]:
    """Yield the encoded planes of a file, the last one maybe cut.

    Raises:
        FormatError: its first bytes are no XSpace.
        OSError: it can't be read.
    """
    texts = {_ERROR: space.errors, _WARNING: space.warnings, _HOST: space.hosts}
    with path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        while True:
            at = file.tell()
            key = _varint(file)
            if key is None:
                space.cut_at = at if file.tell() > at else space.cut_at
                break
            size = _varint(file) if key & 7 == _RUN else None
            if size is None or key >> 3 not in {_PLANE, *texts}:
                if at == 0:
                    raise FormatError(Reason("profile_not_xla", file=path.name))
                space.cut_at = at
                break
            left = min(size, end - file.tell())
            if left < size:
                space.cut_at = at
            if key >> 3 in texts and left > _LONGEST_TEXT:
                file.seek(left, os.SEEK_CUR)
                continue
            begin, found = file.tell(), file.read(left)
            on_progress(file.tell())
            if key >> 3 == _PLANE:
                yield EncodedPlane(begin, found)
            else:
                texts[key >> 3].append(found.decode("utf-8", "backslashreplace"))


def plane_around(path: Path, offset: int) -> EncodedPlane | None:
    """Return the plane that holds an offset of a file; None for one in no plane. Raises OSError."""
    with path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        while (key := _varint(file)) is not None:
            size = _varint(file) if key & 7 == _RUN else None
            if size is None:
                return None
            begin = file.tell()
            if begin <= offset < begin + size:
                return EncodedPlane(begin, file.read(min(size, end - begin))) if key >> 3 == _PLANE else None
            file.seek(min(begin + size, end))
    return None


def lines_of(encoded: bytes) -> Messages:
    """Return the lines of a plane; of a cut plane also what is there of its last line."""
    plane = Messages.one(PLANE, encoded)
    _, lines = plane.each_message("lines")
    if not plane.broken.size:
        return lines
    begin = _cut_line(encoded)
    if begin < 0:
        return lines
    runs = lines.runs
    return Messages(
        lines.schema, ByteRanges(encoded, np.append(runs.start, begin), np.append(runs.stop, len(encoded)))
    )  # fmt: skip


def metadata_of(encoded: bytes) -> tuple[Messages, Messages]:
    """Return the metadata of the events and of the stats of a plane."""
    plane = Messages.one(PLANE, encoded)
    return tuple(plane.each_message(name)[1].messages("value") for name in ("event_metadata", "stat_metadata"))  # type: ignore[return-value]


def name_of(encoded: bytes) -> str:
    """Return the name of a plane."""
    return Messages.one(PLANE, encoded).field_runs("name").text(0)


def texts_by_id(metadata: Messages) -> dict[int, str]:
    """Return id -> name."""
    numbers, names = distinct_runs(metadata.field_runs("name"))
    texts = [name.decode("utf-8", "backslashreplace") for name in names]
    ids: list[int] = metadata.numbers("id").tolist()
    return {id: texts[number] for id, number in zip(ids, numbers.tolist(), strict=True)}


def _cut_line(encoded: bytes) -> int:
    """Return where the content of a line begins whose end is missing; -1 if something else is cut."""
    at = 0
    while at < len(encoded):
        key, at = _varint_of(encoded, at)
        if key & 7 == 0:
            _, at = _varint_of(encoded, at)
        elif key & 7 in (1, 5):
            at += 8 if key & 7 == 1 else 4
        elif key & 7 == _RUN:
            size, at = _varint_of(encoded, at)
            if at + size > len(encoded):
                return at if key >> 3 == _LINE else -1
            at += size
        else:
            return -1
    return -1


def _varint(file: BinaryIO) -> int | None:
    """Return the number at the position of a file; None at its end, or if it is longer than ten bytes."""
    found = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte:
            return None
        found |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return found
    return None


def _varint_of(encoded: bytes, at: int) -> tuple[int, int]:
    """Return a number, and where it ends: at the end of the data if it is cut."""
    found = 0
    for shift in range(0, 70, 7):
        if at >= len(encoded):
            return 0, len(encoded)
        byte = encoded[at]
        found, at = found | (byte & 0x7F) << shift, at + 1
        if byte < 0x80:
            return found, at
    return 0, len(encoded)
