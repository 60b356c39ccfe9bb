# SPDX-License-Identifier: Apache-2.0
"""The data pipeline of a profile as columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from mindscope.profile.advice.pipeline_bottlenecks import HIGH_USE, LOW_USE, bottlenecks
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.data_pipeline import BatchWaits, DataPipeline, PipelineOperations, QueueSamples
from mindscope.profile.texts import Missing
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.json_numbers import finite
from mindscope.server.profiles.pipeline.schema import BatchColumns, PipelineHeader, PipelineOperationEntry, QueueEntry
from mindscope.server.profiles.tables.missing import missing_entry
from mindscope.table.columns import integers_of


def pack_pipeline(profile: Profile, version: str) -> Packed:
    """Return all that is recorded of a data pipeline. The header is a PipelineHeader."""
    part = profile.part(Part.DATA_PIPELINE)
    pipeline = part if isinstance(part, DataPipeline) else DataPipeline()
    header = PipelineHeader(
        version=version,
        missing=missing_entry(Part.DATA_PIPELINE, part) if isinstance(part, Missing) else None,
        operations=[] if pipeline.operations is None else list(_operations(pipeline.operations)),
        queues=[*_queues(pipeline.queues, "step"), *_queues(pipeline.operation_queues, "time")],
        batches=None if pipeline.batches is None else _batches(pipeline.batches),
        low_use=LOW_USE,
        high_use=HIGH_USE,
    )
    return pack(header)


def _operations(operations: PipelineOperations) -> Iterator[PipelineOperationEntry]:
    slow = {bottleneck.row: bottleneck for bottleneck in bottlenecks(operations)}
    for row, each in enumerate(operations.rows()):
        found = slow.get(row)
        yield PipelineOperationEntry(
            name=each["name"],
            type=each["type"],
            parent=each["parent"],
            workers=each.get("workers"),
            queue_capacity=each.get("queue_capacity"),
            queue_size=finite(each.get("queue_size")),
            usage=finite(each.get("queue_usage")),
            cpu=finite(each.get("cpu")),
            advice=None if found is None else found.code,
            threshold=None if found is None else found.threshold,
        )


def _queues(samples: QueueSamples | None, by: str) -> Iterator[QueueEntry]:
    if samples is None:
        return
    x = samples.step if by == "step" else samples.time
    for code in integers_of(np.unique(samples.queue.codes)):
        rows = np.flatnonzero(samples.queue.codes == code)
        name, size, capacity = samples.queue.values[code], samples.size[rows], samples.capacity[rows]
        of_row = np.arange(len(rows)) if x is None else x[rows] - (x[rows].min() if by == "time" else 0)
        yield QueueEntry(
            name=name,
            of=cast("Any", name if by == "step" else "operation"),
            by="step" if by == "step" else "time",
            capacity=int(capacity.max(initial=0)),
            empty=int((size == 0).sum()),
            full=int(((size >= capacity) & (capacity > 0)).sum()),
            x=of_row,
            size=size,
        )


def _batches(batches: BatchWaits) -> BatchColumns:
    loader = batches.loader
    return BatchColumns(
        step=batches.step,
        wait=batches.wait,
        push=batches.push,
        whole=batches.whole,
        loader=None if loader is None else loader.codes,
        loaders=[] if loader is None else list(loader.values),
    )
