# SPDX-License-Identifier: Apache-2.0
"""MindSpore takes seconds to import, so scripts share processes."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WAIT_S = 1100  # MindSpore's own collector is slow where processors are busy
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Directories of all script shapes: ``own`` by MindSpore's classes, ``ours`` by the drop-in."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # of all workers: the first runs the scripts, others wait for it
    directories = {which: base / "shapes" / which for which in ("own", "ours")}
    with (base / "shapes.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (base / "shapes" / "done").exists():
            run_scripts(directories)
            (base / "shapes" / "done").touch()
    return directories


def run_scripts(directories: dict[str, Path]) -> None:
    running: list[tuple[Path, subprocess.Popen[bytes]]] = []
    for which, directory in directories.items():
        directory.mkdir(parents=True, exist_ok=True)
        log = directory.with_suffix(".log")
        command = [sys.executable, str(HERE / "shapes.py"), which, str(directory)]
        with log.open("wb") as out:
            running.append((log, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)))
    for log, process in running:
        assert process.wait(timeout=WAIT_S) == 0, log.read_text("utf-8", "replace")[-4000:]
