# SPDX-License-Identifier: Apache-2.0
"""What ends a recorder other than ``close()``: the end of the interpreter, of a child process, SIGTERM, and a fork.

The recorders of a process are known here, because no caller is left who could hand them over when it ends.
"""

from __future__ import annotations

import os
import time
import weakref
from multiprocessing import util as processes
from typing import Protocol

from mindscope.capture.termination import TerminationWatch

FLUSH_S = 10.0
"""How long a process that was told to end writes what it recorded, at most."""


class Closable(Protocol):
    """What is closed when the process ends."""

    def close(self) -> None:
        """Write everything and close the files."""
        ...

    def flush(self, timeout_s: float | None = None) -> bool:
        """Write everything, for at most so long; returns whether it did."""
        ...


class Forkable(Protocol):
    """What must begin anew in the child of a fork."""

    def reset_after_fork(self) -> None:
        """Forget the parent's values, threads and files."""
        ...


class _Process:
    """The recorders that are open in this process."""

    def __init__(self) -> None:
        self.open: set[Closable] = set()
        self.forkable: weakref.WeakSet[Forkable] = weakref.WeakSet()
        self.is_watched = False  # whether forks are
        self.hooked: int | None = None  # the process whose end is
        self.termination = TerminationWatch(flush_all, FLUSH_S + 2)


def flush_all(timeout_s: float = FLUSH_S) -> bool:
    """Write what all recorders of this process recorded, for at most so long; returns whether all of it is written.

    For a handler of SIGTERM of your own. Where nobody handles the signal, mindscope does this by itself.
    """
    end = time.monotonic() + timeout_s
    are_written = [writer.flush(max(0.0, end - time.monotonic())) for writer in list(_process.open)]
    return all(are_written)


_process = _Process()


def reset_in_forks(recorder: Forkable) -> None:
    """Begin ``recorder`` anew in every child that is forked from now on."""
    if not _process.is_watched:
        _process.is_watched = True
        os.register_at_fork(after_in_child=_after_fork)
    _process.forkable.add(recorder)


def close_at_exit(writer: Closable) -> None:
    """Close ``writer`` when this process ends."""
    _process.open.add(writer)
    _process.termination.start()
    if _process.hooked != os.getpid():
        # a child of multiprocessing leaves without what atexit knows, but runs these; any other process runs them too
        _process.hooked = os.getpid()
        processes.Finalize(None, _close_all, exitpriority=10)


def forget(writer: Closable) -> None:
    """``writer`` was closed."""
    _process.open.discard(writer)


def _close_all() -> None:
    for writer in list(_process.open):
        writer.close()


def _after_fork() -> None:
    _process.open.clear()
    for recorder in list(_process.forkable):
        recorder.reset_after_fork()
