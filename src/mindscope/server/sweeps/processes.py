# SPDX-License-Identifier: Apache-2.0
"""Starts sweeps as processes of their own, which go on without the viewer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from threading import Lock

from mindscope.errors import ServerError
from mindscope.reasons import Reason
from mindscope.server.sweeps.query import FoundSweep

START_S = 20.0
_DEVICES = re.compile(r"[\w-]+(,[\w-]+)*", re.ASCII)
_MOST_WORKERS = 256
_MOST_GPUS = 64.0


class SweepProcesses:
    """The sweeps that this viewer started. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._children: list[subprocess.Popen[bytes]] = []

    def start(self, sweep: FoundSweep) -> None:
        """Start a sweep and wait until it works. Raises ServerError with a reason."""
        with self._lock:  # a second click waits, and then sees that the sweep runs
            self._children = [child for child in self._children if child.poll() is None]
            if sweep.file is None:
                raise ServerError(Reason("sweep_outside", sweep=sweep.status.name))
            if sweep.is_running:
                raise ServerError(Reason("sweep_is_running", sweep=sweep.status.name))
            self._children.append(self._started(sweep))

    def _started(self, sweep: FoundSweep) -> subprocess.Popen[bytes]:
        sweep.directory.create()
        sweep.directory.stop_file.unlink(missing_ok=True)
        output, version = sweep.directory.path / "output" / "sweep.txt", sweep.directory.status_version()

        def has_begun() -> bool:  # it writes a status when its study is open, which a damaged journal prevents
            return sweep.directory.status_version() != version

        with output.open("wb") as file:
            child = subprocess.Popen(
                _command(sweep), stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                start_new_session=True, cwd=sweep.directory.path.parent,
                env={**os.environ, "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip
        deadline = time.monotonic() + START_S
        while child.poll() is None and not has_begun() and time.monotonic() < deadline:
            time.sleep(0.05)
        if child.poll():
            lines = output.read_bytes()[-2000:].decode("utf-8", "replace").splitlines()[-3:]
            detail = "\n".join(lines) or f"exit code {child.returncode}"
            raise ServerError(Reason("sweep_not_started", sweep=sweep.status.name, detail=detail))
        return child


def _command(sweep: FoundSweep) -> list[str]:
    """Return the command line; what the status gives is checked, since others may have written it.

    A sweep on Ray continues in the cluster of RAY_ADDRESS of the viewer: an address of the status is not trusted.
    """
    status = sweep.status
    workers = status.workers if 1 <= status.workers <= _MOST_WORKERS else 1
    devices = ["--devices", status.devices] if _DEVICES.fullmatch(status.devices) else []
    on_ray = ["--executor", "ray", "--gpus", f"{min(max(status.gpus, 0.0), _MOST_GPUS):g}"]
    return [
        sys.executable, "-m", "mindscope", "sweep", str(sweep.file), "--dir", str(sweep.directory.path.parent),
        "--workers", str(workers), *(on_ray if status.executor == "ray" else devices),
    ]  # fmt: skip
