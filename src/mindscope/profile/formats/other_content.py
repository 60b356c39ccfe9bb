# SPDX-License-Identifier: Apache-2.0
"""Says what a file is that no format recognizes, and how to make a profile of it."""

from __future__ import annotations

import codecs
import zlib
from pathlib import Path

from mindscope.formats.json_trace_files import SUFFIXES
from mindscope.profile.formats.sqlite_file import is_sqlite, journal_of
from mindscope.profile.formats.torch_exports import torch_export

_HEAD = 1 << 12
_GZIP = b"\x1f\x8b"
_ARCHIVE = "is {}: extract it, and open the extracted file or directory"
_BEGINNINGS = (
    (b"PK\x03\x04", _ARCHIVE.format("a zip archive")),
    (b"BZh", _ARCHIVE.format("compressed with bzip2")),
    (b"\xfd7zXZ\x00", _ARCHIVE.format("compressed with xz")),
    (b"\x28\xb5\x2f\xfd", _ARCHIVE.format("compressed with zstd")),
    (b"7z\xbc\xaf\x27\x1c", _ARCHIVE.format("a 7z archive")),
    (b"version https://git-lfs", "is a pointer of Git LFS: run 'git lfs pull' to get the file itself"),
)
_TAR, _TAR_AT = b"ustar", 257
_NSIGHT = (".nsys-rep", ".qdrep")
_TEXTS = (  # the longer marks first: that of UTF-32 begins as that of UTF-16
    (codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"), (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"), (b"{\x00\x00\x00", "UTF-32"), (b"\x00\x00\x00{", "UTF-32"), (b"{\x00", "UTF-16"),
    (b"\x00{", "UTF-16"), (b"[\x00", "UTF-16"), (b"\x00[", "UTF-16"),
)  # fmt: skip


def other_content(path: Path) -> str:
    """Return what a file is instead of a profile, and the remedy; empty if that is unknown, or if it is no file.

    Raises:
        OSError: it can't be read.
    """
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    found = _of_name(path) or _of_beginning(path, head) or torch_export(path.name, head) or _of_text(path, head)
    return f"{path} is no profile: it {found}" if found else ""


def _of_name(path: Path) -> str:
    if path.name.endswith(_NSIGHT):
        return f"is a report of Nsight Systems: run 'nsys export --type sqlite {path.name}', and open what it writes"
    return ""


def _of_beginning(path: Path, head: bytes) -> str:
    if not head:
        return "is empty: its profiler did not end, or it was copied before it ended"
    if head.startswith(_GZIP):
        return _of_gzip(path, head)
    if head[_TAR_AT:].startswith(_TAR):
        return _ARCHIVE.format("a tar archive")
    if is_sqlite(path):
        journal = journal_of(path)
        if journal is None:
            return "is a SQLite database without the tables of a profile"
        return f"has no tables of a profile, but {journal.name} holds changes of it: end the program that writes it"
    return next((text for beginning, text in _BEGINNINGS if head.startswith(beginning)), "")


def _of_gzip(path: Path, head: bytes) -> str:
    try:
        inner = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
    except zlib.error:
        return "begins as gzip and can't be decompressed: copy it again"
    if inner.startswith(_GZIP):
        return "is compressed with gzip twice: decompress it once with 'gzip -d'"
    if inner[_TAR_AT:].startswith(_TAR):
        return _ARCHIVE.format("a tar archive")
    return torch_export(path.name.removesuffix(".gz"), inner) or _of_text(path, inner)


def _of_text(path: Path, head: bytes) -> str:
    for mark, encoding in _TEXTS:
        if head.startswith(mark):
            name = path.name.removesuffix(".gz")
            return f"is {encoding} text, want UTF-8: convert it with 'iconv -f {encoding} -t UTF-8 {name}'"
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if text[:1] == b"<":
        return "is a web page, as of a download that needs a login: download it again"
    if text[:1] in (b"{", b"["):
        if path.name.endswith(SUFFIXES):
            return "is JSON without traceEvents and without a list of events: it is no trace"
        return f"begins as JSON, but its name ends in none of {', '.join(SUFFIXES)}: rename it"
    return ""
