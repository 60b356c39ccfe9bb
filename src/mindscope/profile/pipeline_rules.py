# SPDX-License-Identifier: Apache-2.0
"""MindInsight's rules that find what slows down the supply of data, with its thresholds."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np

from mindscope.profile.data_pipeline import PipelineOperations, QueueSamples

HIGH_USAGE, LOW_USAGE, USAGE_GAP = 0.8, 0.6, 0.1
"""Shares of a queue: full enough, too empty, and a jump between two queues."""
EMPTY_SHARE = 0.3
"""Of samples of the device queue; on a GPU the first batch always finds it empty."""
DEVICE_QUEUE, GET_NEXT = "device_queue", "get_next"


class PipelineBottleneck(NamedTuple):
    """An operation that is slower than those around it."""

    row: int
    """Of the operations."""
    usage: float
    """Of its own output queue, 0 to 1; the root has none, and counts as 0."""
    child_usage: float | None
    """Of the fullest queue that it takes from; None for a leaf."""


class QueueState(str, Enum):
    """What the queues between pipeline and device say."""

    SLOW_PROCESSING = "slow_processing"
    """The pipeline is too slow: the queue of the device is often empty."""
    SLOW_TRANSMISSION = "slow_transmission"
    """The pipeline is fast enough, but a batch comes late to the device."""
    FINE = "fine"


class QueueFinding(NamedTuple):
    """State of the queues, and the samples that it rests on."""

    state: QueueState
    samples: int
    """Of the queue of the device."""
    empty: int
    full: int
    late: int
    """Requests of the device that found no batch."""


def pipeline_bottlenecks(operations: PipelineOperations) -> list[PipelineBottleneck]:
    """The operations that slow the pipeline down, in the order of execution.

    An operation is one if a queue that it takes from is fuller than its own by more than ``USAGE_GAP``, or if it is a
    leaf whose queue is emptier than ``LOW_USAGE``. If all queues are fuller than ``HIGH_USAGE``, the root is the only
    one: the training takes slower than the pipeline gives. Operations without a queue, such as inlined ones, pass on
    those of their children. No usage is known, no bottleneck.
    """
    if operations.queue_usage is None or np.isnan(operations.queue_usage).all():
        return []
    usage, parents = operations.queue_usage.tolist(), operations.parent.tolist()
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        children.setdefault(parent, []).append(row)
    known = [each for each, parent in zip(usage, parents, strict=True) if parent >= 0 and not np.isnan(each)]
    if known and min(known) >= HIGH_USAGE:
        return [_bottleneck(row, usage, children) for row in children.get(-1, []) if children.get(row)]
    found = [_bottleneck(row, usage, children) for row in range(len(usage)) if _has_queue(row, usage, parents)]
    return [each for each in found if _is_slow(each)]


def queue_finding(queues: QueueSamples) -> QueueFinding | None:
    """What the samples of the device's queue and of its requests say; None without samples of the queue."""
    of_device = queues.queue.is_any_of(lambda name: name == DEVICE_QUEUE)
    requests = queues.queue.is_any_of(lambda name: name == GET_NEXT)
    sizes, capacities = queues.size[of_device], queues.capacity[of_device]
    if not len(sizes):
        return None
    empty, late = int((sizes == 0).sum()), int((queues.size[requests] == 0).sum())
    if empty > EMPTY_SHARE * len(sizes):
        state = QueueState.SLOW_PROCESSING
    else:
        state = QueueState.SLOW_TRANSMISSION if late else QueueState.FINE
    return QueueFinding(state, len(sizes), empty, int((sizes >= np.maximum(capacities, 1)).sum()), late)


def _has_queue(row: int, usage: list[float], parents: list[int]) -> bool:
    return parents[row] < 0 or not np.isnan(usage[row])


def _bottleneck(row: int, usage: list[float], children: dict[int, list[int]]) -> PipelineBottleneck:
    below = [usage[child] for child in children.get(row, []) if not np.isnan(usage[child])]
    own = 0.0 if np.isnan(usage[row]) else usage[row]
    return PipelineBottleneck(row, own, max(below) if below else None)


def _is_slow(each: PipelineBottleneck) -> bool:
    if each.child_usage is None:
        return each.usage < LOW_USAGE
    return each.child_usage - each.usage > USAGE_GAP
