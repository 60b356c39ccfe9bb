# SPDX-License-Identifier: Apache-2.0
"""Finds the rows that advice rests on: what a person calls them, and the tab that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from mindscope.profile.advice.advice import Advice, time_text
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.communication import Communication
from mindscope.profile.tables.data_pipeline import BatchWaits, DataPipeline, PipelineOperations, QueueSamples
from mindscope.profile.tables.further_tables import FurtherTables
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import Steps
from mindscope.profile.tables.streams import Streams
from mindscope.table.columns import TextColumn
from mindscope.table.rows import EACH, Condition, merged_rows
from mindscope.table.table import Table

PlaceKind = Literal[
    "step", "operator", "kernel", "stream", "collective", "operation", "batch", "moment", "block", "further", "span",
    "rank", "link", "stage",
]  # fmt: skip
"""``operation``, ``batch``: of the data pipeline. ``moment``: of the memory curve. ``further``: of a further table.

``span``: a range of the timeline. ``rank``, ``link``, ``stage``: of the comparison of ranks.
"""


class Place(NamedTuple):
    """A row that advice rests on."""

    kind: PlaceKind
    name: str
    """Name that a person gives it; the number of steps and batches."""
    of: str = ""
    """Device, queue or table that it belongs to."""
    row: int = -1
    """Number in the table of its tab, where rows have one: the position among rows of this name, the block, the row."""
    start: int | None = None
    """Nanoseconds since the origin of the profile, where its time is known."""
    duration: int | None = None

    @property
    def text(self) -> str:
        """Text for a person: ``step 3``, ``stream 7 of GPU 0``, ``12.3 ms to 14.3 ms``."""
        if self.kind == "span":
            begin = self.start or 0
            return f"{time_text(begin)} to {time_text(begin + (self.duration or 0))}"
        name = self.name or ("" if self.row < 0 else f"{self.row}") or time_text(self.start or 0)
        named = name if self.kind in ("operator", "kernel", "operation", "stream") else f"{self.kind} {name}"
        return f"{named} of {self.of}" if self.of else named


def places_of(profile: Profile, advice: Advice, most: int) -> Iterator[Place]:
    """Yield the first ``most`` rows and ranges that advice on a profile rests on."""
    table = _table(profile, advice)
    if table is not None:
        make = _MAKERS.get(type(table), _further)
        yield from (make(table, int(row), advice.table) for row in advice.rows[:most])
    for start, duration in advice.spans[:most]:
        yield Place("span", "", start=start, duration=duration)


def _table(profile: Profile, advice: Advice) -> Table | None:
    part: Any = profile.part(advice.part) if isinstance(advice.part, Part) else None
    if isinstance(part, FurtherTables):
        part = part.get(advice.table)
    elif isinstance(part, (DataPipeline, Memory)):
        part = getattr(part, advice.table, None)
    return part if isinstance(part, Table) else None


def _step(steps: Steps, row: int, _: str) -> Place:
    return Place("step", str(int(steps.number[row])), start=int(steps.start[row]), duration=int(steps.duration[row]))


def _operator(table: Operators | Kernels, row: int, _: str) -> Place:
    """Return the row among those of its name as the tab lists them: equal ones as one, the greatest first."""
    name = table.name[row]
    merged = merged_rows(table, EACH, [Condition("name", name)])
    same = np.ones(len(merged), np.bool_)
    for column in merged.names:
        own, others = table.columns()[column], merged.columns[column]
        if isinstance(own, TextColumn) and isinstance(others, TextColumn):
            same &= others.is_any_of(lambda text, own=own: text == own[row])
    return Place("operator" if isinstance(table, Operators) else "kernel", name, row=int(np.argmax(same)))


def _stream(streams: Streams, row: int, _: str) -> Place:
    return Place("stream", streams.stream[row], of=streams.device[row], row=row)


def _collective(operations: Communication, row: int, _: str) -> Place:
    start = None if operations.start is None else int(operations.start[row])
    step = -1 if operations.step is None else int(operations.step[row])
    return Place("collective", operations.name[row], row=step, start=start, duration=int(operations.duration[row]))


def _pipeline(table: Any, row: int, name: str) -> Place:
    """Operations have names; samples of queues and waits the number of their batch."""
    if name == "operations":
        return Place("operation", table.name[row])
    number = -1 if table.step is None else int(table.step[row])
    return Place("batch", str(number if number >= 0 else row + 1), of=table.queue[row] if name == "queues" else "")


def _block(blocks: MemoryBlocks, row: int, _: str) -> Place:
    known = int(blocks.allocated_at[row])
    name = "" if blocks.operator is None else blocks.operator[row]
    return Place("block", name, of=blocks.device[row], row=row, start=None if known == UNKNOWN_TIME else known)


def _moment(curve: MemoryCurve, row: int, _: str) -> Place:
    return Place("moment", "", of=curve.device[row], start=int(curve.time[row]))


def _further(table: Table, row: int, name: str) -> Place:
    """The text of a row that differs most among rows is its name."""
    texts = [column for column in table.columns().values() if isinstance(column, TextColumn)]
    named = max(texts, key=lambda column: len(column.compact().values), default=None)
    return Place("further", f"#{row + 1}" if named is None else named[row], of=name, row=row)


_MAKERS: Mapping[type[Table], Callable[[Any, int, str], Place]] = {
    Steps: _step,
    Operators: _operator,
    Kernels: _operator,
    Streams: _stream,
    Communication: _collective,
    PipelineOperations: _pipeline,
    QueueSamples: _pipeline,
    BatchWaits: _pipeline,
    MemoryBlocks: _block,
    MemoryCurve: _moment,
}
