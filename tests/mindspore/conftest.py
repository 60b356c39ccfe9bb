# SPDX-License-Identifier: Apache-2.0
"""MindSpore takes seconds to import, so scripts share processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Directories of all script shapes: ``own`` by MindSpore's classes, ``ours`` by the drop-in."""
    base = tmp_path_factory.mktemp("shapes")
    directories = {which: base / which for which in ("own", "ours")}
    running: list[tuple[Path, subprocess.Popen[bytes]]] = []
    for which, directory in directories.items():
        directory.mkdir()
        log = base / f"{which}.log"
        command = [sys.executable, str(HERE / "shapes.py"), which, str(directory)]
        with log.open("wb") as out:
            running.append((log, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)))
    for log, process in running:
        assert process.wait(timeout=280) == 0, log.read_text("utf-8", "replace")[-4000:]
    return directories
