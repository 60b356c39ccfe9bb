# SPDX-License-Identifier: Apache-2.0
"""Reads the index of an archive, and refuses one that ``mindscope pack`` does not write."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mindscope.errors import ArchiveError

MOST_ENTRIES = 250_000
"""Files of an archive: each takes about a kilobyte of memory while the index is read."""
MOST_INDEX_BYTES = 64 << 20
_END, _WIDE_END, _LOCATOR, _LOCAL = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x03\x04"
_LOCAL_BYTES = 30
_IN_WIDE = (0xFFFF, 0xFFFFFFFF)
"""Numbers of the end that stand in the end for large files."""
_ENCRYPTED = 0x1
_TIMES = 0x5455
"""The number of the extra field with the time of the last change, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive: ``size`` bytes from byte ``start``, not compressed; ``modified_at`` is in seconds."""

    name: str
    start: int
    size: int
    checksum: int
    modified_at: int
    mode: int


def read_index(path: Path) -> tuple[Entry, ...]:
    """Return the files of an archive.

    Raises ArchiveError for a file that is no ZIP archive or is cut, and for entries that are compressed, encrypted,
    links, two of one name, outside of their directory, or that share bytes. Raises OSError if it can't be read.
    """
    with path.open("rb") as file:
        _check_size(path, file)
        try:
            with zipfile.ZipFile(file) as archive:
                infos = [info for info in archive.infolist() if not info.is_dir()]
        except (zipfile.BadZipFile, NotImplementedError, struct.error, UnicodeDecodeError, ValueError) as error:
            raise ArchiveError(f"{path} is damaged: {error}; copy or pack it again") from error
        entries = tuple(_entry(path, file, info) for info in infos)
    _check_names(path, [entry.name for entry in entries])
    _check_ranges(path, entries)
    return entries


def _check_size(path: Path, file: BinaryIO) -> None:
    """Refuse an index that takes much memory, before it is read."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 22))
    record = file.read(22)
    if record[:4] != _END or len(record) < 22:
        raise ArchiveError(f"{path} has no index at its end: it is cut, or no archive of mindscope; copy it again")
    count, size = struct.unpack("<HI", record[10:16])
    if count in _IN_WIDE or size in _IN_WIDE:
        file.seek(max(0, end - 42))
        locator = file.read(20)
        if locator[:4] != _LOCATOR:
            raise ArchiveError(f"{path} is damaged: the index of a large archive is missing; copy it again")
        file.seek(min(struct.unpack("<Q", locator[8:16])[0], end))
        wide = file.read(56)
        if wide[:4] != _WIDE_END or len(wide) < 56:
            raise ArchiveError(f"{path} is damaged: the index of a large archive is missing; copy it again")
        count, size = struct.unpack("<QQ", wide[32:48])
    if count > MOST_ENTRIES or size > MOST_INDEX_BYTES:
        raise ArchiveError(
            f"{path} has {count:,} files in an index of {size:,} bytes, more than {MOST_ENTRIES:,} or "
            f"{MOST_INDEX_BYTES:,}: pack its runs into several archives"
        )


def _entry(path: Path, file: BinaryIO, info: zipfile.ZipInfo) -> Entry:
    mode = info.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise _refused(path, info.filename, "is a link or a device")
    if info.flag_bits & _ENCRYPTED:
        raise _refused(path, info.filename, "is encrypted")
    if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size:
        raise _refused(path, info.filename, "is compressed")
    file.seek(info.header_offset)
    head = file.read(_LOCAL_BYTES)
    if len(head) < _LOCAL_BYTES or head[:4] != _LOCAL:
        raise _refused(path, info.filename, "has no header")
    start = info.header_offset + _LOCAL_BYTES + sum(struct.unpack("<HH", head[26:30]))
    modified_at = next((time for time in _times(info.extra)), 0)
    return Entry(info.filename, start, info.file_size, info.CRC, modified_at, stat.S_IMODE(mode) & 0o777)


def _times(extra: bytes) -> Iterator[int]:
    while len(extra) >= 4:
        number, size = struct.unpack("<HH", extra[:4])
        if number == _TIMES and size >= 5 and len(extra) >= 9:
            yield int(struct.unpack("<I", extra[5:9])[0])
        extra = extra[4 + size :]


def times_field(modified_at: float) -> bytes:
    """Return the extra field with the time of the last change, which other programs read too."""
    seconds = min(max(int(modified_at), 0), 0xFFFFFFFF)
    return struct.pack("<HHBI", _TIMES, 5, 1, seconds)


def _check_names(path: Path, names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise _refused(path, Counter(names).most_common(1)[0][0], "is there twice")
    directories: set[str] = set()
    for name in names:
        parts = name.split("/")
        if not name or "\\" in name or "\0" in name or any(part in ("", ".", "..") or len(part.encode()) > 255
                                                           for part in parts):  # fmt: skip
            raise _refused(path, name, "has a name that leads elsewhere")
        directories.update("/".join(parts[:count]) for count in range(1, len(parts)))
    if clash := directories.intersection(names):
        raise _refused(path, min(clash), "is a file and a directory")


def _check_ranges(path: Path, entries: tuple[Entry, ...]) -> None:
    end, size = 0, path.stat().st_size
    for entry in sorted(entries, key=lambda entry: (entry.start, entry.size)):
        if entry.start < end:
            raise _refused(path, entry.name, "shares bytes with another file")
        end = entry.start + entry.size
        if end > size:
            raise _refused(path, entry.name, "ends after the archive")


def _refused(path: Path, name: str, why: str) -> ArchiveError:
    return ArchiveError(f"{path}: {name!r} {why}, which `mindscope pack` does not write; pack the runs again")
