# SPDX-License-Identifier: Apache-2.0
"""Runs scripts by ``mindscope run``, each in a directory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

Completed = subprocess.CompletedProcess[str]
LIMIT_S = 500


def completed(command: list[str], folder: Path, **variables: str) -> Completed:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "MINDSCOPE_SYSTEM_METRICS": "0", **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


def run_in(folder: Path, script: str, *arguments: str, **variables: str) -> Completed:
    """Run the text of a script by ``mindscope run``."""
    (folder / "script.py").write_text(script)
    return completed([sys.executable, "-m", "mindscope", "run", "script.py", *arguments], folder, **variables)


def plain_in(folder: Path, script: str, *arguments: str, **variables: str) -> Completed:
    """Run the text of a script by Python."""
    (folder / "script.py").write_text(script)
    return completed([sys.executable, "script.py", *arguments], folder, **variables)


def said(done: Completed) -> list[str]:
    """Return the lines of the report."""
    lines = done.stderr.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("mindscope run: ")]
    assert len(starts) == 1, done.stderr
    return lines[starts[0] :]
