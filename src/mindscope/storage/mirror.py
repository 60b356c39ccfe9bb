# SPDX-License-Identifier: Apache-2.0
"""A local directory that is kept equal to what is below an address of a remote store.

All readers take paths of this machine: they map files, call SQLite, and give paths to limited processes. So the objects
are copied: what grew by its new bytes only, what was replaced as a whole, and then exchanged at once.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import NamedTuple

from mindscope.errors import StorageError
from mindscope.reasons import Reason, os_reason, reason_of
from mindscope.storage.addresses import RemoteAddress
from mindscope.storage.copying import Copier
from mindscope.storage.mirror_state import MirrorState
from mindscope.storage.storage import Storage, StoredObject

MOST_OBJECTS = 500_000
"""Objects of a listing: each takes about 300 bytes of memory."""
WORKERS = 8
"""Objects that are copied at once."""
_LONGEST_NAME = 255
_FIRST_WAIT_S, _LONGEST_WAIT_S = 5.0, 600.0
"""Time after which to try again to copy an object that failed; it doubles each time."""


@dataclass(frozen=True, slots=True)
class MirrorRules:
    """What to copy, and how. The functions take the last part of a path."""

    is_first: Callable[[str], bool]
    """Whether a file is copied before others: event files, logs, settings."""
    grows: Callable[[str], bool]
    """Whether programs only append to a file, so that its beginning is of use alone; it is copied whatever its size."""
    largest: int
    """Bytes of the largest other file that is copied."""


class Synced(NamedTuple):
    """The result of one look at a store."""

    pages: int
    """Requests for the listing."""
    changed: frozenset[str]
    """Paths whose files are other ones now, or gone."""
    ages_s: Mapping[str, float]
    """Time since the last change of the objects in each directory, by the clock of the store."""


class Mirror:
    """Mirrors what is below an address. For any thread, and for several processes at once."""

    def __init__(self, address: RemoteAddress, storage: Storage, root: Path, rules: MirrorRules) -> None:
        """``root`` is a directory of this mirror alone. Raises OSError if it can't be written."""
        self.address = address
        self.directory = root / "runs" / (_local_name(address) or "runs")
        """The directory that mirrors the address."""
        self._storage, self._rules, self._root = storage, rules, root
        for directory in (self.directory, root / "parts"):
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._state = MirrorState(root / "objects.sqlite")
        self._stopping = Event()
        self._copier = Copier(storage, root / "parts", self._stopping)
        self._syncing = Lock()
        self._problems: dict[str, Reason] = {}  # by path
        self._problem: Reason | None = None  # of the store
        self._shown: tuple[tuple[str, Reason], ...] = ()
        self._waits: dict[str, tuple[float, float]] = {}  # by path: when to try again, and the wait until then
        self._is_checked = False  # the files are those of the state

    @property
    def problems(self) -> tuple[tuple[str, Reason], ...]:
        """What is not copied, by its address, and why; a snapshot."""
        whole = () if self._problem is None else ((str(self.address), self._problem),)
        objects = sorted(self._problems.copy().items())
        return (*whole, *((self.address.below(path), reason) for path, reason in objects))

    def note_problem(self, reason: Reason | None) -> None:
        """Note why the store can't be listed, None if it can."""
        self._problem = reason
        if self.problems != self._shown:
            self._shown = self.problems
            os.utime(self.directory)  # who watches the directory looks at it again

    def stop(self) -> None:
        """End a ``sync`` early, and all later ones."""
        self._stopping.set()

    def probe(self) -> None:
        """Ask for the first page of the listing. Raises StorageError if the store refuses it."""
        next(iter(self._storage.list()), None)

    def sync(self, below: str = "") -> Synced:
        """Make the files below a directory equal to the objects there.

        An object that can't be copied is one of the ``problems``. Raises StorageError if the store can't be listed,
        OSError if the mirror can't be written.
        """
        with self._syncing, _locked(self._root / "sync.lock"):
            objects, refused, pages = self._listed(below)
            before = self._whole_files()
            misplaced = _misplaced(objects)
            self._note_problems(below, {**misplaced, **dict.fromkeys(refused, Reason("object_name"))})
            for path in misplaced.keys() & before.keys():  # its file gives way to a directory
                self._state.forget(path)
            wanted = [
                object
                for path, object in objects.items()
                if path not in misplaced and before.get(path) != object and self._is_wanted(object)
            ]
            gone = [path for path in before if _is_below(path, below) and path not in objects]
            changed = {*self._remove(gone), *self._copy(wanted)}
            self.note_problem(None)
            return Synced(pages, frozenset(changed), _ages(objects.values()))

    def _listed(self, below: str) -> tuple[dict[str, StoredObject], list[str], int]:
        objects: dict[str, StoredObject] = {}
        refused: list[str] = []
        pages = 0
        for page in self._storage.list(below):
            pages += 1
            refused += page.refused
            objects.update((object.path, object) for object in page.objects if object.path)
            if len(objects) > MOST_OBJECTS:
                raise StorageError(Reason("storage_large", address=self.address, most=MOST_OBJECTS))
            if self._stopping.is_set():
                raise StorageError(Reason("storage_failed", address=self.address, detail="stopped"))
        return objects, refused, max(pages, 1)

    def _whole_files(self) -> dict[str, StoredObject]:
        """Return the objects whose files are there; the first time it looks at each file."""
        objects = self._state.objects()
        if not self._is_checked:
            for path, object in list(objects.items()):
                if _size(self.directory / path) != object.size:
                    self._state.forget(path)
                    del objects[path]
            self._is_checked = True
        return objects

    def _note_problems(self, below: str, found: Mapping[str, Reason]) -> None:
        kept = {path: why for path, why in self._problems.items() if path in self._waits or not _is_below(path, below)}
        self._problems = kept | dict(found)

    def _is_wanted(self, object: StoredObject) -> bool:
        if object.size > self._rules.largest and not self._rules.grows(_name(object.path)):
            self._problems[object.path] = Reason("object_large", size=object.size, limit=self._rules.largest)
            return False
        return self._waits.get(object.path, (0.0, 0.0))[0] <= time.monotonic()

    def _copy(self, objects: list[StoredObject]) -> Iterable[str]:
        """Copy objects, those of event files first, and the newest of them; yields the paths of those that worked."""
        if not objects:
            return ()
        objects.sort(key=lambda object: (not self._rules.is_first(_name(object.path)), -object.modified_at))
        with ThreadPoolExecutor(WORKERS, "mindscope-mirror") as pool:
            return [path for path in pool.map(self._copied, objects) if path]

    def _copied(self, object: StoredObject) -> str:
        """Copy one object; returns its path, empty if that failed."""
        path = object.path
        if self._stopping.is_set():
            return ""
        try:
            target = self.directory / path
            _make_parents(self.directory, target)
            before = self._state.object(path)
            self._state.set(self._copier.copy(object, target, before, grows=self._rules.grows(target.name)))
        except FileNotFoundError:
            return ""  # deleted since the listing
        except StorageError as error:
            self._put_off(path, reason_of(error))
            return ""
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
                raise
            self._put_off(path, Reason("file_not_readable", **os_reason(error)))
            return ""
        self._waits.pop(path, None)
        self._problems.pop(path, None)
        return path

    def _put_off(self, path: str, reason: Reason) -> None:
        if self._stopping.is_set():
            return
        wait_s = min(max(2 * self._waits.get(path, (0.0, 0.0))[1], _FIRST_WAIT_S), _LONGEST_WAIT_S)
        self._waits[path] = time.monotonic() + wait_s, wait_s
        self._problems[path] = reason

    def _remove(self, paths: Iterable[str]) -> Iterable[str]:
        """Remove the files of objects that are gone. A listing may be short of some, so it looks at each one."""
        for path in paths:
            try:
                self._storage.stat(path)
            except FileNotFoundError:
                target = self.directory / path
                target.unlink(missing_ok=True)
                self._state.forget(path)
                with suppress(OSError):  # the first one that is not empty
                    for parent in target.parents:
                        if parent == self.directory:
                            break
                        parent.rmdir()
                yield path
            except StorageError as error:
                self._problems[path] = reason_of(error)


