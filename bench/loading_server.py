# SPDX-License-Identifier: Apache-2.0
"""Measures a viewer from outside: ``mindscope start`` over a log, until every point can be asked for."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measuring import have_memory_handed_out, memory_mb
from scalar_logs import torch_tag

PATIENCE_S = 600.0


@dataclass(frozen=True)
class Viewer:
    """A viewer that answers, and how long it took until then."""

    pid: int
    port: int
    started: float
    connection: http.client.HTTPConnection

    def ask(self, path: str, query: dict[str, Any] | None = None) -> bytes:
        body = None if query is None else json.dumps(query)
        headers = {"content-type": "application/json"} if body else {}
        self.connection.request("POST" if body else "GET", path, body, headers)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            sys.exit(f"{path} was answered with {answer.status}: {content[:500]!r}")
        return content

    def runs(self) -> list[str]:
        return [run["id"] for run in json.loads(self.ask("/api/runs"))["runs"]]

    def points(self, runs: list[str]) -> int:
        tags = json.loads(self.ask("/api/tags", {"runs": runs, "kind": "scalar"}))["tags"]
        return sum(tag["points"] for tag in tags)


@contextlib.contextmanager
def viewer_of(base: Path, room: Path, reload_interval: float = 0) -> Iterator[Viewer]:
    """A viewer with its workspace in ``room``, on a free port; it ends with the block."""
    port = free_port()
    command = [
        sys.executable, "-m", "mindscope", "start", str(base), "--foreground", "--port", str(port),
        "--reload-interval", str(reload_interval), "--workspace", str(room / "workspace"),
    ]  # fmt: skip
    environment = {**os.environ, "XDG_STATE_HOME": str(room / "state"), "PYTHONUNBUFFERED": "1"}
    have_memory_handed_out()
    spawned = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            started = time.perf_counter() - spawned
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
                yield Viewer(process.pid, port, started, connection)
        finally:
            process.terminate()
            process.wait()


def measure_viewer(base: Path, room: Path, points: int) -> dict[str, float]:
    """Start a viewer, wait for all points, and ask for charts of all runs. A second call starts it over its caches."""
    with viewer_of(base, room) as viewer:
        begun = time.perf_counter()
        _wait(viewer, points)
        ready = time.perf_counter() - begun
        loaded_peak = memory_mb("VmHWM", viewer.pid)
        wait_for_cache(room)
        resident = memory_mb("VmRSS", viewer.pid)
        runs = viewer.runs()
        times = [_ask_for_chart(viewer, runs, torch_tag(number % 20)) for number in range(100)]
        return {
            "started": viewer.started,
            "seconds": ready,
            "loaded_peak_mb": loaded_peak,
            "resident_mb": resident,
            "resident_after_charts_mb": memory_mb("VmRSS", viewer.pid),
            "own_mb": memory_mb("RssAnon", viewer.pid),
            "peak_mb": memory_mb("VmHWM", viewer.pid),
            "p50_ms": 1000 * float(np.percentile(times, 50)),
            "p99_ms": 1000 * float(np.percentile(times, 99)),
        }


def _wait(viewer: Viewer, points: int) -> None:
    """Ask for the last run, which is little work, until it is there, and then for all."""
    deadline = time.monotonic() + PATIENCE_S
    runs: list[str] = []
    while not runs or viewer.points(runs[-1:]) == 0 or viewer.points(runs) < points:
        if time.monotonic() > deadline:
            sys.exit(f"{viewer.points(runs)} of {points} points were loaded after {PATIENCE_S} s")
        time.sleep(0.005)
        runs = runs or viewer.runs()


def wait_for_cache(room: Path) -> None:
    """Until the viewer has written nothing for a second."""
    sizes: list[int] = []
    while len(sizes) < 10 or len(set(sizes[-10:])) > 1:
        time.sleep(0.1)
        sizes.append(sum(path.stat().st_size for path in (room / "workspace").glob("cache/*/*.chunk")))


def _ask_for_chart(viewer: Viewer, runs: list[str], tag: str) -> float:
    start = time.perf_counter()
    viewer.ask("/api/curves", {"series": [{"run": run, "tag": tag} for run in runs], "pixels": 1500})
    return time.perf_counter() - start


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
