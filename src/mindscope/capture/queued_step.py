# SPDX-License-Identifier: Apache-2.0
"""The data that one ``record()`` passes to the writer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.encoded import Encoded, LargeRecord
from mindscope.capture.pending import PendingValue
from mindscope.formats import wire
from mindscope.formats._event_batch import EventBatch
from mindscope.formats.event_fields import wire_to_int64

HEADER_SIZE = 12
FOOTER_SIZE = 4
"""Bytes around the payload of a record."""


class EncodingValue(NamedTuple):
    """A value that the encoder pool encodes; the pool gives its memory back."""

    plugin: str
    tag: str
    fields: Future[Encoded]
    """The encoded ``Summary.value`` fields."""


class MixedStep(NamedTuple):
    """A step with more than scalars, not encoded yet: the writer makes the records."""

    step: int
    wall_time: float
    scalars: dict[str, float]
    values: list[PendingValue | EncodingValue | None]
    """The writer itself encodes those that are not an ``EncodingValue``, and puts None for those that it took."""
    messages: list[PendingValue]
    """Messages of graphs and lineage."""
    directory: str | None = None
    """None for MindSpore's format; else the directory, below that of the run, of a file of TensorBoard's format."""

    @property
    def is_ready(self) -> bool:
        """Whether the writer can write it without waiting for the pool."""
        return not any(isinstance(value, EncodingValue) and not value.fields.done() for value in self.values)

    @property
    def is_here(self) -> bool:
        """Whether it waits neither for the pool nor for a device."""
        return self.is_ready and not any(
            isinstance(value, PendingValue) and isinstance(value.content, DeferredArray) for value in self.values
        )


QueuedStep = bytes | EventBatch | MixedStep
"""A step in the queue.

Bytes are the complete record of a step with only scalars, the usual case. A batch of events of TensorBoard's format may
still grow while it is in the queue.
"""


def is_ready(step: QueuedStep) -> bool:
    """Return whether the writer can write ``step`` without waiting for the pool."""
    return step.is_ready if isinstance(step, MixedStep) else True


def count_values(step: QueuedStep | LargeRecord) -> int:
    """Return the number of values of ``step``, to count them as lost."""
    if isinstance(step, LargeRecord):
        return 1
    if isinstance(step, MixedStep):
        return len(step.scalars) + len(step.values) + len(step.messages)
    if isinstance(step, EventBatch):
        return step.count
    return sum(
        sum(len(values) for _, values in _summaries(record)) or 1  # a graph or a lineage message counts as one
        for record in _records(step)
    )


def last_step(steps: Sequence[QueuedStep]) -> int:
    """Return the number of the last step with values; 0 if all hold only messages, whose steps are meaningless."""
    for step in reversed(steps):
        if isinstance(step, bytes):
            return next((number for number, _ in _summaries(step)), 0)
        if isinstance(step, EventBatch):
            return step.last_step
        if step.scalars or step.values:
            return step.step
    return 0


def _records(records: bytes) -> Iterator[bytes]:
    """Yield each record of several that follow each other."""
    start = 0
    while start < len(records):
        end = start + HEADER_SIZE + int.from_bytes(records[start : start + 8], "little") + FOOTER_SIZE
        yield records[start:end]
        start = end


def _summaries(record: bytes) -> Iterator[tuple[int, list[int]]]:
    """Step and value offsets of the Summary in a record, if it has one."""
    payload = record[HEADER_SIZE:-FOOTER_SIZE]
    fields = {number: (value, start, end) for number, value, start, end in wire.split(payload, 0, len(payload))}
    if 2 in fields and 5 in fields:
        _, start, end = fields[5]
        step = wire_to_int64(int(fields[2][0] or 0))
        yield step, [offset for number, _, offset, _ in wire.split(payload, start, end) if number == 1]
