# SPDX-License-Identifier: Apache-2.0
"""The processes that work on a sweep: each touches a file of its own, whose age says whether it lives."""

from __future__ import annotations

import json
import os
import platform
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import psutil

BEAT_S = 2.0
LATE_S = 10.0
DEAD_S = 60.0
"""A process of another machine that is silent for so long is dead."""


class Worker:
    """A process that works on a sweep, which is this one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.id = f"{platform.node()}-{os.getpid()}-{secrets.token_hex(3)}"
        self._file = folder / self.id
        self._beat_at = 0.0
        self._file.write_text(json.dumps({"machine": _machine(), "pid": os.getpid(), "born": _born(os.getpid())}))

    def beat(self) -> None:
        """Touch the file, at most every ``BEAT_S``."""
        if time.monotonic() - self._beat_at >= BEAT_S:
            self._beat_at = time.monotonic()
            with suppress(OSError):
                os.utime(self._file)

    def silence_of(self, id: str) -> float:
        """Return for how many seconds a process was silent, by the clock of the files; infinite if it is dead."""
        with suppress(OSError):
            os.utime(self._file)
            return silence_of(self._folder / Path(id).name, self._file.stat().st_mtime)
        return 0.0

    def close(self) -> None:
        """Remove the file."""
        with suppress(OSError):
            self._file.unlink()


def silence_of(file: Path, now: float) -> float:
    """Return for how many seconds the process of a file was silent; infinite for a dead one or none."""
    try:
        told: Any = json.loads(file.read_bytes()[:4096])
        beat_at = file.stat().st_mtime
    except (OSError, ValueError):
        return float("inf")
    if isinstance(told, dict) and _is_dead_here(cast("dict[str, Any]", told)):
        return float("inf")
    return now - beat_at


def is_any_alive(folder: Path) -> bool:
    """Return whether a process works on the sweep whose folder of workers this is."""
    try:
        files = [entry for entry in folder.iterdir() if entry.is_file()][:1000]
    except OSError:
        return False
    return any(silence_of(file, time.time()) < DEAD_S for file in files)


def _is_dead_here(told: dict[str, Any]) -> bool:
    return told.get("machine") == _machine() and _born(told.get("pid")) != told.get("born")


def _machine() -> str:
    """Return what names this machine, its start and its numbers of processes."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{platform.node()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    return platform.node()


def _born(pid: Any) -> float | None:
    try:
        process = psutil.Process(int(pid))
        return None if process.status() == psutil.STATUS_ZOMBIE else round(process.create_time(), 1)
    except (psutil.Error, ValueError, TypeError, OverflowError):
        return None
