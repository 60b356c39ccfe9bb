# SPDX-License-Identifier: Apache-2.0
"""Is the process of this number still the one that we mean? Numbers are given again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

PATIENCE_S = 10.0
LAST_PATIENCE_S = 5.0
POLL_S = 0.02


def create_time_of(pid: int) -> str | None:
    """What tells a process from any other that had or will have its number; None when there is no such process.

    A process that has ended but was not collected by its parent counts as gone.
    """
    if Path("/proc/self/stat").exists():
        return _birth_from_proc(pid)
    # Elsewhere than on Linux: to the second, which is enough for numbers that come around much later.
    told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True)
    return told.stdout.strip() or None


def end(pid: int, birth: str) -> bool:
    """Ask a process to end, and after a while make it. Returns whether it ended by itself.

    Raises PermissionError when it belongs to somebody else, TimeoutError when it can't be ended.
    """
    for number, patience_s in ((signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, LAST_PATIENCE_S)):
        if create_time_of(pid) == birth:
            _signal(pid, number)
        if _ends_within(pid, birth, patience_s):
            return number is signal.SIGTERM
    raise TimeoutError(f"process {pid} has not ended {LAST_PATIENCE_S:g} s after SIGKILL")


def _birth_from_proc(pid: int) -> str | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold blanks and brackets
    state, start_ticks = fields[0], fields[19]
    return None if state in "ZX" else start_ticks


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _ends_within(pid: int, birth: str, patience_s: float) -> bool:
    deadline = time.monotonic() + patience_s
    while create_time_of(pid) == birth:
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True
