# SPDX-License-Identifier: Apache-2.0
"""Start a viewer that goes on when the terminal is closed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from mindscope.config import Settings, require_base_dir
from mindscope.errors import ServerError
from mindscope.server.logs import log_file, workspace_error
from mindscope.server.viewers import RunningViewer, find_viewer, refuse_second

PATIENCE_S = 60.0
POLL_S = 0.05
ERROR_PREFIX = "mindscope: "
"""How the command line begins the one line that says what went wrong."""


def start_in_background(settings: Settings) -> RunningViewer:
    """Start a viewer in a session of its own and wait until it answers.

    Raises SettingsError when the base directory is missing, ServerError with the reason when it doesn't answer.
    """
    require_base_dir(settings)
    refuse_second(settings.port)
    log = log_file(settings)
    log_start = log.stat().st_size if log.exists() else 0
    process = _spawn(settings, log)
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline:
        viewer = find_viewer(settings.port)
        if viewer is not None and viewer.pid == process.pid:
            process.returncode = 0  # it outlives us: nobody is to wait for it, or to be warned that nobody did
            return viewer
        time.sleep(POLL_S)
    process.kill()
    process.wait()
    raise ServerError(_reason(log, log_start))


def _spawn(settings: Settings, log: Path) -> subprocess.Popen[bytes]:
    # Without PYTHONSAFEPATH a file of the current directory would be imported instead of a module of the same name.
    environment = {**os.environ, **settings.environment(), "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1"}
    try:
        with log.open("ab") as output:
            return subprocess.Popen(
                _command(settings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=environment,
            )
    except OSError as error:
        raise workspace_error(settings, error) from error


def _command(settings: Settings) -> list[str]:
    """Every setting as a flag, so that a list of processes tells what each viewer serves."""
    return [
        *(sys.executable, "-m", "mindscope.cli", "start", "--foreground"),
        *("--summary-base-dir", str(settings.summary_base_dir)),
        *("--workspace", str(settings.workspace)),
        *("--host", settings.host),
        *("--port", str(settings.port)),
        *("--reload-interval", f"{settings.reload_interval:g}"),
        *("--cache-size", str(settings.cache_size)),
        *(("--alerts", settings.alerts) if settings.alerts else ()),
        *(("--allow-delete",) if settings.allow_delete else ()),
    ]


def _reason(log: Path, log_start: int) -> str:
    """Why the viewer ended, from what it wrote since ``log_start``."""
    with log.open("rb") as file:
        file.seek(log_start)
        lines = file.read().decode(errors="replace").splitlines()
    told = [line.removeprefix(ERROR_PREFIX) for line in lines if line.startswith(ERROR_PREFIX)]
    if told:
        return told[-1]
    last = "\n".join(lines[-5:]) or "it wrote nothing"
    return f"the viewer did not start; the end of {log}:\n{last}"
