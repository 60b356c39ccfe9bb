# SPDX-License-Identifier: Apache-2.0
"""The weights that a collector keeps for loss landscapes."""

from __future__ import annotations

import errno
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mindscope.capture.background_queue import BackgroundQueue
from mindscope.collector.framework import Framework, WeightCopy
from mindscope.collector.landscape import LandscapeSettings
from mindscope.collector.landscape_file import DIRECTORY, NAME, LandscapeFile, read_landscape_file
from mindscope.collector.landscape_retention import to_remove
from mindscope.errors import MindscopeError

_LOG = logging.getLogger("mindscope")
_MOST_COPIES = 2
"""Copies in memory: one that is written, and one that waits. A large network has no room for more."""
_UNFINISHED = (".part-", ".tmp")
"""Beginnings of the names of files that a killed process left; the second is the library's of safetensors."""


class LandscapeCheckpoints:
    """Checkpoints of a training in ``ckpt_dir`` of its directory, and the file that lists them.

    The thread that trains copies the weights; another one writes them. If the disk is slower than the training, the
    training waits, since without its checkpoints an interval has no landscape; after ``queue_timeout`` it skips this
    checkpoint. No failure ends the training: each kind is logged once.
    """

    def __init__(
        self, summary_dir: Path, settings: LandscapeSettings, framework: Framework, queue_timeout: float | None = None
    ) -> None:
        self._directory = summary_dir / DIRECTORY
        self._settings = settings
        self._framework = framework
        self._format = framework.checkpoint_format
        self._due = frozenset(number for interval in settings.intervals for number in interval)
        self._queue = BackgroundQueue(_MOST_COPIES, queue_timeout)
        self._spare: list[WeightCopy] = []
        """Copies that were written, whose memory the next ones take."""
        self._warned: set[str] = set()
        """Failures that were logged."""
        self._is_new = True
        """Whether nothing was kept yet in this training."""
        # the rest belongs to the thread that writes
        self._sizes: dict[int, int] = {}
        """Bytes of each checkpoint that is whole, by step or epoch."""
        self._names: dict[int, str] = {}
        """File names of the checkpoints, by step or epoch."""
        self._removed: set[int] = set()
        """Steps or epochs that were removed for the sake of the limit."""

    # ---- on the thread that trains

    def begin_training(self) -> None:
        """Begin a training, maybe after another one of this process."""
        self._is_new = True

    def keep(self, unit: str, number: int, params: Any) -> None:
        """Keep the weights, if they are due after this step or epoch."""
        if number not in self._due or unit != self._settings.unit:
            return
        try:
            self._keep(number, params)
        except Exception as error:
            self._warn(f"weights of {unit} {number} were not kept for landscapes", error)

    def finish(self, params: Any) -> None:
        """List the kept checkpoints at the end of the training, when the steps of an epoch are known."""
        if not self._is_new:
            steps = _steps_of_an_epoch(params)
            self._queue.submit(
                lambda: self._attempt("landscape checkpoints were not listed", lambda: self._list(steps))
            )

    def close(self) -> None:
        """Write the kept weights, and wait until they are written."""
        self._queue.close()
        self._spare.clear()

    def _keep(self, number: int, params: Any) -> None:
        name = self._framework.network_name(params)
        if name is None:
            return
        if not self._queue.wait_for_room():
            raise TimeoutError("the disk is slower than queue_timeout allows")
        copy = self._framework.copy_weights(params, self._spare.pop() if self._spare else None)
        if copy is None:
            return
        file, steps = f"{name}_{number}_{self._settings.unit}{self._format.suffix}", _steps_of_an_epoch(params)
        is_first, self._is_new = self._is_new, False
        self._queue.submit(lambda: self._write(number, file, copy, steps, is_first))

    # ---- on the thread that writes

    def _write(self, number: int, name: str, copy: WeightCopy, steps: int, is_first: bool) -> None:
        def write() -> None:
            if is_first:
                self._take_over(number)
            self._make_room(number, copy.size, steps)
            _write_whole(copy, self._directory / name)
            self._sizes[number], self._names[number] = copy.size, name
            self._removed.discard(number)
            self._list(steps)

        self._attempt(f"weights of {self._settings.unit} {number} were not written for landscapes", write)
        self._spare.append(copy)

    def _take_over(self, number: int) -> None:
        """Go on with the checkpoints of an earlier process before ``number``; those after it were overwritten."""
        self._directory.mkdir(parents=True, exist_ok=True)
        for entry in list(self._directory.iterdir()):
            if entry.name.startswith(_UNFINISHED):
                entry.unlink(missing_ok=True)
        try:
            file = read_landscape_file(self._directory.parent)
        except (OSError, MindscopeError):
            return
        self._sizes, self._names, self._removed = {}, {}, set()
        for each, path in file.checkpoints.items():
            own = self._directory / Path(path).name
            if each < number and each in self._due and file.settings.unit == self._settings.unit and own.is_file():
                self._sizes[each], self._names[each] = own.stat().st_size, own.name
            elif own.suffix == self._format.suffix:
                own.unlink(missing_ok=True)

    def _make_room(self, number: int, size: int, steps: int) -> None:
        """Remove what exceeds the limit, from the list first: it never names a file that is not there."""
        removed = to_remove(self._settings.intervals, self._sizes, number, size, self._settings.keep)
        if removed and not self._removed:
            _LOG.warning(
                "checkpoints for landscapes would take more than keep=%s bytes; some between are removed",
                self._settings.keep,
            )
        files = [self._directory / self._names.pop(each) for each in removed]
        for each in removed:
            del self._sizes[each]
        self._removed.update(removed)
        if removed:
            self._list(steps)
        for file in files:
            file.unlink(missing_ok=True)

    def _list(self, steps: int) -> None:
        """Write the file that lists the checkpoints. Raises OSError."""
        intervals = tuple(
            tuple(each for each in interval if each not in self._removed) for interval in self._settings.intervals
        )
        is_absolute = self._format.is_listed_by_absolute_path
        files = {each: str(self._directory / name) if is_absolute else name for each, name in self._names.items()}
        if files:
            LandscapeFile(self._directory / NAME, replace(self._settings, intervals=intervals), files, steps).write()

    def _attempt(self, subject: str, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            self._warn(subject, error)

    def _warn(self, subject: str, error: Exception) -> None:
        kind = f"{type(error).__name__} {getattr(error, 'errno', '')}"
        if kind not in self._warned:
            self._warned.add(kind)
            _LOG.warning("%s: %s: %s; the training continues (logged once)", subject, type(error).__name__, error)


def _write_whole(copy: WeightCopy, file: Path) -> None:
    """Write beside ``file`` and move it there; nothing stays of one that can't be written. Raises OSError."""
    if shutil.disk_usage(file.parent).free < copy.size:
        # not even begun: a disk that is full to the last byte would stop the recorder too
        raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {copy.size} bytes for {file}; free space there")
    unfinished = file.with_name(f"{_UNFINISHED[0]}{file.name}")
    try:
        copy.write(unfinished)
        unfinished.replace(file)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _steps_of_an_epoch(params: Any) -> int:
    return params.get("batch_num") or 0
