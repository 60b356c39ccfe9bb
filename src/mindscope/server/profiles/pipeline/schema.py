# SPDX-License-Identifier: Apache-2.0
"""Messages about the data pipeline of a profile. Durations are nanoseconds."""

from __future__ import annotations

from typing import Literal

from mindscope.profile.advice.pipeline_bottlenecks import Code
from mindscope.server.http.columns import Float64, Uint32
from mindscope.server.http.schema import Answer
from mindscope.server.profiles.tables.schema import MissingEntry


class PipelineOperationEntry(Answer):
    """An operation; a figure that is not recorded is null. ``parent`` is the place of the one that takes its output.

    ``queue_size`` is the mean number of elements in its output queue, ``usage`` their share in the capacity, 0 to 1,
    ``cpu`` in percent of a core. ``advice`` is the code of the advice that says why it is slow, ``threshold`` what it
    passed; see docs/profiling.md.
    """

    name: str
    type: str
    parent: int
    workers: int | None
    queue_capacity: int | None
    queue_size: float | None
    usage: float | None
    cpu: float | None
    advice: Code | None
    threshold: float | None


class QueueEntry(Answer):
    """Samples of a queue: ``x`` are steps, or nanoseconds since the first sample. ``capacity`` is 0 if unknown.

    ``of`` is ``operation``, ``device_queue``, ``get_next`` or ``iterator``. ``empty`` and ``full`` count samples.
    """

    name: str
    of: Literal["operation", "device_queue", "get_next", "iterator"]
    by: Literal["step", "time"]
    capacity: int
    empty: int
    full: int
    x: Float64
    size: Float64


class BatchColumns(Answer):
    """Batches in order: waiting for them, pushing them to the device, and both together."""

    step: Float64
    wait: Float64
    push: Float64 | None
    whole: Float64 | None
    loader: Uint32 | None
    loaders: list[str]


class PipelineHeader(Answer):
    """The JSON header of a data pipeline as ``application/vnd.mindscope.columns``. Operations: leaves first.

    ``low_use`` and ``high_use`` are thresholds of the rules.
    """

    version: str
    missing: MissingEntry | None
    operations: list[PipelineOperationEntry]
    queues: list[QueueEntry]
    batches: BatchColumns | None
    low_use: float
    high_use: float
