# SPDX-License-Identifier: Apache-2.0
"""Names of trace files, and writing them so that a reader never meets half a file."""

from __future__ import annotations

import gzip
import os
import shutil
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from os import getpid
from pathlib import Path

from mindscope.capture.disk_errors import directory_error
from mindscope.torch.core import distributed

TRACE = ".pt.trace.json"
MEMORY_HISTORY = ".memory_snapshot.pickle"
_UNFINISHED = ".part"
_LEFT_BY_KINETO = ".tmp"
"""Added to a name by ``torch.profiler`` until it has written the file, and left there if it fails."""
_END = b"}"


def make_directory(directory: Path) -> None:
    """Create the directory, if needed. Raises OSError, which names the remedy, if no file can be written there."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if not os.access(directory, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise directory_error(error, directory) from error


def new_file(directory: Path, ending: str) -> Path:
    """Return ``HOST_PID_rankN.TIME`` with the ending; the time in nanoseconds orders the files of a process."""
    worker = f"{socket.gethostname()}_{getpid()}_rank{distributed.get_rank()}"
    return directory / f"{worker}.{time.time_ns()}{ending}"


def write_trace(directory: Path, export: Callable[[str], object], use_gzip: bool) -> Path:
    """Return the file into which ``export`` writes a trace.

    ``torch.profiler`` reports no error if the disk is full, so the end of the file is checked.

    Raises:
        OSError: the trace could not be written; nothing of it is left.
    """
    file = new_file(directory, TRACE)
    unfinished = file.with_name(file.name + _UNFINISHED)
    try:
        make_directory(directory)
        export(str(unfinished))
        _check_end(unfinished)
        if use_gzip:
            file = file.with_name(file.name + ".gz")
            _compress(unfinished, file)
        else:
            unfinished.rename(file)
    finally:
        _delete(unfinished)
        _delete(unfinished.with_name(unfinished.name + _LEFT_BY_KINETO))
    return file


def _delete(file: Path) -> None:
    """Delete a file. It frees the space too if ``torch.profiler`` failed to write the file, and does not close it."""
    with suppress(FileNotFoundError):
        os.truncate(file, 0)
        file.unlink()


def _check_end(file: Path) -> None:
    try:
        with file.open("rb") as trace:
            trace.seek(-min(64, file.stat().st_size), os.SEEK_END)
            is_whole = trace.read().rstrip().endswith(_END)
    except FileNotFoundError:
        is_whole = False
    if not is_whole:
        free_mb = shutil.disk_usage(file.parent).free >> 20
        raise OSError(
            f"torch.profiler wrote no complete trace to {file.parent}, which has {free_mb} MB free; free space there, "
            "or profile fewer steps"
        )


def _compress(source: Path, file: Path) -> None:
    unfinished = file.with_name(file.name + _UNFINISHED)
    try:
        with source.open("rb") as plain, gzip.open(unfinished, "wb", compresslevel=3) as compressed:
            shutil.copyfileobj(plain, compressed, 1 << 20)
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)
