# SPDX-License-Identifier: Apache-2.0
"""Keeps files in a run on a thread, each content once."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

from mindscope.artifacts.recorded_files import (
    DIRECTORY,
    LIST_NAME,
    UNFINISHED,
    RecordedFile,
    checked_name,
    kind_of,
    line_of,
    path_of,
    recorded_files,
)
from mindscope.capture import exit_hooks
from mindscope.capture.background_queue import BackgroundQueue
from mindscope.capture.event_stream import step_number
from mindscope.capture.files.copying import ChangedError, DiskFullError, Source, copy_file, link_file, write_file

MOST_FILES = 10_000
"""Files of a run, those of directories too."""
_MOST_HELD = 64
"""Files that wait with an open descriptor; others are opened when they are copied."""
_MOST_WAITING = 10_000
_SMALL = 8 << 20
"""Bytes of a file that is read at once, in milliseconds: a script may overwrite its checkpoint after each step."""
_MOST_BYTES = 128 << 20
"""Bytes of small files that wait in memory."""
_ABANDONED_S = 600.0
"""A copy that was not written for this long is that of a killed process."""
_LOG = logging.getLogger("mindscope")

Reject = Callable[[str, Exception], None]
"""Takes the name of a file that is not recorded, and why."""


def _log(name: str, error: Exception) -> None:
    _LOG.warning("file %r was not recorded: %s", name, error)


class FileRecorder:
    """The files of the run in a directory. No method raises; each takes little time, and threads do the rest.

    ``close`` waits for the threads. A forked child begins with nothing to do.
    """

    def __init__(self, run: str | PathLike[str], reject: Reject = _log) -> None:
        self.run = Path(run).absolute()
        self._reject_by = reject
        self._queue = BackgroundQueue(_MOST_WAITING, 0.0, "mindscope-files")
        self._story = BackgroundQueue(_MOST_WAITING, 0.0, "mindscope-story")  # no copy waits for git
        self._by_hash: dict[str, str] | None = None  # paths of contents, of the thread
        self._count = 0
        self.reset_after_fork()
        exit_hooks.reset_in_forks(self)

    def _reject(self, name: str, error: Exception) -> None:
        try:
            self._reject_by(name, error)
        except Exception as failure:  # a recorder that raises must not end the thread
            _log(name, failure)

    def reset_after_fork(self) -> None:
        """Reset what threads of the parent held."""
        self._lock = threading.Lock()
        self._listing = threading.RLock()  # of the two threads
        self._held = self._bytes = 0
        self._numbers = count()

    def log(self, path: Any, name: Any = None, step: Any = None, *, is_link: bool = False) -> None:
        """Keep a file, or all files of a directory, under a name; the last part of the path by default.

        A file of the same name and step is replaced. One of a directory that can't be read costs no other.
        """
        title = str(name if name is not None else path)
        try:
            source = Path(os.fsdecode(path))
            base = checked_name(os.fsdecode(name) if name is not None else source.absolute().name)
            number = None if step is None else step_number(step)
            entries = list(self._files_in(source, base))
            if not entries:
                raise FileNotFoundError(f"{str(source)!r} holds no files")
            if not self._queue.wait_for_room():
                raise OSError("too many files wait to be copied")
            sources = [(entry, self._source(file, is_alone=file == source)) for entry, file in entries]
        except Exception as error:  # whatever the objects of the caller raise
            self._reject(title, error)
            return
        self._queue.submit(lambda: self._keep_all(sources, number, is_link))

    def run_later(self, job: Callable[[], None]) -> None:
        """Run a function on a thread beside the copies. What it raises is logged."""
        self._story.submit(lambda: self.attempt(job))

    def attempt(self, job: Callable[[], None]) -> None:
        """Run a function; what it raises is logged."""
        try:
            job()
        except Exception as error:
            self._reject(DIRECTORY, error)

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until everything is kept; returns False after ``timeout_s``."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        is_kept = self._queue.flush(timeout_s)
        return self._story.flush(None if end is None else max(0.0, end - time.monotonic())) and is_kept

    def close(self) -> None:
        """Keep everything and end the thread. A later file starts another one."""
        self._queue.close()
        self._story.close()

    def request_close(self) -> None:
        """Close without waiting."""
        self._queue.request_close()
        self._story.request_close()

    # ---- on the thread

    def add_text(self, name: str, text: str, kind: str, *, is_cut: bool = False, masked: int = 0) -> None:
        """Keep a text. Call it on the thread. Raises OSError."""
        data = text.encode("utf-8", "backslashreplace")
        file = RecordedFile(name, path_of(name, None), kind, len(data), hashlib.sha256(data).hexdigest(), time.time())
        file = replace(file, is_cut=is_cut, masked=masked)
        if not self._has_same(file):
            unfinished = self._unfinished()
            write_file(data, unfinished)
            self._finish(unfinished, file)

    def has(self, name: str) -> bool:
        """Return whether the run has a file of this name. Call it on the thread."""
        return any(file.name == name and not file.left_out for file in recorded_files(self.run))

    def leave_out(self, name: str, kind: str, why: str, step: int | None = None) -> None:
        """List a file that is not kept, and why. Call it on the thread. Raises OSError."""
        self._list(RecordedFile(name, path_of(name, step), kind, 0, "", time.time(), step, left_out=why))

    def _files_in(self, path: Path, name: str) -> Iterator[tuple[str, Path]]:
        """Yield the files below a path with their names; no links to directories. Raises OSError."""
        if not path.is_dir():
            yield name, path
            return
        kept = (self.run / DIRECTORY).resolve()
        for number, (above, directories, files) in enumerate(os.walk(path)):
            if number > MOST_FILES or Path(above).resolve() == kept:
                directories.clear()
                continue
            directories.sort()
            for file in sorted(files):
                below = Path(above, file)
                yield checked_name(f"{name}/{below.relative_to(path).as_posix()}"), below

    def _source(self, path: Path, is_alone: bool) -> Source | OSError:
        """Return a file to copy, or why it can't be read. Raises OSError for one that ``is_alone``."""
        is_held, most_bytes = self._held < _MOST_HELD, _SMALL if self._bytes < _MOST_BYTES else -1
        try:
            source = Source.of(path, is_held=is_held, most_bytes=most_bytes)
        except OSError as error:
            if is_alone:
                raise
            return error
        self._count_waiting(source, 1)
        return source

    def _count_waiting(self, source: Source, sign: int) -> None:
        with self._lock:
            self._held += sign * (source.descriptor is not None)
            self._bytes += sign * len(source.data or b"")

    def _keep_all(self, sources: list[tuple[str, Source | OSError]], step: int | None, is_link: bool) -> None:
        for name, source in sources:
            try:
                if isinstance(source, OSError):
                    raise source
                self._keep(name, source, step, is_link)
            except Exception as error:
                self._reject(name, error)
                is_full = isinstance(error, DiskFullError)
                why = "changed" if isinstance(error, ChangedError) else "disk_full" if is_full else "unreadable"
                with suppress(OSError):
                    self.leave_out(name, kind_of(name), why, step)
            finally:
                if isinstance(source, Source):
                    source.close()
                    self._count_waiting(source, -1)

    def _keep(self, name: str, source: Source, step: int | None, is_link: bool) -> None:
        unfinished = self._unfinished()
        if self._count >= MOST_FILES:
            raise OSError(f"the run has {MOST_FILES} files")
        size, digest = (link_file if is_link else copy_file)(source, unfinished)
        file = RecordedFile(name, path_of(name, step), kind_of(name), size, digest, time.time(), step, is_link)
        self._finish(unfinished, file)

    def _finish(self, unfinished: Path, file: RecordedFile) -> None:
        """Give a whole file its name; one with a known content becomes a link to that. Raises OSError."""
        with self._listing:
            self._finish_alone(unfinished, file)

    def _finish_alone(self, unfinished: Path, file: RecordedFile) -> None:
        target = self.run / file.path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._share(unfinished, file)
            unfinished.replace(target)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        if not file.is_link:
            self._contents()[file.sha256] = file.path
        self._count += 1
        self._list(file)

    def _share(self, unfinished: Path, file: RecordedFile) -> None:
        """Replace a copy by a link to a file of the run with the same content, if there is one."""
        same = self._contents().get(file.sha256)
        if same is None or file.size == 0 or file.is_link:
            return
        link = self._unfinished()
        with suppress(OSError):  # it may be gone, or the file system may have no links
            os.link(self.run / same, link, follow_symlinks=False)
            if link.stat().st_size == file.size and link.stat().st_nlink < 30_000:
                link.replace(unfinished)
        link.unlink(missing_ok=True)

    def _has_same(self, file: RecordedFile) -> bool:
        """Return whether the run has the file already, as after a restart."""
        return any(other.path == file.path and other.sha256 == file.sha256 for other in recorded_files(self.run))

    def _contents(self) -> dict[str, str]:
        if self._by_hash is None:
            files = [file for file in recorded_files(self.run) if not file.left_out]
            self._by_hash = {file.sha256: file.path for file in files if not file.is_link}
            self._count = len(files)
        return self._by_hash

    def _unfinished(self) -> Path:
        """Return a new path for a copy; remove those of killed processes at the first time. Raises OSError."""
        directory = self.run / DIRECTORY / UNFINISHED
        with self._listing:
            if self._by_hash is None:
                self._begin(directory)
        return directory / f"{os.getpid()}-{threading.get_native_id()}-{next(self._numbers)}"

    def _begin(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory.parent / LIST_NAME).touch()
        for entry in list(os.scandir(directory)):
            with suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_ctime > _ABANDONED_S:
                    os.unlink(entry.path)  # noqa: PTH108
        self._contents()

    def _list(self, file: RecordedFile) -> None:
        """Append a line with one write, since other processes may append too. Raises OSError."""
        path = self.run / DIRECTORY / LIST_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            os.write(descriptor, b"\n" * is_torn + line_of(file))
        finally:
            os.close(descriptor)
