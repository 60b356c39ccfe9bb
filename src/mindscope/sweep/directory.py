# SPDX-License-Identifier: Apache-2.0
"""The directory of a sweep: its journal, its lock, what it tells the viewer, and the directories of its trials."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

STATUS = "sweep.json"


@dataclass(frozen=True, slots=True)
class SweepStatus:
    """What a sweep tells: counts of its trials, the best one, and the last problem.

    ``total`` is None for a sweep without an end, ``best`` None before a value. ``file`` is the absolute path of its
    YAML file.
    """

    name: str
    file: str
    method: str
    metric: str | None
    is_maximized: bool
    total: int | None
    complete: int
    pruned: int
    failed: int
    running: int
    best: float | None
    best_trial: str | None
    problem: str
    workers: int = 1
    devices: str = ""
    executor: str = "local"
    gpus: float = 0.0


class SweepDirectory:
    """The paths of a sweep in ``base/name``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = path / "sweep.journal"
        self.workers = path / "workers"
        self.stop_file = path / "sweep.stop"
        self._output = path / "output"

    def create(self) -> None:
        """Create the directories. Raises OSError."""
        for folder in (self.path, self.workers, self._output):
            folder.mkdir(parents=True, exist_ok=True)

    def trial(self, number: int) -> Path:
        """Return the directory of the run of a trial."""
        return self.path / f"trial-{number:04d}"

    def output(self, number: int) -> Path:
        """Return the file with what a trial printed."""
        return self._output / f"trial-{number:04d}.txt"

    def parameters(self, number: int) -> Path:
        """Return the JSON file with the parameters of a trial."""
        return self._output / f"trial-{number:04d}.json"

    @contextmanager
    def locked(self) -> Generator[None]:
        """Keep other processes of the sweep, on any machine, out of the body. The lock ends with the process."""
        with (self.path / "sweep.lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def write_status(self, status: SweepStatus) -> None:
        """Replace the status. Raises OSError."""
        part = self.path / f".{STATUS}.{os.getpid()}"
        part.write_text(json.dumps(asdict(status)))
        part.replace(self.path / STATUS)

    def status_version(self) -> int:
        """Return a number that another status changes; 0 without one."""
        with suppress(OSError):
            return (self.path / STATUS).stat().st_mtime_ns
        return 0

    def read_status(self) -> SweepStatus | None:
        """Return the status; None without one that can be read."""
        with suppress(OSError, ValueError, TypeError):
            with (self.path / STATUS).open("rb") as file:
                values: Any = json.loads(file.read(1 << 16))
            status = SweepStatus(**cast("dict[str, Any]", values))
            return status if _is_valid(status) else None
        return None


def _is_valid(status: SweepStatus) -> bool:
    counts = (status.complete, status.pruned, status.failed, status.running, status.total or 0, status.workers)
    texts = (
        status.name,
        status.file,
        status.method,
        status.problem,
        status.metric or "",
        status.best_trial or "",
        status.devices,
        status.executor,
    )
    numbers: tuple[Any, ...] = (status.gpus, 0 if status.best is None else status.best)
    is_number = all(isinstance(number, (int, float)) and abs(number) < 1e308 for number in numbers)
    return is_number and all(type(n) is int for n in counts) and all(isinstance(cast(Any, t), str) for t in texts)


class JournalLock:
    """The lock of Optuna's journal by flock, so that a killed process leaves none behind."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: Any = None

    def acquire(self) -> bool:
        """Wait for the lock."""
        self._file = self._path.open("a")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        """Free the lock."""
        self._file.close()
