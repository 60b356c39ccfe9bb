# SPDX-License-Identifier: Apache-2.0
"""A timeline as one file of a cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mindscope.profile.timeline.timeline import Counter, Flows, Marks, Timeline
from mindscope.profile.trace.trace import Skipped, Track
from mindscope.store.column_file import ColumnFileKind, open_columns, save_columns
from mindscope.table.schema import schema_version

_ARRAYS = (
    *("start", "duration", "own", "before", "name", "category", "parent", "args_offset", "args_size"),
    *("longest", "longest_ns", "level_offsets", "lane_track", "lane_row", "lane_first"),
)
_TEXTS = (
    *("names", "categories", "origin_ns", "properties", "read", "overlaps"),
    *("arguments_format", "arguments_path"),
)


@cache
def _kind() -> ColumnFileKind:
    return ColumnFileKind(b"MSTL", schema_version(Timeline))


def save_timeline(timeline: Timeline, path: Path, key: str) -> None:
    """Write a timeline; ``key`` says what it was made of. Replaces the file at once. Raises OSError."""
    header = {
        **{name: getattr(timeline, name) for name in _TEXTS},
        "tracks": [list(track) for track in timeline.tracks],
        "skipped": {reason: [value.count, value.first_offset] for reason, value in timeline.skipped.items()},
        "counters": [(counter.name, counter.track, counter.unit) for counter in timeline.counters],
        "unbound": timeline.flows.unbound,
    }
    save_columns(path, _kind(), key, header, _columns(timeline))


def open_timeline(path: Path, key: str) -> Timeline | None:
    """Return the timeline of a file, mapped into memory; None if there is none, or if it was made of something else."""
    try:
        opened = open_columns(path, _kind(), key)
        return None if opened is None else _timeline(opened.header, opened.columns)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _columns(timeline: Timeline) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {name: getattr(timeline, name) for name in _ARRAYS}
    columns |= {f"marks.{field.name}": getattr(timeline.marks, field.name) for field in fields(Marks)}
    columns |= {f"flows.{name}": getattr(timeline.flows, name) for name in ("source", "target", "category")}
    for index, counter in enumerate(timeline.counters):
        columns |= {f"counters.{index}.times": counter.times, f"counters.{index}.values": counter.values}
    return columns


def _timeline(header: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> Timeline:
    return Timeline(
        **{name: columns[name] for name in _ARRAYS},
        **{name: header[name] for name in _TEXTS},
        counters=[
            Counter(name, track, columns[f"counters.{index}.times"], columns[f"counters.{index}.values"], unit)
            for index, (name, track, unit) in enumerate(header["counters"])
        ],
        marks=Marks(*(columns[f"marks.{field.name}"] for field in fields(Marks))),
        flows=Flows(columns["flows.source"], columns["flows.target"], columns["flows.category"], header["unbound"]),
        tracks=[Track(*each) for each in header["tracks"]],
        skipped={reason: Skipped(*value) for reason, value in header["skipped"].items()},
    )
