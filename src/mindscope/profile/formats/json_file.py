# SPDX-License-Identifier: Apache-2.0
"""The beginning of a JSON file, which may be compressed with gzip."""

from __future__ import annotations

import zlib
from pathlib import Path

_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
SUFFIXES = (".json", ".json.gz")
"""Of the names of JSON traces."""


def json_head(path: Path) -> bytes:
    """The first 64 KiB of the JSON text of a file; empty if it is no file that is named so, or not such text.

    Raises:
        OSError: the file can't be read.
    """
    if not path.name.endswith(SUFFIXES) or not path.is_file():
        return b""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD)
        except zlib.error:
            return b""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text if text[:1] in (b"{", b"[") else b""


def json_tail(path: Path) -> bytes:
    """The last 64 KiB of a JSON file; empty if it is compressed. Raises OSError."""
    with path.open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            return b""
        file.seek(max(0, path.stat().st_size - _HEAD))
        return file.read(_HEAD)


def bare_name(path: Path) -> str:
    """The name of a file without what all traces end in."""
    name = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".trace").removesuffix(".pt")
    return name or path.name
