# SPDX-License-Identifier: Apache-2.0
"""Finds the directories below a base directory that are runs."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import attrgetter
from pathlib import Path

from mindscope.artifacts.recorded_files import LIST_NAME
from mindscope.formats.log_names import is_log_name
from mindscope.ingest.debugging_data import recognize_debugging_data
from mindscope.ingest.event_file import EventFile
from mindscope.ingest.file_names import is_event_name, run_id
from mindscope.ingest.foreign_logs import compressed_file, foreign_logs, is_compressed, unread_log
from mindscope.ingest.graphs_and_profiles import (
    NO_CONTENTS,
    Found,
    RunContents,
    TraceSearch,
    contents_by_run,
    recognize_file,
    recognize_profile,
)
from mindscope.ingest.mirrored import mirrored_directory
from mindscope.ingest.settings_files import HYDRA_DIRECTORY, SettingsFinder, settings_name
from mindscope.ingest.tracker_logs import TrackerRun, logs_in, runs_of_trackers
from mindscope.ingest.training_logs import runs_of_logs, training_logs
from mindscope.ingest.unreadable_paths import (
    UnreadablePath,
    link_outside,
    not_copied,
    unreadable_directory,
    unreadable_entry,
)
from mindscope.named_bases import bases_in
from mindscope.natural_order import natural_key
from mindscope.storage.addresses import local_path
from mindscope.storage.mirrors import refresh_mirror
from mindscope.store.contents import Content, SettingsFile
from mindscope.trackers.log import NO_LOGS, FoundLogs

MTIME_SLACK_NS = 2_000_000_000
"""A directory that changed this recently before its listing may change again without a new modification time."""


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A directory with an event file, a graph file, a profile, debugging data or logs in it; files are sorted by age.

    A run of another tracker is one too; several may share a directory.
    ``content_paths`` are those of all that ``contents`` count.
    """

    id: str
    path: Path
    files: tuple[EventFile, ...]
    contents: tuple[Content, ...] = ()
    content_paths: tuple[str, ...] = ()
    settings: tuple[SettingsFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Discovery:
    """All runs by id in natural order of the ids, and the paths that could not be read, sorted."""

    runs: dict[str, FoundRun]
    unreadable: tuple[UnreadablePath, ...]


@dataclass(frozen=True, slots=True)
class _Listing:
    """The relevant entries of one directory."""

    modified_ns: int
    listed_ns: int
    directories: tuple[str, ...]
    links: tuple[str, ...]  # to directories outside of the base, if ``follow_links`` is set
    files: tuple[EventFile, ...]
    unreadable: tuple[UnreadablePath, ...]
    found: tuple[Found, ...] = ()  # graph files and profiles; the directory itself if it is a profile
    settings: tuple[str, ...] = ()  # names that may be settings files
    logs: tuple[str, ...] = ()  # paths of logs, if nothing else in the directory makes it a run
    tracker_logs: FoundLogs = NO_LOGS

    def is_current(self, modified_ns: int) -> bool:
        return self.modified_ns == modified_ns and self.listed_ns - modified_ns > MTIME_SLACK_NS

    @property
    def entries(self) -> tuple[object, ...]:
        """The entries of the listing; if they are equal, a discovery finds the same."""
        return (
            self.directories, self.links, self.files, self.unreadable, self.found, self.settings, self.logs,
            self.tracker_logs.logs,
        )  # fmt: skip


def find_runs(base: str | Path) -> Discovery:
    """Find all runs at any depth below ``base``, including ``base``. See ``Finder``."""
    return Finder(base).find()


def find_run(directory: str | Path) -> FoundRun | None:
    """Return the run in ``directory`` itself, with id ".".

    It returns None if there are no event files and no other contents in it.

    Raises OSError if the directory can't be listed.
    """
    return Finder(directory).find_in_base()


class Finder:
    """Finds runs repeatedly; lists only directories that changed. The base is a directory, or an archive of runs.

    Of links to directories, it only follows those to bases with names. The target of another one has its own path
    inside the base, or stays outside. So there are no cycles, and no run has two ids. Reads a link to an event file if
    its target is inside the base. Reports directories that it can't list and skips them.

    With ``follow_links`` it follows links out of the base, those nearest to the base first, and lists each directory
    once, even if several links lead to it.
    """

    def __init__(self, base: str | Path, follow_links: bool = False) -> None:
        self.base = os.path.realpath(mirrored_directory(base) or local_path(base))
        self.follow_links = follow_links
        bases = bases_in(self.base)
        self._named = frozenset(f"{self.base}{os.sep}{name}" for name in bases)
        self._roots = (self.base, *(str(named.directory) for named in bases.values()))
        for named in bases.values():
            mirrored_directory(named.source)
        self._listings: dict[str, _Listing] = {}  # by directory, as of the last find or look
        self._unsettled: dict[str, _Listing] = {}  # of directories to list again: a cause may be fixed elsewhere
        self.directories: tuple[str, ...] = ()
        """Directories that the last find listed, the base first."""
        self.has_links = False
        """Whether the last find followed a link."""

    def find(self) -> Discovery:
        """Find all runs. Raises StorageError if the base mirrors a remote store that can't be read."""
        self._refresh_mirrors()
        listings = dict(self._walk())
        self._listings = {path: each for path, each in listings.items() if each.modified_ns}
        self._unsettled = {path: each for path, each in listings.items() if not each.modified_ns}
        self.directories = tuple(path for path, each in listings.items() if each.listed_ns)
        self.has_links = any(listing.links for listing in listings.values())
        contents = contents_by_run(
            self.base,
            {path: each.found for path, each in listings.items() if each.found},
            {path: each.modified_ns for path, each in listings.items()},
            {path for path, each in listings.items() if each.files},
        )
        trackers = runs_of_trackers(self.base, {path: each.tracker_logs for path, each in listings.items()})
        with_data = {path for path, each in listings.items() if each.files} | contents.keys() | trackers.keys()
        contents |= runs_of_logs(
            self.base, {path: each.logs for path, each in listings.items() if each.logs}, with_data
        )
        settings = self._settings_finder(listings)
        runs = [
            _found_run(
                self.base, path, each.files, contents.get(path, NO_CONTENTS), settings.of_run(path), trackers.get(path)
            )
            for path, each in listings.items()
            if each.files or path in contents or path in trackers
        ]
        runs += [FoundRun(run.id, run.path, run.files) for path, run in trackers.items() if path not in listings]
        unreadable = [found for listing in listings.values() for found in listing.unreadable]
        return Discovery(
            {run.id: run for run in sorted(runs, key=lambda run: natural_key(run.id))},
            tuple(sorted(unreadable, key=lambda found: natural_key(found.path))),
        )

    @property
    def unsettled(self) -> Collection[str]:
        """Directories whose entries may change without another time, or that could not be listed."""
        return self._unsettled.keys()

    @property
    def parents(self) -> frozenset[str]:
        """Directories that hold directories, as of the last find."""
        return frozenset(path for path, listing in self._listings.items() if listing.directories) | {self.base}

    def modified_ns(self, directory: str) -> int:
        """Return the time of the last change of entries of a directory; 0 if it must be listed each time.

        It is from the last look.
        """
        listing = self._listings.get(directory)
        return listing.modified_ns if listing else 0

    def has_changed(self, directory: str, *, is_content: bool = False) -> bool:
        """Return whether a directory has other entries than the last find saw; lists it only if its time changed.

        ``is_content``: another time is a change too, because files in a profile are not among the entries.
        """
        before = self._listings.get(directory) or self._unsettled.get(directory)
        now = self._list(directory)
        if before is None or now.entries != before.entries or (is_content and now.modified_ns != before.modified_ns):
            return True
        (self._listings if now.modified_ns else self._unsettled)[directory] = now
        return False

    def find_in_base(self) -> FoundRun | None:
        """Return the run in the base itself; None if the base has no event file, contents or logs.

        Raises OSError if the base can't be listed.
        """
        self._refresh_mirrors()
        listing = self._listings[self.base] = self._relist(self.base, 0)
        if not listing.files:
            return self.find().runs.get(".")
        hydra = f"{self.base}{os.sep}{HYDRA_DIRECTORY}"
        listings = {self.base: listing, **({hydra: self._list(hydra)} if hydra in listing.directories else {})}
        settings = self._settings_finder(listings).of_run(self.base)
        return _found_run(self.base, self.base, listing.files, settings=settings)

    def _refresh_mirrors(self) -> None:
        for root in self._roots:
            refresh_mirror(root)

    def _settings_finder(self, listings: Mapping[str, _Listing]) -> SettingsFinder:
        names = {path: listing.settings for path, listing in listings.items() if listing.settings}
        return SettingsFinder(self.base, names, lambda path: path in listings and bool(listings[path].files))

    def _walk(self) -> Iterator[tuple[str, _Listing]]:
        waiting, links = [self.base], list[tuple[int, str]]()
        walked = set[tuple[int, int]]()
        while waiting or links:
            directory = waiting.pop() if waiting else heappop(links)[1]
            if self.follow_links and not _is_new(directory, walked):
                continue
            listing = self._list(directory)
            waiting.extend(listing.directories)
            for link in listing.links:
                heappush(links, (link.count(os.sep), link))
            yield directory, listing

    def _list(self, directory: str) -> _Listing:
        try:
            modified_ns = os.stat(directory).st_mtime_ns  # noqa: PTH116 (ten thousand times)
            known = self._listings.get(directory)
            return known if known and known.is_current(modified_ns) else self._relist(directory, modified_ns)
        except OSError as error:
            # Ignore a directory that was deleted after its parent was listed.
            is_given = directory == self.base or directory in self._named
            is_gone = isinstance(error, (FileNotFoundError, NotADirectoryError)) and not is_given
            return _Listing(0, 0, (), (), (), () if is_gone else (unreadable_directory(directory, error),))

    def _relist(self, directory: str, modified_ns: int) -> _Listing:
        before = self._listings.get(directory)
        known = {file.path: file for file in before.files} if before else {}  # one new file among 10,000 is cheap
        directories: list[str] = []
        links: list[str] = []
        found: list[Found] = []
        names: list[str] = []
        traces = TraceSearch()
        settings: list[str] = []
        logs: list[os.DirEntry[str]] = []
        files: list[EventFile] = []
        unreadable: list[UnreadablePath] = []
        listed_ns = time.time_ns()
        with os.scandir(directory) as entries:
            for entry in entries:
                names.append(entry.name)
                if name := settings_name(entry):
                    settings.append(name)
                if entry.path in self._named:
                    directories.append(entry.path)
                    continue
                target = self._target_outside(entry) if entry.is_symlink() else None
                if target and self.follow_links and os.path.isdir(target):  # noqa: PTH112 (returns False on errors)
                    links.append(entry.path)
                elif target and self.follow_links and not os.path.exists(target):  # noqa: PTH110
                    modified_ns = 0  # the target may appear later: list again next time
                elif target and not self.follow_links:
                    if is_event_name(entry.name) or os.path.isdir(target):  # noqa: PTH112
                        unreadable.append(link_outside(entry.path, target, self.base))
                elif is_compressed(entry.name):
                    unreadable.append(compressed_file(entry.path))
                elif entry.is_dir(follow_symlinks=False):
                    directories.append(entry.path)
                elif is_event_name(entry.name):
                    if fault := unreadable_entry(entry):
                        unreadable.append(fault)
                        modified_ns = 0  # the cause may be fixed elsewhere: list again next time
                    else:
                        files.append(known.get(entry.path) or EventFile.of(entry))
                elif content := recognize_file(entry) or traces.recognize(entry):
                    found.append(content)
                elif is_log_name(entry.name):
                    logs.append(entry)
        if directory == self.base or directory in self._named:
            unreadable += not_copied(os.path.realpath(directory))
        if LIST_NAME in names:  # files that a recorder keeps in a run: what they are makes no other run
            return _Listing(modified_ns, listed_ns, (), (), (), ())
        if profile := recognize_profile(directory, names):
            found.append((profile, directory))
        if data := recognize_debugging_data(directory, names):
            found.append(data)
        tracker_logs = logs_in(directory, names, has_events=bool(files or found))
        if traces.is_pending or tracker_logs.is_pending:
            modified_ns = 0  # its program writes it: list again next time
        if tracker_logs.problems:
            unreadable += (unread_log(problem) for problem in tracker_logs.problems)
            modified_ns = 0  # a lock ends without another time: list again next time
        elif not tracker_logs.logs and (foreign := foreign_logs(directory, names)):
            unreadable.append(foreign)
        return _Listing(
            max(modified_ns, tracker_logs.modified_ns) if modified_ns else 0,
            listed_ns,
            () if tracker_logs.is_whole else tuple(directories),
            tuple(links),
            tuple(files),
            tuple(unreadable),
            tuple(found),
            tuple(settings),
            () if files or found or tracker_logs.logs else training_logs(names, logs),
            tracker_logs,
        )

    def _target_outside(self, link: os.DirEntry[str]) -> str | None:
        target = os.path.realpath(link.path)
        is_inside = any(os.path.commonpath([root, target]) == root for root in self._roots)
        return None if is_inside else target


def _is_new(directory: str, walked: set[tuple[int, int]]) -> bool:
    """Return whether the directory was not walked yet, under any name; True if stat fails."""
    try:
        found = os.stat(directory)  # noqa: PTH116
    except OSError:
        return True
    identity = found.st_dev, found.st_ino
    is_first = identity not in walked
    walked.add(identity)
    return is_first


def _found_run(
    base: str,
    directory: str,
    files: tuple[EventFile, ...],
    contents: RunContents = NO_CONTENTS,
    settings: tuple[SettingsFile, ...] = (),
    tracker: TrackerRun | None = None,
) -> FoundRun:
    by_age = tuple(sorted((*files, *(tracker.files if tracker else ())), key=attrgetter("key")))
    return FoundRun(run_id(base, directory), Path(directory), by_age, *contents, settings)
