# SPDX-License-Identifier: Apache-2.0
"""Packs runs into one archive, which opens without unpacking."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mindscope._version import VERSION
from mindscope.archive.index import MOST_ENTRIES, times_field
from mindscope.archive.mounts import open_file
from mindscope.archive.names import SUFFIX
from mindscope.artifacts.recorded_files import DIRECTORY, LIST_NAME, recorded_files
from mindscope.debug.logs.find_logs import find_logs
from mindscope.errors import ArchiveError, RunNotFoundError
from mindscope.ingest.discover import Discovery, Finder, FoundRun
from mindscope.reading.failures import find_failures
from mindscope.reading.open import LOOKED_FOR, directory_of
from mindscope.reasons import Reason
from mindscope.trackers.trackers import shared_file

ABOUT = "mscope.json"
"""The entry that says who wrote an archive; no reader needs it."""
_CHUNK_BYTES = 1 << 20
_FIRST, _LAST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)  # dates that the format has


@dataclass(frozen=True, slots=True)
class PackReport:
    """The archive, the ids of its runs, how many files and bytes it has, and a message for each file left out."""

    path: Path
    runs: tuple[str, ...]
    files: int
    size_bytes: int
    problems: tuple[str, ...]


def pack_runs(
    paths: Sequence[str | os.PathLike[str]],
    target: str | os.PathLike[str],
    *,
    force: bool = False,
    checkpoints: bool = False,
) -> PackReport:
    """Write all runs at and below ``paths`` into one archive: what mindscope shows of them.

    Ids of runs count from the path if it is one and no run itself, else from the directory that all paths share. The
    archive is a ZIP file of uncompressed entries. A file that a training writes is packed up to its size at this
    moment. The archive appears under its name when it is complete.

    Args:
        paths: directories of runs, or with runs at any depth.
        target: the archive, whose name ends in ``.mscope``.
        force: replace an existing file.
        checkpoints: pack the checkpoints, too, that ``log_file`` kept in the runs.

    Raises:
        RunNotFoundError: a path is no directory, or has no run.
        ArchiveError: ``target`` has another ending, exists, or there are too many files.
        OSError: a file can't be read or written.
    """
    archive = Path(target)
    if archive.suffix != SUFFIX:
        raise ArchiveError(f"{archive} does not end in {SUFFIX}, by which mindscope recognizes archives: rename it")
    if not archive.parent.is_dir():
        raise ArchiveError(f"{archive.parent} is no directory, so {archive.name} can't be written: create it first")
    if not force and os.path.lexists(archive):
        raise ArchiveError(f"{archive} exists already: choose another name, or replace it with --force")
    found = [_find(directory_of(path)) for path in paths]
    base = _common_base([(Path(finder.base), discovery) for finder, discovery in found])
    runs = {run.path: run for _, discovery in found for run in discovery.runs.values()}
    problems = [str(unreadable) for _, discovery in found for unreadable in discovery.unreadable]
    runs = _with_files(runs, problems)
    directories = {str(path) for path in runs}
    files = list(dict.fromkeys(file for run in runs.values() for file in _files_of(run, directories, checkpoints)))
    if len(files) > MOST_ENTRIES - 1:
        raise ArchiveError(f"the runs have {len(files):,} files, more than {MOST_ENTRIES - 1:,}: pack some of them")
    ids = tuple(sorted(path.relative_to(base).as_posix() for path in runs))
    with _complete(archive, force) as out:
        written = _write(out, base, files, ids, problems)
    return PackReport(archive, ids, written, archive.stat().st_size, tuple(problems))


def _with_files(runs: Mapping[Path, FoundRun], problems: list[str]) -> dict[Path, FoundRun]:
    """Return the runs that have files for themselves, and note the others. Raises ArchiveError if there are none."""
    packed, shared = dict[Path, FoundRun](), Counter[str]()
    for path, run in runs.items():
        owner = next((owner for file in run.files if (owner := shared_file(file.path))), None)
        if owner is None:
            packed[path] = run
        else:
            shared[owner] += 1
    left = [Reason("runs_not_packed", file=owner, count=count) for owner, count in shared.items()]
    if not packed:
        raise ArchiveError(left[0])
    problems += left
    return packed


def _find(directory: Path) -> tuple[Finder, Discovery]:
    finder = Finder(directory)
    discovery = finder.find()
    if not discovery.runs:
        raise RunNotFoundError(f"{directory} holds no run at any depth: looked for {LOOKED_FOR}")
    return finder, discovery


def _common_base(found: Sequence[tuple[Path, Discovery]]) -> Path:
    if len(found) == 1 and "." not in found[0][1].runs:
        return found[0][0]
    return Path(os.path.commonpath([path.parent for path, _ in found]))


def _files_of(run: FoundRun, paths: AbstractSet[str], checkpoints: bool) -> Iterator[Path]:
    """Yield all files of a run that mindscope shows, of checkpoints only if they are wanted."""
    yield from (Path(file.path) for file in run.files)
    yield from (Path(file.path) for file in run.settings)
    failures = find_failures(run.path, has_beside=False)
    for path in (*map(Path, run.content_paths), *failures.running_data, *failures.flight_records):
        yield from _files_below(path)
    with suppress(OSError):
        yield from find_logs(run.path, paths)
    yield from _kept_files(run.path, checkpoints)


def _kept_files(run: Path, checkpoints: bool) -> Iterator[Path]:
    """Yield what the recorder kept, and the list of it, which names the checkpoints in any case."""
    files = recorded_files(run)
    if files:
        yield run / DIRECTORY / LIST_NAME
    yield from (run / file.path for file in files if not file.left_out and (checkpoints or file.kind != "checkpoint"))


def _files_below(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for directory, directories, names in os.walk(path):
        directories.sort()
        yield from (Path(directory, name) for name in sorted(names))


@contextlib.contextmanager
def _complete(target: Path, force: bool) -> Generator[BinaryIO]:
    """Yield a new file that gets the name ``target`` in the end; a process that is killed leaves none of this name."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}-", suffix=".part", dir=target.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        unfinished.chmod(0o666 & ~mask)
        if force:
            unfinished.replace(target)
        else:
            _link(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _link(unfinished: Path, target: Path) -> None:
    try:
        os.link(unfinished, target)
    except FileExistsError:
        raise ArchiveError(f"{target} exists already: choose another name, or replace it with --force") from None
    except OSError:  # a file system without links
        unfinished.replace(target)


def _write(out: BinaryIO, base: Path, files: Iterable[Path], runs: Sequence[str], problems: list[str]) -> int:
    count = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        about = {"format": 1, "program": f"mindscope {VERSION}", "runs": runs}
        archive.writestr(zipfile.ZipInfo(ABOUT, _date(time.time())), json.dumps(about))
        for path in files:
            try:
                _add(archive, path, path.relative_to(base).as_posix())
            except (UnicodeEncodeError, ValueError) as error:
                problems.append(f"{path!r} is left out: {error}")
            else:
                count += 1
    return count


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    """Add a regular file, up to its size now. Raises OSError, ValueError for what is no regular file."""
    name.encode()
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode):
        raise ValueError("it is no regular file")
    with open_file(path) as file:
        info = zipfile.ZipInfo(name, _date(state.st_mtime))
        info.extra = times_field(state.st_mtime)
        info.external_attr = (stat.S_IFREG | stat.S_IMODE(state.st_mode)) << 16
        info.file_size = state.st_size  # decides whether the entry needs the fields of large files
        left = state.st_size
        with archive.open(info, "w") as entry:
            while left and (chunk := file.read(min(_CHUNK_BYTES, left))):
                entry.write(chunk)
                left -= len(chunk)


def _date(modified_at: float) -> tuple[int, int, int, int, int, int]:
    local = time.localtime(max(0.0, modified_at))
    date = (local.tm_year, local.tm_mon, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec)
    return min(max(date, _FIRST), _LAST)
