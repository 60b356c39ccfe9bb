# SPDX-License-Identifier: Apache-2.0
"""Which directories below a base directory are runs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mindscope.ingest.names import creation_number, is_event_name, readable, run_id
from mindscope.ingest.unread import UnreadPlace, link_outside, unread_directory, unread_entry
from mindscope.store.files import natural_key

SETTLED_NS = 2_000_000_000
"""A directory changed within so short a time before it was listed may have changed again without a new time stamp."""


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file to read: ``name`` as a person reads it, ``path`` to open it."""

    name: str
    path: str
    creation_number: int


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A directory with at least one event file directly in it; the files from the oldest to the newest."""

    id: str
    path: Path
    files: tuple[EventFile, ...]


@dataclass(frozen=True, slots=True)
class Discovery:
    """All runs by id in natural order of the ids, and what could not be looked into, by path."""

    runs: dict[str, FoundRun]
    unread: tuple[UnreadPlace, ...]


@dataclass(frozen=True, slots=True)
class _Listing:
    """One directory as listed once: the entries that matter."""

    modified_ns: int
    listed_ns: int
    directories: tuple[str, ...]
    files: tuple[EventFile, ...]
    unread: tuple[UnreadPlace, ...]

    def still_holds(self, modified_ns: int) -> bool:
        return self.modified_ns == modified_ns and self.listed_ns - modified_ns > SETTLED_NS


def find_runs(base: str | Path) -> Discovery:
    """Find all runs at any depth below ``base``, itself included. See ``Finder``."""
    return Finder(base).find()


def find_run(directory: str | Path) -> FoundRun | None:
    """The run in ``directory`` itself, whose id is "."; None when there is no event file directly in it.

    Raises OSError when the directory can't be listed.
    """
    finder = Finder(directory)
    files = finder.list_files()
    return _found_run(finder.base, finder.base, files) if files else None


class Finder:
    """Finds runs again and again, listing only directories that changed.

    A link to a directory is not followed: what it leads to inside the base has its own path, and what is outside stays
    outside. So no cycle and no run under two ids. A link to an event file is read when its target is inside the base.
    Directories that may not be listed are reported and passed over.
    """

    def __init__(self, base: str | Path) -> None:
        self.base = os.path.realpath(base)
        self._listings: dict[str, _Listing] = {}  # by directory, as of the last find
        self.directories: tuple[str, ...] = ()
        """Those that the last find could list, the base first."""

    def find(self) -> Discovery:
        listings = dict(self._walk())
        self._listings = {path: each for path, each in listings.items() if each.modified_ns}
        self.directories = tuple(path for path, each in listings.items() if each.listed_ns)
        runs = [_found_run(self.base, path, each.files) for path, each in listings.items() if each.files]
        unread = [place for each in listings.values() for place in each.unread]
        return Discovery(
            {run.id: run for run in sorted(runs, key=lambda run: natural_key(run.id))},
            tuple(sorted(unread, key=lambda place: natural_key(place.path))),
        )

    def list_files(self) -> tuple[EventFile, ...]:
        """The event files directly in the base. Raises OSError when it can't be listed."""
        return self._list_anew(self.base, 0).files

    def _walk(self) -> Iterator[tuple[str, _Listing]]:
        waiting = [self.base]
        while waiting:
            directory = waiting.pop()
            listing = self._list(directory)
            waiting.extend(listing.directories)
            yield directory, listing

    def _list(self, directory: str) -> _Listing:
        try:
            modified_ns = os.stat(directory).st_mtime_ns  # noqa: PTH116 (ten thousand times)
            known = self._listings.get(directory)
            return known if known and known.still_holds(modified_ns) else self._list_anew(directory, modified_ns)
        except OSError as error:
            # What has gone since the directory above was listed is missed by nobody.
            is_gone = isinstance(error, (FileNotFoundError, NotADirectoryError)) and directory != self.base
            return _Listing(0, 0, (), (), () if is_gone else (unread_directory(directory, error),))

    def _list_anew(self, directory: str, modified_ns: int) -> _Listing:
        directories: list[str] = []
        files: list[EventFile] = []
        unread: list[UnreadPlace] = []
        listed_ns = time.time_ns()
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_symlink() and (target := self._target_outside(entry)):
                    if is_event_name(entry.name) or os.path.isdir(target):  # noqa: PTH112 (says no where it fails)
                        unread.append(link_outside(entry.path, target, self.base))
                elif entry.is_dir(follow_symlinks=False):
                    directories.append(entry.path)
                elif is_event_name(entry.name):
                    if place := unread_entry(entry):
                        unread.append(place)
                        modified_ns = 0  # what mends it may be done elsewhere: look again next time
                    else:
                        files.append(EventFile(readable(entry.name), entry.path, creation_number(entry.name)))
        return _Listing(modified_ns, listed_ns, tuple(directories), tuple(files), tuple(unread))

    def _target_outside(self, link: os.DirEntry[str]) -> str | None:
        target = os.path.realpath(link.path)
        return None if os.path.commonpath([self.base, target]) == self.base else target


def _found_run(base: str, directory: str, files: tuple[EventFile, ...]) -> FoundRun:
    if len(files) > 1:
        files = tuple(sorted(files, key=lambda file: (file.creation_number, natural_key(file.name))))
    return FoundRun(run_id(base, directory), Path(directory), files)
