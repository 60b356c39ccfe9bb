# SPDX-License-Identifier: Apache-2.0
"""Values of one stretch of one file on their way into a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mindscope.types import Kind, Located

STEPLESS = frozenset(
    {
        Kind.GRAPH, Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.DATASET_GRAPH, Kind.CUSTOM_LINEAGE, Kind.HPARAMS,
        Kind.CUSTOM_SCALARS, Kind.LANDSCAPE, Kind.SESSION, Kind.META_GRAPH, Kind.RUN_METADATA, Kind.EXPLAIN,
        Kind.LOG_MESSAGE,
    }
)  # fmt: skip
"""Kinds whose step says nothing about how far a training came."""


@dataclass(slots=True)
class ScalarRows:
    """Points of one tag, three lists of equal length."""

    step: list[int] = field(default_factory=list[int])
    wall_time: list[float] = field(default_factory=list[float])
    value: list[float] = field(default_factory=list[float])


@dataclass(slots=True)
class ReferenceRows:
    """Values of one tag of one kind, four lists of equal length."""

    step: list[int] = field(default_factory=list[int])
    wall_time: list[float] = field(default_factory=list[float])
    offset: list[int] = field(default_factory=list[int])
    length: list[int] = field(default_factory=list[int])


class Batch:
    """Collects located values by series, so that each series grows once a batch."""

    def __init__(self) -> None:
        self.scalars: dict[str, ScalarRows] = {}
        self.references: dict[tuple[Kind, str], ReferenceRows] = {}
        self.records = 0  # records that were read, those without values too
        self.first_wall_time: float | None = None
        self.last_wall_time: float | None = None
        self.last_step: int | None = None  # the highest among kinds whose steps tell the progress of a training

    def __bool__(self) -> bool:
        return bool(self.scalars or self.references)

    def add(self, values: Iterable[Located]) -> None:
        """Add all values of one event."""
        for value in values:
            if value.scalar is None:
                self._add_reference(value)
            else:
                self._add_scalar(value, value.scalar)
            self._note(value)

    def _add_scalar(self, value: Located, scalar: float) -> None:
        rows = self.scalars.get(value.tag)
        if rows is None:
            rows = self.scalars[value.tag] = ScalarRows()
        rows.step.append(value.step)
        rows.wall_time.append(value.wall_time)
        rows.value.append(scalar)

    def _add_reference(self, value: Located) -> None:
        rows = self.references.setdefault((value.kind, value.tag), ReferenceRows())
        rows.step.append(value.step)
        rows.wall_time.append(value.wall_time)
        rows.offset.append(value.offset)
        rows.length.append(value.length)

    def _note(self, value: Located) -> None:
        wall_time = value.wall_time
        if self.first_wall_time is None or wall_time < self.first_wall_time:
            self.first_wall_time = wall_time
        if self.last_wall_time is None or wall_time > self.last_wall_time:
            self.last_wall_time = wall_time
        if value.kind not in STEPLESS and (self.last_step is None or value.step > self.last_step):
            self.last_step = value.step
