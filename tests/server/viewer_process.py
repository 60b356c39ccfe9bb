# SPDX-License-Identifier: Apache-2.0
"""Viewers and other commands: as people start them, or forked from a process that has imported the server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from typing import Protocol, TextIO

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.server.preloaded"])


class ViewerProcess(Protocol):
    """A viewer that runs, and what it prints."""

    @property
    def pid(self) -> int: ...

    @property
    def output(self) -> TextIO: ...

    def send_signal(self, number: signal.Signals) -> None: ...

    def wait(self, timeout: float) -> int:
        """The exit code."""
        ...


Start = Callable[[list[str], dict[str, str]], ViewerProcess]
"""Starts a viewer with these arguments and this environment."""


class ViewerCommand:
    """``python -m mindscope``, as people start it."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mindscope", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.pid, self.output = self._process.pid, self._process.stdout

    def send_signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self, timeout: float) -> int:
        return self._process.wait(timeout)


class ForkedViewer:
    """The same command without starting Python and importing the server, which take most of the time of a start."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        reading, writing = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(target=run_command, args=(arguments, environment, Path.cwd(), writing, writing))
        self._process.start()
        writing.close()
        assert self._process.pid is not None
        self.pid, self.output = self._process.pid, os.fdopen(os.dup(reading.fileno()), errors="replace")
        reading.close()

    def send_signal(self, number: signal.Signals) -> None:
        if self._process.is_alive():
            os.kill(self.pid, number)

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        assert self._process.exitcode is not None, f"the viewer runs after {timeout} s"
        return self._process.exitcode


def run_forked(arguments: list[str], environment: dict[str, str], directory: Path) -> subprocess.CompletedProcess[str]:
    """Run ``mindscope`` to its end in a fork."""
    with TemporaryFile("w+", encoding="utf-8") as output, TemporaryFile("w+", encoding="utf-8") as errors:
        with ExitStack() as handles:
            pipes = [handles.enter_context(Connection(os.dup(file.fileno()))) for file in (output, errors)]
            process = CONTEXT.Process(target=run_command, args=(arguments, environment, directory, *pipes))
            process.start()
        process.join()
        assert process.exitcode is not None
        texts = [file.seek(0) or file.read() for file in (output, errors)]
    return subprocess.CompletedProcess(arguments, process.exitcode, *texts)


def run_command(
    arguments: list[str], environment: dict[str, str], directory: Path, output: Connection, errors: Connection
) -> None:
    """Run ``mindscope`` in this process."""
    from mindscope.cli import main

    os.dup2(output.fileno(), sys.stdout.fileno())
    os.dup2(errors.fileno(), sys.stderr.fileno())
    output.close()
    errors.close()
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    main()
