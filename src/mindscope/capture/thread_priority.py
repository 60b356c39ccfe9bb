# SPDX-License-Identifier: Apache-2.0
"""Scheduling of background threads, so that they do not preempt the training."""

from __future__ import annotations

import contextlib
import os


def use_batch_scheduling() -> None:
    """Let the scheduler finish other threads before it runs this thread after a wake-up.

    The thread keeps its share of the processor. With a lower priority, it could lose the processor while it holds the
    interpreter lock, and block the training.
    """
    if hasattr(os, "SCHED_BATCH"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
