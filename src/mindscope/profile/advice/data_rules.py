# SPDX-License-Identifier: Apache-2.0
"""Rules about data: waits of the training, queues to the device."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from mindscope.profile.advice.advice import Advice
from mindscope.profile.model.optional_parts import part_of, slowest, slowest_steps, steps_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.data_pipeline import DataPipeline, QueueSamples
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import integers_of

DATA_SHARE = 0.05
"""Share of a step: TensorBoard's profiler plugin."""
BATCH_WAIT_NS = 10_000_000
"""Wait for a batch in a step: msprof-analyze."""
INTERVAL_NS = 500_000
"""MindInsight: mean step interval."""
EMPTY_SHARE = 0.3
"""MindInsight: of the samples of the device queue; the first one of a GPU is always empty."""
IN_PROCESS, IN_WORKERS = "_SingleProcessDataLoaderIter", "_MultiProcessingDataLoaderIter"
"""PyTorch's iterators of a DataLoader without and with ``num_workers``."""
DEVICE_QUEUE, GET_NEXT = "device_queue", "get_next"


def slow_data(profile: Profile) -> Iterator[Advice]:
    """The training waits for batches; a step trace of MindSpore has a rule of its own."""
    steps = steps_of(profile)
    if steps is None or steps.data_waiting is None or _is_step_trace(steps):
        return
    whole = int(steps.duration.sum())
    share = int(steps.data_waiting.sum()) / whole if whole else 0.0
    if share > DATA_SHARE:
        in_process = loaders_of(profile) == {IN_PROCESS}
        yield Advice(
            code="no_workers" if in_process else "data_waiting",
            values={"share": share, "time": float(steps.data_waiting.mean()), "threshold": DATA_SHARE},
            threshold=DATA_SHARE, part=Part.STEPS, rows=slowest_steps(profile, steps.data_waiting), share=share,
        )  # fmt: skip


def loaders_of(profile: Profile) -> set[str]:
    """Return the classes of the iterators of DataLoaders; empty where the profile does not name them."""
    pipeline = part_of(profile, Part.DATA_PIPELINE, DataPipeline)
    batches = None if pipeline is None else pipeline.batches
    return set() if batches is None or batches.loader is None or not len(batches) else set(batches.loader)


def slow_batches(profile: Profile) -> Iterator[Advice]:
    """Batches of a DataLoader take long, but so do the steps, that the share of the waits is no finding."""
    pipeline = part_of(profile, Part.DATA_PIPELINE, DataPipeline)
    if pipeline is None or pipeline.batches is None or not len(pipeline.batches) or pipeline.batches.loader is None:
        return
    if next(slow_data(profile), None) is not None:
        return
    batches, steps = pipeline.batches, steps_of(profile)
    count = len(batches) if steps is None else len(steps)
    waits = batches.wait if steps is None else batches.wait[np.isin(batches.step, steps.number)]
    mean = float(waits.sum()) / count
    if mean > BATCH_WAIT_NS:
        share = 0.0 if steps is None else min(int(waits.sum()) / max(int(steps.duration.sum()), 1), 1.0)
        yield Advice(
            code="batch_wait", values={"time": mean, "batches": len(waits), "threshold": BATCH_WAIT_NS},
            threshold=BATCH_WAIT_NS, part=Part.DATA_PIPELINE, table="batches", rows=slowest(batches.wait), share=share,
        )  # fmt: skip


def step_interval(profile: Profile) -> Iterator[Advice]:
    """The interval of MindSpore's step trace is long; other formats have waits for batches instead."""
    steps = steps_of(profile)
    if steps is None or steps.interval is None or not _is_step_trace(steps):
        return
    mean, whole = float(steps.interval.mean()), int(steps.duration.sum())
    if mean > INTERVAL_NS:
        yield Advice(
            code="step_interval", values={"time": mean, "threshold": INTERVAL_NS}, threshold=INTERVAL_NS,
            part=Part.STEPS, rows=slowest_steps(profile, steps.interval),
            share=int(steps.interval.sum()) / whole if whole else 0.0,
        )  # fmt: skip


def _is_step_trace(steps: Steps) -> bool:
    """Return whether the interval is all that is known about waits; PyTorch's also has work of the host in it."""
    waiting, interval = steps.data_waiting, steps.interval
    return interval is not None and (waiting is None or np.array_equal(waiting, interval))


def slow_queues(profile: Profile) -> Iterator[Advice]:
    """The queues between host and device are often empty."""
    pipeline = part_of(profile, Part.DATA_PIPELINE, DataPipeline)
    if pipeline is None or pipeline.queues is None:
        return
    queues = pipeline.queues
    device, samples = _empty(queues, DEVICE_QUEUE)
    next_rows, _ = _empty(queues, GET_NEXT)
    if len(device) > EMPTY_SHARE * samples:
        yield Advice(
            code="device_queue_empty",
            values={"share": ceil(100 * len(device) / samples) / 100, "samples": samples, "threshold": EMPTY_SHARE},
            threshold=EMPTY_SHARE, part=Part.DATA_PIPELINE, table="queues", rows=device,
        )  # fmt: skip
    elif next_rows:
        yield Advice(
            code="transmission", values={"samples": len(next_rows), "threshold": 0}, threshold=0,
            part=Part.DATA_PIPELINE, table="queues", rows=next_rows,
        )  # fmt: skip


def _empty(queues: QueueSamples, name: str) -> tuple[list[int], int]:
    """Return rows of the samples of a queue that are empty, and the number of all its samples."""
    own = queues.queue.is_any_of(lambda text: text == name)
    return integers_of(np.flatnonzero(own & (queues.size == 0))), int(own.sum())
