# SPDX-License-Identifier: Apache-2.0
"""What one ``record()`` hands to the writer."""

from __future__ import annotations

from concurrent.futures import Future
from typing import NamedTuple

from mindscope.capture.values import Array


class Encoding(NamedTuple):
    """A value on its way into a ``Summary``."""

    subject: str
    """Plugin and tag, for the text of a failure."""
    fields: bytes | Future[bytes]
    """The encoded ``Summary.value`` fields, or those to come."""

    @property
    def is_done(self) -> bool:
        """Whether the bytes can be had without waiting."""
        return isinstance(self.fields, bytes) or self.fields.done()

    def wait(self) -> bytes:
        """The bytes. Raises what the encoding raised."""
        return self.fields if isinstance(self.fields, bytes) else self.fields.result()


class ScalarStep(NamedTuple):
    """A record that is complete: the usual step of scalars, encoded by its caller."""

    step: int
    size: int
    """Bytes that it counts in the queue."""
    value_count: int
    """How many values are lost with it."""
    record: bytes


class MixedStep(NamedTuple):
    """A step with values that are still being encoded, graphs or lineage."""

    step: int
    size: int
    value_count: int
    wall_time: float
    scalars: bytes
    """Encoded ``Summary.value`` fields of ``scalar_count`` scalars."""
    scalar_count: int
    values: list[Encoding]
    graphs: list[bytes]
    """Payloads of records that go before the values."""
    lineage: list[bytes]
    """Payloads of records of the lineage file."""
    exports: list[tuple[str, Array]]
    """Tag and array of each tensor that becomes a file of its own."""


RecordedStep = ScalarStep | MixedStep
