# SPDX-License-Identifier: Apache-2.0
"""What one ``record()`` hands to the writer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import NamedTuple

from mindscope.capture.values import Array
from mindscope.formats import mindspore, wire

HEADER_SIZE = 12
FOOTER_SIZE = 4
"""Bytes around the payload of a record."""


class Encoding(NamedTuple):
    """A value on its way into a ``Summary``."""

    subject: str
    """Plugin and tag, for the text of a failure."""
    fields: bytes | Future[bytes] | Callable[[], bytes]
    """The encoded ``Summary.value`` fields, those to come, or how the writer makes them itself."""

    @property
    def is_done(self) -> bool:
        """Whether the bytes can be had without waiting for another thread."""
        return not isinstance(self.fields, Future) or self.fields.done()

    def wait(self) -> bytes:
        """The bytes. Raises what the encoding raised."""
        fields = self.fields
        if callable(fields):
            return fields()
        return fields if isinstance(fields, bytes) else fields.result()


class MixedStep(NamedTuple):
    """A step with values that are still being encoded, graphs or lineage."""

    step: int
    value_count: int
    """How many values are lost with it."""
    wall_time: float
    scalars: bytes
    """Encoded ``Summary.value`` fields of the scalars."""
    values: list[Encoding]
    graphs: list[bytes]
    """Payloads of records that go before the values."""
    lineage: list[bytes]
    """Payloads of records of the lineage file."""
    arrays: list[Array]
    """The copies that the values are encoded from; free afterwards."""
    exports: list[tuple[str, Callable[[], Array]]]
    """Tag and content of each tensor that becomes a file of its own."""


RecordedStep = bytes | MixedStep
"""A step on its way to the writer. Bytes are the complete record of a step of scalars, the usual case."""


def count_values(step: RecordedStep) -> int:
    """How many values are lost with ``step``."""
    if isinstance(step, MixedStep):
        return step.value_count
    return sum(len(values) for _, values in _summaries(step)) or 1  # a graph or a lineage message is one


def last_step(step: RecordedStep) -> int:
    """The number of the step."""
    if isinstance(step, MixedStep):
        return step.step
    return next((number for number, _ in _summaries(step)), 0)


def _summaries(record: bytes) -> Iterator[tuple[int, list[int]]]:
    """Step and value offsets of the Summary in a record, if it holds one."""
    payload = record[HEADER_SIZE:-FOOTER_SIZE]
    fields = {number: (value, start, end) for number, value, start, end in wire.split(payload, 0, len(payload))}
    if 2 in fields and 5 in fields:
        _, start, end = fields[5]
        step = mindspore.wire_to_int64(int(fields[2][0] or 0))
        yield step, [place for number, _, place, _ in wire.split(payload, start, end) if number == 1]
