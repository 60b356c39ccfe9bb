# SPDX-License-Identifier: Apache-2.0
"""The real command line in forks, with a home of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.live_viewer import free_port
from tests.server.viewer_process import run_forked


class CommandLine:
    """Runs ``mindscope`` in ``room``; whatever viewers it left running are stopped in the end.

    In forks, which saves the start of Python and its imports; the viewer that ``start`` leaves is a new process.
    """

    def __init__(self, room: Path) -> None:
        self.room = room
        self.environment = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith(("MINDSCOPE_", "MINDINSIGHT_"))
            },
            "HOME": str(room / "home"),
            "XDG_STATE_HOME": str(room / "state"),
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }

    def __call__(self, *arguments: str, want: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        done = run_forked([*arguments], self.environment | environment, self.room)
        assert done.returncode == want, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    def records(self) -> list[Path]:
        return list((self.room / "state").rglob("*.json"))


@pytest.fixture
def mindscope(tmp_path: Path) -> Iterator[CommandLine]:
    command_line = CommandLine(tmp_path)
    yield command_line
    for record in command_line.records():
        command_line("stop", "--port", record.stem)


@pytest.fixture
def port() -> str:
    return str(free_port())
