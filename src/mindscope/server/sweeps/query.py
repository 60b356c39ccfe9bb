# SPDX-License-Identifier: Apache-2.0
"""Finds sweeps below the directory of a viewer, and those that their YAML files there may start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mindscope.errors import UsageError
from mindscope.server.http.context import Viewer
from mindscope.server.sweeps.schema import SweepEntry
from mindscope.sweep.config import SweepConfig, read_config
from mindscope.sweep.directory import STATUS, SweepDirectory, SweepStatus
from mindscope.sweep.workers import is_any_alive

MOST_SWEEPS = 100
MOST_FILES = 50
_SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class FoundSweep:
    """A sweep: its id, its directory, and its YAML file, None where that is not below the base."""

    id: str
    directory: SweepDirectory
    status: SweepStatus
    file: Path | None

    @property
    def is_running(self) -> bool:
        """Whether a process works on it."""
        return is_any_alive(self.directory.workers)

    def entry(self, is_allowed: bool) -> SweepEntry:
        """Return its message."""
        status, is_running = self.status, self.is_running
        best = None if status.best_trial is None else f"{self.id}/{status.best_trial}"
        return SweepEntry(
            id=self.id, name=status.name, method=status.method, metric=status.metric,
            is_maximized=status.is_maximized, total=status.total, complete=status.complete, pruned=status.pruned,
            failed=status.failed, running=status.running if is_running else 0, best=status.best, best_run=best,
            problem=status.problem, is_running=is_running,
            can_start=is_allowed and self.file is not None and not is_running and not _is_done(status),
        )  # fmt: skip


def sweeps_of(viewer: Viewer) -> list[FoundSweep]:
    """Return the sweeps with trials, then those of YAML files beside the runs if the viewer may start them."""
    base = viewer.catalog.base
    sweeps = [sweep for folder in _folders(viewer, base) if (sweep := _found(base, folder)) is not None]
    if viewer.settings.allow_sweeps:
        begun = {str(sweep.directory.path) for sweep in sweeps}
        sweeps += [sweep for sweep in _of_files(base) if str(sweep.directory.path) not in begun]
    return sweeps[:MOST_SWEEPS]


def _folders(viewer: Viewer, base: Path) -> list[Path]:
    parents = {store.path.parent for store in list(viewer.catalog.runs.values())}
    inner = [folder for folder in sorted(parents) if folder != base and folder.is_relative_to(base)]
    return [folder for folder in inner if (folder / STATUS).is_file()]


def _found(base: Path, folder: Path) -> FoundSweep | None:
    directory = SweepDirectory(folder)
    status = directory.read_status()
    if status is None:
        return None
    return FoundSweep(folder.relative_to(base).as_posix(), directory, status, _startable(base, Path(status.file)))


def _startable(base: Path, file: Path) -> Path | None:
    """Return the file without links if it is YAML below ``base``; None for any other."""
    try:
        real = file.resolve(strict=True)
        is_below = real.is_relative_to(base.resolve(strict=True))
    except (OSError, ValueError, RuntimeError):
        return None
    return real if is_below and real.is_file() and real.suffix.lower() in _SUFFIXES else None


def _of_files(base: Path) -> Iterator[FoundSweep]:
    try:
        files = sorted(file for file in base.iterdir() if file.suffix.lower() in _SUFFIXES)[:MOST_FILES]
    except OSError:
        return
    for file in files:
        real = _startable(base, file)
        config = None if real is None else _config(real)
        if config is not None:
            yield FoundSweep(file.name, SweepDirectory(base / config.name), _empty(config), real)


def _config(file: Path) -> SweepConfig | None:
    try:
        return read_config(file) if file.stat().st_size <= _MOST_BYTES else None
    except (UsageError, OSError):
        return None


def _empty(config: SweepConfig) -> SweepStatus:
    metric = config.metric
    return SweepStatus(
        config.name, str(config.path), config.method, metric and metric.name, bool(metric and metric.is_maximized),
        config.run_cap, 0, 0, 0, 0, None, None, "",
    )  # fmt: skip


def _is_done(status: SweepStatus) -> bool:
    return status.total is not None and status.complete + status.pruned + status.failed >= status.total
