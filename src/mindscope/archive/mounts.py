# SPDX-License-Identifier: Apache-2.0
"""Opens archives: a directory in the cache of the user mirrors one, and its event files are ranges of the archive.

Each file of the directory has the size, the mode and the time of the one that was packed, so that runs are found and
followed as anywhere else. An event file is a hole without bytes: ``open_file`` reads its range of the archive. Other
files are copied when the archive is opened, since their readers need files of their own, for example to map them.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Callable
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from mindscope.archive.index import Entry, read_index
from mindscope.archive.names import SUFFIX
from mindscope.archive.range_file import RangeFile
from mindscope.errors import ArchiveError
from mindscope.kept_directories import cache_directory, use

KIND = "archives"
"""Name of the directory in the cache of the user with a directory for each opened archive."""
_NAME_LENGTH = 32
"""Characters of the name of an archive in that of its directory."""
_CHUNK_BYTES = 1 << 20
_STALE = 116  # ESTALE


class _Range(NamedTuple):
    archive: str
    start: int
    size: int
    identity: tuple[int, int, int]


_ranges: dict[str, _Range] = {}  # by path in the directory


def mount(path: str | os.PathLike[str], is_read_in_place: Callable[[str, bytes], bool], head_bytes: int) -> Path:
    """Return a directory that mirrors an archive.

    The directory stays in the cache of the user, for the next opening.

    Args:
        path: the archive.
        is_read_in_place: says by the name and the first bytes of a file whether ``open_file`` reads it.
        head_bytes: number of these bytes.

    Raises:
        ArchiveError: the archive is damaged, ``mindscope pack`` did not write it, or the cache can't be written.
        OSError: it can't be read.
    """
    archive = Path(path).resolve()
    state = archive.stat()
    entries = read_index(archive)
    identity = (state.st_dev, state.st_ino, state.st_mtime_ns)
    digest = sha256("\n".join(map(repr, entries)).encode())
    directory = cache_directory(KIND) / f"{archive.name.removesuffix(SUFFIX)[:_NAME_LENGTH]}-{digest.hexdigest()[:16]}"
    try:
        use(directory)
        with archive.open("rb", buffering=0) as file:
            for entry in entries:
                target = directory / entry.name
                file.seek(entry.start)
                is_range = is_read_in_place(target.name, file.read(min(head_bytes, entry.size)))
                if is_range:
                    _ranges[str(target)] = _Range(str(archive), entry.start, entry.size, identity)
                _make(archive, entry, target, copies=not is_range)
    except ArchiveError:
        raise
    except OSError as error:
        raise ArchiveError(
            f"{archive} can't be opened in {directory.parent}: {error.strerror}; make room, or set "
            "XDG_CACHE_HOME to another directory"
        ) from error
    return directory


def open_file(path: str | os.PathLike[str]) -> FileIO:
    """Open an event file to read, which may be a range of an archive. Raises OSError."""
    file_range = _ranges.get(os.fspath(path)) if _ranges else None
    if file_range is None:
        return FileIO(path)
    file = RangeFile(file_range.archive, file_range.start, file_range.size)
    state = os.fstat(file.fileno())
    if (state.st_dev, state.st_ino, state.st_mtime_ns) != file_range.identity:
        file.close()
        raise OSError(_STALE, "the archive was replaced; open it again", file_range.archive)
    return file


def open_again(file: FileIO) -> FileIO:
    """Open the file of ``file`` once more, with a position of its own. Raises OSError."""
    return file.again() if isinstance(file, RangeFile) else FileIO(file.name)


def located(path: str | os.PathLike[str], offset: int) -> tuple[Path, int]:
    """Return the file that has the byte ``offset`` of an event file, and the byte there: for other processes."""
    file_range = _ranges.get(os.fspath(path)) if _ranges else None
    return (Path(path), offset) if file_range is None else (Path(file_range.archive), file_range.start + offset)


def _make(archive: Path, entry: Entry, target: Path, *, copies: bool) -> None:
    """Make the file of an entry, unless it is there; a process that ends within leaves none."""
    try:
        if target.lstat().st_size == entry.size:
            return
    except FileNotFoundError:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, unfinished = tempfile.mkstemp(prefix=".part-", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if copies:
                _copy(archive, entry, file.write)
            else:
                file.truncate(entry.size)
        os.utime(unfinished, (entry.modified_at, entry.modified_at))
        Path(unfinished).chmod((entry.mode or 0o600) & 0o755 | 0o400)
        Path(unfinished).replace(target)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


def _copy(archive: Path, entry: Entry, write: Callable[[bytes], object]) -> None:
    checksum = 0
    with RangeFile(archive, entry.start, entry.size) as file:
        while chunk := file.read(_CHUNK_BYTES):
            checksum = zlib.crc32(chunk, checksum)
            write(chunk)
    if checksum != entry.checksum:
        raise ArchiveError(f"{archive} is damaged: {entry.name!r} has other bytes than were packed; copy it again")
