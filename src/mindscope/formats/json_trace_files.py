# SPDX-License-Identifier: Apache-2.0
"""Recognizes JSON traces by their content, for all who look for them. They may be compressed with gzip."""

from __future__ import annotations

import re
import zlib
from enum import Enum
from pathlib import Path

_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
SUFFIXES = (".json", ".json.gz")
"""Suffixes of the names of JSON traces."""
TORCH_NAME = ".pt.trace.json"
"""Ending of the names that PyTorch chooses itself."""
_SCHEMA, _EVENTS = b'"schemaVersion"', b'"traceEvents"'
_VERSION = re.compile(rb'"schemaVersion"\s*:\s*\d')
_PHASE = re.compile(rb'"ph"\s*:\s*"[A-Za-z]"')
_LIST = re.compile(rb"\[\s*(\{|\]\s*$)")
"""A list of objects, or an empty one."""
_OF_XLA = "trace.json.gz"


class TraceKind(str, Enum):
    """The writer of a trace: PyTorch, or any program in the format of Chrome."""

    TORCH = "torch"
    CHROME = "chrome"


def trace_kind(path: Path) -> TraceKind | None:
    """Return the kind of trace of a file; None for anything else.

    PyTorch's has a schema version beside its events, or a name that PyTorch chooses. What JAX writes beside a profile
    of XLA is none: it holds the same events, at most a million of them.

    Raises:
        OSError: the file can't be read.
    """
    head = json_head(path)
    if not head:
        return None
    before, events, _ = head.partition(_EVENTS)
    if TORCH_NAME in path.name or _SCHEMA in before or (events and _VERSION.search(_json_tail(path))):
        return TraceKind.TORCH
    if path.name.endswith(_OF_XLA) and next(path.parent.glob("*.xplane.pb"), None) is not None:
        return None
    return TraceKind.CHROME if events or _lists_events(path, head) else None


def _lists_events(path: Path, head: bytes) -> bool:
    """Return whether a file lists events with phases. Of an empty list, only the name says what it would hold."""
    start = _LIST.match(head)
    return start is not None and (_PHASE.search(head) is not None or (start[1] != b"{" and "trace" in path.name))


def json_head(path: Path) -> bytes:
    """Return the first 64 KiB of the JSON text of a file; empty if it is no file that is named so, or not such text.

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


def _json_tail(path: Path) -> bytes:
    """Return the last 64 KiB of a JSON file; empty if it is compressed. Raises OSError."""
    with path.open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            return b""
        file.seek(max(0, path.stat().st_size - _HEAD))
        return file.read(_HEAD)


def bare_name(path: Path) -> str:
    """Return the name of a file without what all traces end in."""
    name = path.name.removesuffix(".gz").removesuffix(".json").removesuffix(".trace").removesuffix(".pt")
    return name or path.name
