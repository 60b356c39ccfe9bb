# SPDX-License-Identifier: Apache-2.0
"""Runs a script in a child process that receives the signals of this one and ends with it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from mindscope.errors import UsageError
from mindscope.redirect import notes, startup
from mindscope.sweep.trial_process import ends_with_parent

_FORWARDED = {
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT,
    signal.SIGALRM,
}  # fmt: skip
_SENT_BY_KERNEL = 0x80
"""``si_code`` of a signal of the terminal, which the child gets too."""


def python_command(target: str, arguments: Sequence[str], is_module: bool) -> list[str]:
    """Return the command line of a script or module, with the options of this interpreter. Raises UsageError."""
    if sys.flags.ignore_environment or sys.flags.no_site:
        raise UsageError("run needs the environment of Python: leave out the options -E, -I and -S")
    options: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *options, *(["-m"] if is_module else []), target, *arguments]


def script_environment(notes_file: Path, directory: Path) -> dict[str, str]:
    """Return the environment in which Python processes redirect what they log."""
    before = os.environ.get("PYTHONPATH")
    path = os.path.dirname(os.path.abspath(startup.__file__))  # noqa: PTH100, PTH120 - keeps links
    return {
        **os.environ, "PYTHONPATH": f"{path}{os.pathsep}{before}" if before else path, notes.FILE: str(notes_file),
        notes.DIRECTORY: str(directory),
    }  # fmt: skip


def run_child(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run ``command`` to its end; returns its exit code, negative for a signal that ended it.

    Signals that a process sends to this one go to the child. Those of the terminal reach it anyway. The kernel ends the
    child when this process is killed.
    """
    waited = _FORWARDED | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    end_with_parent = ends_with_parent()

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        end_with_parent()

    child = subprocess.Popen(command, env=environment, preexec_fn=prepare)  # this process has one thread
    while child.poll() is None:
        received = signal.sigwaitinfo(waited)
        if received.si_signo in _FORWARDED and received.si_code != _SENT_BY_KERNEL and child.poll() is None:
            child.send_signal(received.si_signo)
    return child.returncode


def end_as(returncode: int) -> NoReturn:
    """End this process as the child ended: with its exit code, or by its signal."""
    sys.stdout.flush()
    sys.stderr.flush()
    if returncode < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if -returncode not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-returncode, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-returncode})
        os.kill(os.getpid(), -returncode)
    sys.exit(returncode if returncode >= 0 else 128 - returncode)
