# SPDX-License-Identifier: Apache-2.0
"""Event files for tests: records made one by one, written whole, in parts, or damaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mindscope.formats import mindspore, mindspore_schemas, tensorboard, tensorboard_schemas, wire
from mindscope.formats.frames import frame
from mindscope.ingest import RunLoader, find_run
from mindscope.store import RunStore
from mindscope.types import Kind

DATA = Path(__file__).parent / "data"
MINDSPORE_NAME = "events.out.events.summary.{}.0.host_MS"
LINEAGE_NAME = "events.out.events.summary.{}.0.host_lineage"
TENSORBOARD_NAME = "events.out.tfevents.{}.host.1.0"


def version() -> bytes:
    return frame(mindspore.version_event(1.0))


def event(step: int, *values: Mapping[str, Any], wall_time: float | None = None) -> bytes:
    """One framed MindSpore event that holds ``values`` (Summary.Value messages)."""
    fields = b"".join(mindspore.value_field(dict(value)) for value in values)
    return frame(mindspore.summary_event(float(step) if wall_time is None else wall_time, step, fields))


def scalars(step: int, values: Mapping[str, float], wall_time: float | None = None) -> bytes:
    """One framed MindSpore event with some scalars."""
    messages = [{"tag": tag, "scalar_value": value} for tag, value in values.items()]
    return event(step, *messages, wall_time=wall_time)


def steps(numbers: Iterable[int], tag: str = "loss", first_value: float = 0.0, begun: float = 0.0) -> bytes:
    """One record for each step; the values count up from ``first_value``, so that each tells where it came from.

    Wall times are ``begun`` plus the step: those of writers that work at the same time overlap.
    """
    return b"".join(
        scalars(step, {tag: first_value + number}, wall_time=begun + step) for number, step in enumerate(numbers)
    )


def lineage(message: Mapping[str, Any]) -> bytes:
    return frame(wire.encode(mindspore_schemas.LINEAGE_EVENT, {"wall_time": 1.0, **message}))


def tensorboard_version() -> bytes:
    return frame(tensorboard.version_event(1.0))


def tensorboard_event(step: int, *values: Mapping[str, Any], **fields: Any) -> bytes:
    message: dict[str, Any] = {"wall_time": float(step), "step": step, **fields}
    if values:
        message["summary"] = {"value": [dict(value) for value in values]}
    return frame(wire.encode(tensorboard_schemas.EVENT, message))


def histogram(tag: str, counts: Iterable[int]) -> dict[str, Any]:
    buckets = [{"left": float(left), "width": 1.0, "count": count} for left, count in enumerate(counts)]
    total = sum(bucket["count"] for bucket in buckets)
    numbers = {"count": total, "min": 0.0, "max": float(len(buckets)), "sum": 1.5}
    return {"tag": tag, "histogram": {"buckets": buckets, **numbers}}


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def load(directory: Path) -> RunStore:
    """The store of a run directory, read from nothing."""
    found = find_run(directory)
    assert found is not None
    loader = RunLoader(found)
    loader.read_all()
    return loader.store


def content(store: RunStore) -> dict[str, Any]:
    """Everything that two stores of the same files must have in common, as plain values."""
    names = {ordinal: store.file(ordinal).name for ordinal in store._files}
    series = {}
    for (kind, tag), each in store.series.items():
        every, seen = each.all(), each.visible()
        series[str(kind), tag] = (_plain(every, names), _plain(seen, names))
    files = [
        (f.name, f.dialect, f.records, f.read_bytes, f.first_wall_time, f.last_wall_time, f.last_step, f.damages)
        for f in store.files
    ]
    return {"series": series, "files": files}


def _plain(columns: Any, names: dict[int, str]) -> list[tuple[Any, ...]]:
    fields = [name for name in columns.__slots__ if name != "file"]
    rows = zip(*(getattr(columns, name).tolist() for name in fields), strict=True)
    # repr makes NaN equal to NaN
    return [(names[file], *map(repr, row)) for file, row in zip(columns.file.tolist(), rows, strict=True)]


def scalar_points(store: RunStore, tag: str = "loss", overwritten: bool = False) -> list[tuple[int, float]]:
    series = store.scalars(tag)
    if series is None:
        return []
    columns = series.all() if overwritten else series.visible()
    return list(zip(columns.step.tolist(), columns.value.tolist(), strict=True))


def visible_steps(store: RunStore, tag: str = "loss") -> list[int]:
    return [step for step, _ in scalar_points(store, tag)]


def kinds_of(store: RunStore) -> set[Kind]:
    return {kind for kind, _ in store.series}
