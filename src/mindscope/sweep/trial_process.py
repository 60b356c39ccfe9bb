# SPDX-License-Identifier: Apache-2.0
"""The process of a trial and those that it starts: begun, followed, ended."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from mindscope.errors import MindscopeError

GRACE_S = 10.0
"""A process group that SIGTERM does not end within this time is killed."""
LAST_LINES = 12
_PR_SET_PDEATHSIG = 1


def ends_with_parent() -> Callable[[], None]:
    """Return what a child calls before its program, so that the kernel kills it with its parent."""
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class TrialLostError(MindscopeError, RuntimeError):
    """The machine or the worker that ran the process of a trial ended."""


class StartedProcess(Protocol):
    """A process of a trial, on this machine or another one."""

    @property
    def is_ending(self) -> bool:
        """Whether ``end`` was called."""
        ...

    def end(self, grace_s: float = GRACE_S) -> None:
        """Ask the process to end, and kill it after the time of grace."""
        ...

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs.

        Raises OSError if it could not start, TrialLostError.
        """
        ...


StartProcess = Callable[[list[str], Mapping[str, str], Path, Path], StartedProcess]
"""Starts a command with an environment, a file for its output, and its directory. Raises OSError."""


def last_lines(output: Path) -> list[str]:
    """Return the end of what a process printed into a file."""
    try:
        with output.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 8192))
            return file.read().decode("utf-8", "replace").splitlines()[-LAST_LINES:]
    except OSError:
        return []


class TrialProcess:
    """A command in a process group of its own, whose output goes to a file."""

    def __init__(self, command: list[str], environment: Mapping[str, str], output: Path, folder: Path) -> None:
        """Begin the process in a directory. Raises OSError."""
        self._kill_at: float | None = None
        with output.open("wb") as file:
            self._child = subprocess.Popen(
                command, env=dict(environment), cwd=folder, stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=ends_with_parent(),
            )  # fmt: skip

    @property
    def is_ending(self) -> bool:
        """Whether ``end`` was called."""
        return self._kill_at is not None

    def end(self, grace_s: float = GRACE_S) -> None:
        """Send SIGTERM to the group; ``poll`` kills it later."""
        if self._kill_at is None:
            self._signal(signal.SIGTERM)
            self._kill_at = time.monotonic() + grace_s
        self._kill_at = min(self._kill_at, time.monotonic() + grace_s)

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""
        code = self._child.poll()
        if self._kill_at is not None and (code is not None or time.monotonic() >= self._kill_at):
            self._signal(signal.SIGKILL)  # also what the process started
        return code

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, number)
