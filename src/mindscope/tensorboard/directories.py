# SPDX-License-Identifier: Apache-2.0
"""Directories of runs, and of the runs below them that several calls write."""

from __future__ import annotations

import platform
import time
from datetime import datetime
from pathlib import Path


def default_directory(comment: str) -> str:
    """Return ``runs/`` and a name from the time, the host and ``comment``."""
    now = datetime.now().strftime("%b%d_%H-%M-%S")
    return str(Path("runs") / f"{now}_{platform.node()}{comment}")


def series_directory(main_tag: str, key: str) -> str:
    """Return the directory of one of several scalars with a common tag, as PyTorch names it."""
    return f"{main_tag.replace('/', '_')}_{key}"


def session_directory(run_name: str | None) -> str:
    """Return the directory of a session of hyperparameters: its name, or the time."""
    return run_name or str(time.time())
