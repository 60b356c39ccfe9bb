# SPDX-License-Identifier: Apache-2.0
"""Passes the values of a step to the writer, as steps of the files that hold them."""

from __future__ import annotations

import time

from mindscope.capture.encoder_pool import ENCODED_BY_WRITER
from mindscope.capture.pending import PendingValue
from mindscope.capture.queued_step import EncodingValue, MixedStep
from mindscope.capture.writer import Writer

_SCALAR_BYTES = 64  # approximate size of a scalar in the queue


def submit_step(
    writer: Writer, step: int, scalars: dict[str, float], values: list[PendingValue], messages: list[PendingValue]
) -> int:
    """Queue a step of a recorder of MindSpore's format; returns how many values did not fit. Hold ``writer.lock``.

    What MindSpore's format has no message for goes into a file of TensorBoard's format.
    """
    now = time.time()
    others = [pending for pending in values if pending.is_tensorboard]
    dropped = submit_values(writer, MixedStep(step, now, {}, [], [], ""), others) if others else 0
    plain = [pending for pending in values if not pending.is_tensorboard] if others else values
    if scalars or plain or messages:
        dropped += submit_values(writer, MixedStep(step, now, scalars, [], messages), plain)
    return dropped


def submit_values(writer: Writer, step: MixedStep, values: list[PendingValue]) -> int:
    """Queue ``step`` with ``values``; the pool encodes large ones. Returns how many values did not fit.

    Hold ``writer.lock``.
    """
    size = sum(pending.size for pending in values)
    dropped = 0
    if values and not writer.wait_for_room(size, is_small=False):
        dropped, values, size = len(values), [], 0
    ready: list[PendingValue | EncodingValue | None] = [*values]
    if size > ENCODED_BY_WRITER:
        ready = writer.encoder_pool.start_large(values)
    full = step._replace(values=ready)
    count = len(full.scalars) + len(values) + len(full.messages)
    rest = len(full.scalars) * _SCALAR_BYTES + sum(pending.size for pending in full.messages)
    if count and not writer.submit(full, size + rest, is_small=not values):
        dropped += count
    return dropped
