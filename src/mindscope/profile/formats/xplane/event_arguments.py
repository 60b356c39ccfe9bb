# SPDX-License-Identifier: Apache-2.0
"""Arguments of slices that are events of an XSpace: their stats, decoded when the details are asked for."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import WireError
from mindscope.formats.wire import decode
from mindscope.profile.formats.row_columns import rows_by_id
from mindscope.profile.formats.xplane.planes import EncodedPlane, metadata_of, plane_around, texts_by_id
from mindscope.profile.formats.xplane.schemas import SCHEMAS
from mindscope.profile.trace.arguments import MOST_BYTES

_MOST_SHOWN = 32
"""Bytes of a value that is no text."""


@dataclass(frozen=True, slots=True)
class _Plane:
    """Names of stats, and where the metadata of events are in the file."""

    begin: int
    end: int
    stat_names: Mapping[int, str]
    ids: NDArray[np.int64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]


class EventArguments:
    """Reads the stats of events by their locations in a file: see ``ArgumentReader``.

    Of the planes of the file, the names of the last one are kept.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._plane: _Plane | None = None

    def read(self, offset: int, size: int) -> dict[str, Any]:
        """Return the stats of an event by their names, also those that all events of its name share. Raises OSError."""
        with closing(self.read_all([(offset, size)])) as found:
            return next(found)

    def read_all(self, locations: Iterable[tuple[int, int]]) -> Generator[dict[str, Any]]:
        """Yield the stats at each location (offset, size); empty for what is no event. Raises OSError."""
        with self._path.open("rb") as file:
            for offset, size in locations:
                plane = self._plane_of(offset) if offset >= 0 else None
                yield {} if plane is None else _arguments(file, plane, offset, size)

    def _plane_of(self, offset: int) -> _Plane | None:
        plane = self._plane
        if plane is None or not plane.begin <= offset < plane.end:
            found = plane_around(self._path, offset)
            self._plane = plane = None if found is None else _plane(found)
        return plane


def _plane(found: EncodedPlane) -> _Plane:
    events, stats = metadata_of(found.encoded)
    return _Plane(
        begin=found.begin,
        end=found.begin + len(found.encoded),
        stat_names=texts_by_id(stats),
        ids=events.numbers("id"),
        start=events.runs.start + found.begin,
        stop=events.runs.stop + found.begin,
    )


def _arguments(file: BinaryIO, plane: _Plane, offset: int, size: int) -> dict[str, Any]:
    event = _message(file, "XEvent", offset, size)
    row = int(rows_by_id(plane.ids, np.array([event.get("metadata_id", 0)], np.int64))[0])
    start, stop = (int(plane.start[row]), int(plane.stop[row])) if row >= 0 else (0, 0)
    shared = _message(file, "XEventMetadata", start, stop - start)
    return _values(shared.get("stats", ()), plane) | _values(event.get("stats", ()), plane)


def _message(file: BinaryIO, schema: str, offset: int, size: int) -> dict[str, Any]:
    """Return a message at an offset; empty for a damaged one."""
    file.seek(offset)
    try:
        return decode(SCHEMAS[schema], file.read(min(size, MOST_BYTES)))
    except WireError:
        return {}


def _values(stats: Sequence[Mapping[str, Any]], plane: _Plane) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for stat in stats:
        number = stat.get("metadata_id", 0)
        values = [_value(name, value, plane) for name, value in stat.items() if name != "metadata_id"]
        if values:
            found[plane.stat_names.get(number) or f"[{number}]"] = values[-1]
    return found


def _value(field: str, value: Any, plane: _Plane) -> Any:
    """Return a value as JSON. A reference is the name of another stat."""
    if field == "ref_value":
        return plane.stat_names.get(value, f"[{value}]")
    if isinstance(value, bytes):
        return value[:_MOST_SHOWN].hex(" ") + (f" ... ({len(value)} bytes)" if len(value) > _MOST_SHOWN else "")
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
