# SPDX-License-Identifier: Apache-2.0
"""Threads that don't push others aside."""

from __future__ import annotations

import contextlib
import os


def use_batch_scheduling() -> None:
    """Have the system let other threads finish what they do before it runs this one, which has woken up.

    The thread keeps its share of the processor: one of lower priority could be kept from running while it holds the
    interpreter, and all of the training with it.
    """
    if hasattr(os, "SCHED_BATCH"):
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
