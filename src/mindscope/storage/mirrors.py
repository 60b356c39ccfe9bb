# SPDX-License-Identifier: Apache-2.0
"""Opens mirrors of remote stores in the cache of the user, and keeps them up to date: at a read, or on a thread."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic

from mindscope.errors import StorageError
from mindscope.kept_directories import cache_directory, use
from mindscope.reasons import Reason, os_reason, reason_of
from mindscope.storage.addresses import RemoteAddress, remote_address
from mindscope.storage.copying import Copier
from mindscope.storage.listing_schedule import ListingSchedule
from mindscope.storage.mirror import Mirror, MirrorRules
from mindscope.storage.opening import open_storage

log = logging.getLogger(__name__)

KIND = "remote"
"""Name of the directory in the cache of the user with a directory for mirrored address."""
FRESH_S = 1.0
"""Time after a sync within which a read needs no other one."""

_mirrors: dict[str, _OpenMirror] = {}  # by directory
_opening = Lock()


def open_mirror(address: RemoteAddress, rules: MirrorRules, *, is_followed: bool = False) -> Mirror:
    """Return the mirror of an address, the same one for the whole process; copies nothing yet.

    ``is_followed``: a ``MirrorFollower`` keeps it up to date, so that ``refresh_mirror`` does not.

    Raises MissingPackageError, StorageError if the cache can't be written or the address is refused.
    """
    with _opening:
        opened = next((mirrored for mirrored in _mirrors.values() if mirrored.mirror.address == address), None)
        if opened is None:
            mirror = _opened(address, rules)
            opened = _mirrors[str(mirror.directory.resolve())] = _OpenMirror(mirror)
    opened.is_followed |= is_followed
    return opened.mirror


def refresh_mirror(directory: str) -> None:
    """Bring the mirror up to date that a directory is or lies in, if it is one. Raises StorageError."""
    for root, opened in _mirrors.copy().items() if _mirrors else ():
        if directory == root or directory.startswith(f"{root}/"):
            opened.refresh()


def mirror_problems(directory: str) -> tuple[tuple[str, Reason], ...]:
    """Return what the mirror at a directory does not hold, by its address; nothing for another directory."""
    opened = _mirrors.get(directory) if _mirrors else None
    return () if opened is None else opened.mirror.problems


def copied_file(address: RemoteAddress) -> Path | None:
    """Return a local copy of the object at an address; None if there is none. Raises as ``open_mirror``."""
    above = remote_address(address.rpartition("/")[0]) if "/" in address.location else None
    if above is None:
        return None
    storage = open_storage(above)
    try:
        object = storage.stat(address.name)
    except (FileNotFoundError, IsADirectoryError):
        return None
    root = _root(address) / "file"
    with _written(root):
        use(root.parent)
        root.mkdir(exist_ok=True, mode=0o700)
        target = root / address.name
        state = target.stat() if target.exists() else None
        if state is None or (state.st_size, int(state.st_mtime)) != (object.size, int(object.modified_at)):
            Copier(storage, root, Event()).copy(object, target, None, grows=False)
    return target


class _OpenMirror:
    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror
        self.is_followed = False
        self._synced_at = float("-inf")

    def refresh(self) -> None:
        if not self.is_followed and monotonic() - self._synced_at >= FRESH_S:
            with _written(self.mirror.directory):
                self.mirror.sync()
            self._synced_at = monotonic()


class MirrorFollower:
    """A thread that keeps a mirror up to date."""

    def __init__(self, mirror: Mirror, interval_s: float) -> None:
        """``interval_s``: see ``ListingSchedule``; 0 copies what is there once."""
        self._mirror, self._interval_s = mirror, interval_s
        self._schedule = ListingSchedule(interval_s)
        self._stopping = Event()
        self._thread = Thread(target=self._follow, name="mindscope-mirror", daemon=True)

    def start(self) -> None:
        """Start copying. Call it once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop. It does not wait for requests that are under way. The next ``open_mirror`` makes another mirror."""
        self._stopping.set()
        self._mirror.stop()
        with _opening:
            _mirrors.pop(str(self._mirror.directory.resolve()), None)

    def _follow(self) -> None:
        while not self._stopping.is_set():
            is_done = [self._look(path) for path in self._schedule.due(monotonic())]
            if self._interval_s <= 0 and all(is_done):
                return
            self._stopping.wait(max(self._schedule.wait_s(monotonic()), 0.05))

    def _look(self, path: str) -> bool:
        """Look at the store; returns whether it answered."""
        try:
            with _written(self._mirror.directory):
                synced = self._mirror.sync(path)
        except Exception as error:
            if not self._stopping.is_set():
                log.warning("%s can't be followed: %s", self._mirror.address, error)
                self._mirror.note_problem(reason_of(error))
                self._schedule.failed(monotonic())
            return False
        self._mirror.note_problem(None)
        self._schedule.listed(path, synced.pages, synced.changed, synced.ages_s, monotonic())
        return True


def _opened(address: RemoteAddress, rules: MirrorRules) -> Mirror:
    storage, root = open_storage(address), _root(address)
    with _written(root):
        use(root)
        return Mirror(address, storage, root, rules)


def _root(address: RemoteAddress) -> Path:
    return cache_directory(KIND) / sha256(address.encode()).hexdigest()[:16]


@contextmanager
def _written(directory: Path) -> Generator[None]:
    """Translate the errors of writing into a directory of the cache."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        reason = Reason("mirror_not_written", directory=str(directory), **os_reason(error))
        raise StorageError(reason) from error
