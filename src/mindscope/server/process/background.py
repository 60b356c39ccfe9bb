# SPDX-License-Identifier: Apache-2.0
"""Starts a viewer that keeps running after the terminal is closed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from mindscope.errors import ServerError
from mindscope.server.process.logs import log_file
from mindscope.server.process.registry import RunningViewer, find_viewer, refuse_second, require_records
from mindscope.server.process.tokens import with_random_tokens
from mindscope.settings import Settings, require_base_dir

PATIENCE_S = 60.0
POLL_S = 0.05
ERROR_PREFIX = "mindscope: "
"""The start of the line in which the command line prints an error."""


def start_in_background(
    settings: Settings, module: str = "mindscope", stdin: int = subprocess.DEVNULL
) -> RunningViewer:
    """Start a viewer in a session of its own and wait until it answers.

    ``module`` runs the command line, with ``stdin`` as its standard input. If its log can't be written, its output is
    lost.

    Raises SettingsError if the base directory is missing, ServerError with the reason if the viewer does not answer.
    """
    settings = with_random_tokens(settings)
    require_base_dir(settings)
    refuse_second(settings.port)
    require_records(settings.port)
    with _output(settings) as output:
        start = output.seek(0, os.SEEK_END)
        return _wait_for(
            settings, _spawn(settings, output, module, stdin), lambda: _reason(output, start, log_file(settings))
        )


def _wait_for(settings: Settings, process: subprocess.Popen[bytes], reason: Callable[[], str]) -> RunningViewer:
    """Return the viewer, once it answers. Raises ServerError with the ``reason`` if it does not."""
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        viewer = find_viewer(settings.port)
        if viewer is not None and viewer.pid == process.pid:
            process.returncode = 0  # it outlives this process: subprocess must not warn about a running child
            return viewer
        time.sleep(POLL_S)
    process.kill()
    process.wait()
    raise ServerError(reason())


def _output(settings: Settings) -> IO[bytes]:
    """Return the log, for appending; a temporary file if the log can't be written."""
    try:
        log_file(settings).parent.mkdir(parents=True, exist_ok=True)
        return log_file(settings).open("a+b")
    except OSError:
        return tempfile.TemporaryFile()


def _spawn(settings: Settings, output: IO[bytes], module: str, stdin: int) -> subprocess.Popen[bytes]:
    # Without PYTHONSAFEPATH, Python would import a file of the current directory instead of a module of the same name.
    environment = {**os.environ, **settings.environment(), "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", module, "start", "--foreground", *settings.flags()],
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=environment,
    )


def _reason(output: IO[bytes], start: int, name: Path) -> str:
    """Return the reason why the viewer ended, from its output after byte ``start``."""
    output.seek(start)  # the viewer shares the position
    lines = output.read().decode(errors="replace").splitlines()
    errors = [line.removeprefix(ERROR_PREFIX) for line in lines if line.startswith(ERROR_PREFIX)]
    if errors:
        return errors[-1]
    last = "\n".join(lines[-5:]) or "it wrote nothing"
    return f"the viewer did not start; the end of {name}:\n{last}"