def _misplaced(objects: Mapping[str, StoredObject]) -> dict[str, Reason]:
    """Return the paths that can't be those of files here, and why."""
    directories = {path[:index] for path in objects for index, sign in enumerate(path) if sign == "/"}
    reasons = {path: Reason("object_name") for path in objects if not _is_plain(path)}
    return reasons | {path: Reason("object_and_directory") for path in directories & objects.keys()}


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    if "\0" in path or "\\" in path:
        return False
    return all(part not in ("", ".", "..") and len(os.fsencode(part)) <= _LONGEST_NAME for part in parts)


def _is_below(path: str, directory: str) -> bool:
    return not directory or path.startswith(f"{directory}/")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _local_name(address: RemoteAddress) -> str:
    return "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in address.name).lstrip(".")[:64]


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return -1


def _make_parents(root: Path, target: Path) -> None:
    """Make the directories above a file; a file in their place, of an object that is gone, is removed."""
    for parent in reversed(target.relative_to(root).parents[:-1]):
        if (root / parent).is_file():
            (root / parent).unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)


def _ages(objects: Iterable[StoredObject]) -> dict[str, float]:
    newest: dict[str, float] = {}
    for object in objects:
        directory = object.path.rpartition("/")[0]
        newest[directory] = max(newest.get(directory, 0.0), object.modified_at)
    now = max(time.time(), *newest.values()) if newest else 0.0
    return {directory: now - modified_at for directory, modified_at in newest.items()}


@contextmanager
def _locked(file: Path) -> Generator[None]:
    """Hold a lock on a file: one process at a time writes a mirror."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
