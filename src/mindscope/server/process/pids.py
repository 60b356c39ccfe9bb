# SPDX-License-Identifier: Apache-2.0
"""Detects reused process ids by the creation time of a process, and ends processes."""

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
    """Return the creation time of a process, which distinguishes it from another one with the same id.

    It returns None without a process.

    A zombie counts as ended.
    """
    if Path("/proc/self/stat").exists():
        return _birth_from_proc(pid)
    # Outside Linux, a resolution of a second is enough: ids are reused much later.
    listed = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True)
    return listed.stdout.strip() or None


def end(pid: int, birth: str) -> bool:
    """Send SIGTERM, and SIGKILL after ``PATIENCE_S``. Returns whether SIGTERM was enough.

    Raises PermissionError for a process of another user, TimeoutError if the process does not end.
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
    fields = text.rpartition(")")[2].split()  # the name before it may contain blanks and brackets
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
