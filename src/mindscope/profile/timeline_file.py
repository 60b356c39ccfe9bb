# SPDX-License-Identifier: Apache-2.0
"""A timeline as one file of a cache: a JSON header, then the columns, which are mapped into memory when it is opened.

byte 0   "MSTL"
     4   uint32: version of the layout
     8   uint64: length H of the header
    16   H bytes of JSON, padded with spaces to a multiple of 64
    then the columns, little endian, each padded to a multiple of 64
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.timeline import Counter, Flows, Marks, Timeline
from mindscope.profile.trace import Skipped, Track

_MAGIC = b"MSTL"
_VERSION = 2
_ALIGNMENT = 64
_ARRAYS = (
    *("start", "duration", "own", "before", "name", "category", "parent", "args_offset", "args_size"),
    *("longest", "longest_ns", "level_offsets", "lane_track", "lane_row", "lane_first"),
)
_TEXTS = ("names", "categories", "origin_ns", "properties", "read", "overlaps")


def save_timeline(timeline: Timeline, path: Path, key: str) -> None:
    """Write a timeline; ``key`` says what it was made of. Replaces the file at once. Raises OSError."""
    columns = _columns(timeline)
    layout: dict[str, tuple[str, int, int]] = {}
    offset = 0
    for name, values in columns.items():
        layout[name] = (f"<{values.dtype.str[1:]}", offset, values.size)
        offset += _aligned(values.nbytes)
    header = {
        "key": key,
        "layout": layout,
        **{name: getattr(timeline, name) for name in _TEXTS},
        "tracks": [list(track) for track in timeline.tracks],
        "skipped": {reason: [each.count, each.first_offset] for reason, each in timeline.skipped.items()},
        "counters": [(each.name, each.track, each.unit) for each in timeline.counters],
        "unbound": timeline.flows.unbound,
    }
    text = json.dumps(header).encode()
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            length = _aligned(16 + len(text)) - 16
            file.write(_MAGIC + _VERSION.to_bytes(4, "little") + length.to_bytes(8, "little") + text.ljust(length))
            for values in columns.values():
                file.write(_little(values).data)
                file.write(bytes(_aligned(values.nbytes) - values.nbytes))
        os.replace(part, path)  # noqa: PTH105 (both are of the same directory)
    finally:
        part.unlink(missing_ok=True)


def open_timeline(path: Path, key: str) -> Timeline | None:
    """The timeline of a file, mapped into memory; None if there is none, or if it was made of something else."""
    try:
        with path.open("rb") as file:
            front = file.read(16)
            if front[:4] != _MAGIC or int.from_bytes(front[4:8], "little") != _VERSION:
                return None
            length = int.from_bytes(front[8:16], "little")
            header: dict[str, Any] = json.loads(file.read(length))
        if header["key"] != key:
            return None
        data = np.memmap(path, np.uint8, "r", offset=16 + length) if _size(header) else np.empty(0, np.uint8)
        return _timeline(header, data)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _columns(timeline: Timeline) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {name: getattr(timeline, name) for name in _ARRAYS}
    columns |= {f"marks.{each.name}": getattr(timeline.marks, each.name) for each in fields(Marks)}
    columns |= {f"flows.{name}": getattr(timeline.flows, name) for name in ("source", "target", "category")}
    for place, counter in enumerate(timeline.counters):
        columns |= {f"counters.{place}.times": counter.times, f"counters.{place}.values": counter.values}
    return columns


def _timeline(header: Mapping[str, Any], data: NDArray[np.uint8]) -> Timeline:
    columns = {
        name: np.ndarray(length, dtype, cast("Any", data), offset)
        for name, (dtype, offset, length) in header["layout"].items()
    }
    return Timeline(
        **{name: columns[name] for name in _ARRAYS},
        **{name: header[name] for name in _TEXTS},
        counters=[
            Counter(name, track, columns[f"counters.{place}.times"], columns[f"counters.{place}.values"], unit)
            for place, (name, track, unit) in enumerate(header["counters"])
        ],
        marks=Marks(*(columns[f"marks.{each.name}"] for each in fields(Marks))),
        flows=Flows(columns["flows.source"], columns["flows.target"], columns["flows.category"], header["unbound"]),
        tracks=[Track(*each) for each in header["tracks"]],
        skipped={reason: Skipped(*each) for reason, each in header["skipped"].items()},
    )


def _little(values: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(values).astype(f"<{values.dtype.str[1:]}", copy=False)


def _size(header: Mapping[str, Any]) -> int:
    return sum(length for _, _, length in header["layout"].values())


def _aligned(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
