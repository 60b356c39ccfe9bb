# SPDX-License-Identifier: Apache-2.0
"""Runs git without effects: it writes nothing, fetches nothing and asks nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

_SETTINGS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_OF_CALLER = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
              "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_TRACE")  # fmt: skip
"""Variables of a hook or of another repository: the repository of a training is the one around its script."""
_QUIET = ("-c", "core.fsmonitor=false", "-c", "diff.autoRefreshIndex=false", "-c", "core.quotePath=false")


def git_output(directory: Path, *arguments: str, seconds: float, most_bytes: int = 1 << 20) -> tuple[str, bool] | None:
    """Return what git prints, and whether that is all of at most ``most_bytes``; None where git fails or is not there.

    What git printed until the time is over counts, as a part.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _OF_CALLER} | _SETTINGS
    try:
        process = subprocess.Popen(
            ["git", "-C", str(directory), *_QUIET, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    timer = threading.Timer(seconds, _end, (process,))
    timer.daemon = True
    timer.start()
    try:
        data = process.stdout.read(most_bytes + 1) if process.stdout else b""
        is_long = len(data) > most_bytes
        if is_long:
            _end(process)
        is_whole = process.wait() == 0
    finally:
        timer.cancel()
        _end(process)
        if process.stdout:
            process.stdout.close()
        process.wait()
    if not (is_whole or data):
        return None
    return data[:most_bytes].decode("utf-8", "replace"), is_whole and not is_long


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git and what it started, unless it has ended."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
