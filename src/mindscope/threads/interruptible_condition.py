# SPDX-License-Identifier: Apache-2.0
"""A condition on which the main thread of a training may wait: Ctrl-C and other signals may end the wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from mindscope.threads._released_wait import wait_released


class InterruptibleCondition(threading.Condition):
    """A ``threading.Condition`` that holds its lock again when a signal handler raises inside of ``wait``.

    That of the standard library may lose it. The ``with`` block around the wait then ends with "cannot release
    un-acquired lock" in place of KeyboardInterrupt.
    """

    def call_released(self, function: Callable[[], object]) -> None:
        """Call ``function`` while the lock is free, however often this thread holds it."""
        state: Any = self
        wait_released(state._release_save, state._acquire_restore, function)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait as ``threading.Condition.wait``."""
        state: Any = self  # its fields are not in the types of the standard library
        waiter = threading.Lock()
        waiter.acquire()
        state._waiters.append(waiter)
        is_notified = False
        try:
            acquire = partial(waiter.acquire, True, -1 if timeout is None else max(0.0, timeout))
            is_notified = wait_released(state._release_save, state._acquire_restore, acquire)
            return is_notified
        finally:
            if not is_notified and waiter in state._waiters:
                state._waiters.remove(waiter)
