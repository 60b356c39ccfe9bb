# SPDX-License-Identifier: Apache-2.0
"""Describes how data reach the training: operations of the pipeline, their queues, the waits for batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mindscope.table.columns import Counts, Durations, Figures, Ids, Rows, Texts, Times
from mindscope.table.schema import EQUAL, Unit
from mindscope.table.table import Table

Levels = Annotated[Counts, EQUAL]
"""Numbers of elements in a queue, which have no sum over observations."""


@dataclass(frozen=True, kw_only=True)
class PipelineOperations(Table):
    """One row for each operation, such as ``BatchOp``, in the order of execution: leaves first, the root last."""

    id: Ids
    name: Texts
    """Names, such as ``BatchOp_1``."""
    type: Texts
    """Types, such as ``BatchOp``."""
    parent: Rows
    """Row of the operation that takes its output; -1 for the root."""
    workers: Counts | None = None
    queue_capacity: Levels | None = None
    """Capacity of its output queue; 0 without one."""
    queue_size: Annotated[Figures, Unit.COUNT, EQUAL] | None = None
    """Mean number of elements in the output queue."""
    queue_usage: Annotated[Figures, Unit.SHARE, EQUAL] | None = None
    """``queue_size`` over capacity, 0 to 1; NaN without a queue."""
    queue_empty: Annotated[Figures, Unit.SHARE, EQUAL] | None = None
    """Share of the samples in which the output queue is empty, 0 to 1; NaN without a queue."""
    cpu: Annotated[Figures, Unit.PERCENT, EQUAL] | None = None
    """Mean utilization by its workers, user and system, in percent of a core; NaN where unknown."""


@dataclass(frozen=True, kw_only=True)
class QueueSamples(Table):
    """One row for each observation of a queue."""

    queue: Texts
    """Name of an operation, ``device_queue``, ``get_next``"""
    size: Levels
    """Number of elements in the queue."""
    capacity: Levels
    step: Ids | None = None
    """Batch or step number."""
    time: Times | None = None


@dataclass(frozen=True, kw_only=True)
class BatchWaits(Table):
    """One row for each batch that the training took."""

    step: Ids
    """-1 outside of any step."""
    start: Times | None = None
    wait: Durations
    """Time from asking for the batch to having it."""
    push: Durations | None = None
    """Copying it into the queue of the device."""
    whole: Durations | None = None
    """Time from asking for the batch to having it in the queue of the device."""
    loader: Texts | None = None
    """Name of the loader, as recorded."""


@dataclass(frozen=True, kw_only=True)
class PipelineFindings(Table):
    """One row for each bottleneck that MindSpore's own summary names, in its words."""

    warning: Texts
    suggestion: Texts
    """Suggestion of the summary; empty without one."""


@dataclass(frozen=True)
class DataPipeline:
    """The parts of a data pipeline. Each is None where the format does not record it."""

    operations: PipelineOperations | None = None
    queues: QueueSamples | None = None
    """Queue between the pipeline and the device, a row for each batch."""
    operation_queues: QueueSamples | None = None
    """Output queues of operations, by time."""
    batches: BatchWaits | None = None
    findings: PipelineFindings | None = None
