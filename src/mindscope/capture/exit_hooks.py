# SPDX-License-Identifier: Apache-2.0
"""Ends recorders without ``close()``: at exit of the interpreter or a child process, at SIGTERM, and after a fork.

This module knows all recorders of the process, because at exit no caller can pass them.
"""

from __future__ import annotations

import os
import time
import weakref
from multiprocessing import util as processes
from typing import Protocol

from mindscope.capture.termination import TerminationWatch

FLUSH_S = 10.0
"""Time limit for a terminating process to write what it recorded."""


class Closable(Protocol):
    """An object to close at the end of the process."""

    def close(self) -> None:
        """Write everything and close the files."""
        ...

    def flush(self, timeout_s: float | None = None) -> bool:
        """Write everything, for at most ``timeout_s``; returns whether it did."""
        ...


class Forkable(Protocol):
    """An object to reset in the child of a fork."""

    def reset_after_fork(self) -> None:
        """Discard the parent's values, threads and files."""
        ...


class _Process:
    """The recorders that are open in this process."""

    def __init__(self) -> None:
        self.open: dict[Closable, None] = {}  # in the order in which they began
        self.forkable: weakref.WeakSet[Forkable] = weakref.WeakSet()
        self.is_watched = False  # whether the fork hook is registered
        self.hooked: int | None = None  # id of the process with the exit hook
        self.termination = TerminationWatch(flush_all, FLUSH_S + 2)


def flush_all(timeout_s: float = FLUSH_S) -> bool:
    """Write what all recorders of this process recorded, for at most ``timeout_s``; returns whether it wrote
    everything.

    Call it in your own SIGTERM handler. If the program has none, mindscope does this automatically.
    """
    end = time.monotonic() + timeout_s
    are_written = [writer.flush(max(0.0, end - time.monotonic())) for writer in list(_process.open)]
    return all(are_written)


_process = _Process()


def reset_in_forks(recorder: Forkable) -> None:
    """Reset ``recorder`` in every child that is forked from now on."""
    if not _process.is_watched:
        _process.is_watched = True
        os.register_at_fork(after_in_child=_after_fork)
    _process.forkable.add(recorder)


def close_at_exit(writer: Closable) -> None:
    """Close ``writer`` when this process ends."""
    _process.open[writer] = None
    _process.termination.start()
    if _process.hooked != os.getpid():
        # multiprocessing children skip atexit but run these finalizers; all other processes run them too
        _process.hooked = os.getpid()
        processes.Finalize(None, _close_all, exitpriority=10)


def forget(writer: Closable) -> None:
    """Remove a closed ``writer``."""
    _process.open.pop(writer, None)


def _close_all() -> None:
    for writer in list(_process.open):
        writer.close()


def _after_fork() -> None:
    _process.open.clear()
    for recorder in list(_process.forkable):
        recorder.reset_after_fork()
