# SPDX-License-Identifier: Apache-2.0
"""Rules about operations of the data pipeline: MindInsight's by queues, those of MindSpore's summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.advice import Advice, shortened
from mindscope.profile.advice.pipeline_bottlenecks import Code, bottlenecks, inputs_of
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.data_pipeline import DataPipeline, PipelineOperations
from mindscope.table.columns import integers_of

BUSY_WORKER, IDLE_WORKER = 0.75, 0.2
"""MindSpore: of a core, for each worker of an operation."""
READER_USE = 0.5
"""MindSpore: usage of the queue of a leaf."""
EMPTY_INPUT = 0.6
"""MindSpore: of the samples of the queue before the operation that sends batches to the device."""
QUEUE_GAP = 0.5
"""MindSpore: usage of an input queue minus that of the output queue."""
STARVED_USE = 0.1
"""MindSpore: usage of the input queue of an operation that waits for it."""
_SENDS = ("DeviceQueue", "DataQueue")
_INLINE = ("Barrier", "Concat", "EpochCtrl", "Rename", "Repeat", "Shuffle", "Skip", "Take", "Zip")
"""Operations that have no work of their own."""


def slow_pipeline_operations(profile: Profile) -> Iterator[Advice]:
    """Operations whose output queue is emptier than their input queue, by what to do about them."""
    operations = _operations_of(profile)
    if operations is None:
        return
    found = bottlenecks(operations)
    codes: dict[Code, float] = {each.code: each.threshold for each in found}
    for code, threshold in codes.items():
        yield _advice(code, operations, [each.row for each in found if each.code == code], threshold)


def pipeline_workers(profile: Profile) -> Iterator[Advice]:
    """Operations have too few workers, or too many."""
    operations = _operations_of(profile)
    if operations is None or operations.workers is None:
        return
    use = _worker_use(operations)
    busy, idle = np.flatnonzero(use > BUSY_WORKER), np.flatnonzero((use < IDLE_WORKER) & (operations.workers > 1))
    for code, rows, threshold in (("busy_workers", busy, BUSY_WORKER), ("idle_workers", idle, IDLE_WORKER)):
        if len(rows):
            yield _advice(code, operations, integers_of(rows), threshold)


def slow_reading(profile: Profile) -> Iterator[Advice]:
    """Leaves fill less than half of their queues."""
    operations = _operations_of(profile)
    if operations is None or operations.queue_usage is None:
        return
    works, inputs, parents = _works(operations), inputs_of(operations), set(integers_of(operations.parent))
    low = np.flatnonzero(works & (operations.queue_usage < READER_USE))
    rows = [row for row in integers_of(low) if row not in inputs and row not in parents]
    if rows:
        yield _advice("slow_reading", operations, rows, READER_USE)


def empty_input(profile: Profile) -> Iterator[Advice]:
    """The operation that sends batches to the device often finds none."""
    operations = _operations_of(profile)
    if operations is None or operations.queue_empty is None:
        return
    for row, inputs in inputs_of(operations).items():
        share = float(operations.queue_empty[inputs].max())
        if operations.type[row].startswith(_SENDS) and share > EMPTY_INPUT:
            yield _advice("empty_input", operations, inputs, EMPTY_INPUT, share=share)


def slow_consumer(profile: Profile) -> Iterator[Advice]:
    """The queue before an operation is far fuller than the one after it."""
    operations = _operations_of(profile)
    if operations is None or operations.queue_usage is None:
        return
    gap = _input_use(operations) - operations.queue_usage
    rows = integers_of(np.flatnonzero(_works(operations) & (gap > QUEUE_GAP)))
    if rows:
        yield _advice("slow_consumer", operations, rows, QUEUE_GAP)


def summarized_bottleneck(profile: Profile) -> Iterator[Advice]:
    """Report what MindSpore's summary names, in its words; else the last operation that its rule finds."""
    pipeline = part_of(profile, Part.DATA_PIPELINE, DataPipeline)
    if pipeline is not None and pipeline.findings is not None:
        for warning, suggestion in zip(pipeline.findings.warning, pipeline.findings.suggestion, strict=True):
            yield _stored(warning, suggestion)
        return
    operations = _operations_of(profile)
    if operations is None or operations.queue_usage is None:
        return
    use, before = _worker_use(operations), _input_use(operations)
    queue_usage = operations.queue_usage  # NaN of the root, which only hands batches on
    waits = (
        (use < IDLE_WORKER) & np.isfinite(queue_usage) & ((before < STARVED_USE) | (queue_usage - before > QUEUE_GAP))
    )
    rows = integers_of(np.flatnonzero((use > BUSY_WORKER) | waits))
    if rows:
        row = rows[-1]
        code, threshold = ("waiting_bottleneck", IDLE_WORKER) if waits[row] else ("busy_bottleneck", BUSY_WORKER)
        yield _advice(code, operations, [row], threshold, share=float(use[row]))


def _operations_of(profile: Profile) -> PipelineOperations | None:
    pipeline = part_of(profile, Part.DATA_PIPELINE, DataPipeline)
    return None if pipeline is None else pipeline.operations


def _works(operations: PipelineOperations) -> NDArray[np.bool_]:
    return ~operations.type.is_any_of(lambda name: name.startswith(_INLINE))


def _worker_use(operations: PipelineOperations) -> NDArray[np.float64]:
    """Return the use of a core by each worker of an operation; NaN where unknown, and of operations without work."""
    if operations.cpu is None or operations.workers is None:
        return np.full(len(operations), np.nan)
    return np.where(_works(operations), operations.cpu / 100 / np.maximum(operations.workers, 1), np.nan)


def _input_use(operations: PipelineOperations) -> NDArray[np.float64]:
    """Return the usage of the fullest queue before each operation; NaN of leaves."""
    found = np.full(len(operations), np.nan)
    for row, inputs in inputs_of(operations).items():
        if operations.queue_usage is not None:
            found[row] = operations.queue_usage[inputs].max()
    return found


def _advice(
    code: str, operations: PipelineOperations, rows: Sequence[int], threshold: float, **values: float
) -> Advice:
    names = "/".join(operations.name[row] for row in rows)
    return Advice(
        code=code, values={"operations": names, **values, "threshold": threshold}, threshold=threshold,
        part=Part.DATA_PIPELINE, table="operations", rows=rows,
    )  # fmt: skip


def _stored(warning: str, suggestion: str) -> Advice:
    code = "stored_bottleneck" if suggestion else "stored_warning"
    values = {"text": shortened(warning), "suggestion": shortened(suggestion), "threshold": 0}
    return Advice(code=code, values=values, threshold=0, part=Part.DATA_PIPELINE, table="operations", rows=[])
