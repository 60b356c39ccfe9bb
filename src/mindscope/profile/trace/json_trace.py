# SPDX-License-Identifier: Apache-2.0
"""Reads JSON traces: PyTorch's (Kineto), those of MindSpore and Ascend, and any other in the format of Chrome.

A file is a list of events, or an object that holds one under ``traceEvents``. It is read once, block by block, so that
memory does not grow with the arguments of the events.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from gzip import BadGzipFile
from pathlib import Path
from typing import IO, Any, Protocol, cast, runtime_checkable

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.trace._trace_events import EventReader
from mindscope.profile.trace.arguments import ArgumentFile
from mindscope.profile.trace.far_times import without_far_times
from mindscope.profile.trace.gzip_text import GZIP, Unzip
from mindscope.profile.trace.pairs import with_pairs
from mindscope.profile.trace.repeated_events import without_repeated
from mindscope.profile.trace.trace import Events, Skipped, Slices, Trace, in_files
from mindscope.profile.trace.tracks import named_tracks, text_of
from mindscope.reasons import Reason
from mindscope.store.mapped_columns import mapped

BLOCK = 4 << 20
_GZIP_BLOCK = 1 << 18
"""Bytes of a compressed file, which holds many times as much text. Progress and previews come between blocks."""
_MOST_PROPERTIES = 64 << 20
"""Bytes before and after the events."""
_EVENTS = re.compile(rb'(?<!\\)"traceEvents"\s*:\s*\[')
_OWN_NAMES = {"problems": "problems in the file"}
"""Fields of a file that readers of profiles use for something else."""
_KNOWN = re.compile(
    rb'"(baseTimeNanoseconds|schemaVersion|displayTimeUnit|traceName)"\s*:\s*("(?:[^"\\]|\\.)*"|-?[\d.]+)'
)


@runtime_checkable
class TraceFollower(Protocol):
    """A callback of progress that also looks at what is read so far."""

    def __call__(self, read: int, /) -> None:
        """Called with the bytes of the file that are read, after each block."""
        ...

    def wants_trace(self) -> bool:
        """Return whether it wants a trace now."""
        ...

    def show_trace(self, trace: Trace) -> None:
        """Called with the events that are read so far, if it wants them."""
        ...


def read_json_trace(path: Path, on_progress: Callable[[int], None] | None = None) -> Trace:
    """Return the trace of a file, which may be compressed with gzip.

    Args:
        path: the file.
        on_progress: called with the bytes of the file that are read, after each block; it may be a TraceFollower.

    Raises:
        FormatError: it has no list of events, or the bytes are not those of gzip.
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        blocks = decompressed_blocks(file, on_progress)
        try:
            return _read(path, blocks, on_progress if isinstance(on_progress, TraceFollower) else None)
        except BadGzipFile as error:
            raise FormatError(Reason("profile_gzip_damaged", file=str(path), detail=str(error))) from error
        except _NoEventsError as error:
            raise FormatError(Reason(error.code, file=str(path), **error.values)) from error


class _NoEventsError(Exception):
    """``code`` and ``values`` are those of the reason, without the name of the file."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(code)
        self.code, self.values = code, values


def _read(path: Path, blocks: Iterator[bytes], follower: TraceFollower | None) -> Trace:
    front, data, offset = _front(blocks)
    found = _Found(EventReader(), path)
    reader = found.reader
    for block in blocks:
        used = reader.feed(data, offset, False)
        offset += used
        data = data[used:] + block
        if reader.is_finished:
            break
        if follower and follower.wants_trace():
            found.take()
            follower.show_trace(found.trace(_properties(front, b""), is_whole=True))
    if not reader.is_finished:
        used = reader.feed(data, offset, True)
        data = data[used:]
    behind = _collected(data, blocks)
    properties = _properties(front, behind)
    found.take()
    return found.trace(properties, is_whole=reader.is_finished)


def _front(blocks: Iterator[bytes]) -> tuple[bytes, bytes, int]:
    """Return what precedes the events, the rest of the blocks that were read, and where it begins in the file."""
    data = b""
    for block in blocks:
        data += block
        text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
        if text[:1] == b"[":
            start = data.index(b"[") + 1
            return b"", data[start:], start
        if text and text[:1] != b"{":
            raise _NoEventsError("profile_other_json", start=repr(text[:20]))
        found = _EVENTS.search(data)
        if found:
            return data[: found.start()], data[found.end() :], found.end()
        if len(data) > _MOST_PROPERTIES:
            break
    raise _NoEventsError("profile_without_events" if data else "profile_empty")


def _collected(data: bytes, blocks: Iterator[bytes]) -> bytes:
    parts, size = [data], len(data)
    for block in blocks:
        size += len(block)
        if size <= _MOST_PROPERTIES:
            parts.append(block)
    return b"".join(parts)


def _properties(front: bytes, behind: bytes) -> dict[str, Any]:
    """Return the fields around the events; those that JSON's syntax lets be found, where a part of them breaks it."""
    front, behind = front.removeprefix(b"\xef\xbb\xbf").strip().rstrip(b","), behind.strip().lstrip(b",").strip()
    for text in (front + (b"," if len(front) > 1 and len(behind) > 1 else b"") + behind, front + b"}"):
        try:
            found = json.loads(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return cast("dict[str, Any]", found)
    known: dict[str, Any] = {}
    for match in _KNOWN.finditer(front + behind):
        with suppress(ValueError):
            known[match[1].decode()] = json.loads(match[2].decode("utf-8", "replace"), strict=False)
    return known


class _Found:
    """The columns that were taken from a reader, in pieces."""

    def __init__(self, reader: EventReader, path: Path) -> None:
        self.reader, self._path = reader, path
        self._slices: list[list[Any]] = []
        self._events: list[list[Any]] = []

    def take(self) -> None:
        """Take what the reader has found since the last time."""
        self._slices = [_joined([*self._slices, self.reader.slices()])]
        self._events = [_joined([*self._events, self.reader.events()])]

    def trace(self, properties: dict[str, Any], *, is_whole: bool) -> Trace:
        """Return the trace of what was taken."""
        reader = self.reader
        skipped = {reason: Skipped(*found) for reason, found in reader.skipped.items()}
        slices = Slices(*_in_order(Slices, self._slices[0], "start duration args_offset name category track args_size"))
        events = Events(*_in_order(Events, self._events[0], "time args_offset id name category track args_size phase"))
        slices, events, far = without_far_times(slices, events)
        slices, events, unpaired = with_pairs(slices, events)
        slices, events, repeated = without_repeated(slices, events, ArgumentFile(self._path))
        slices, events = in_files(slices), in_files(events)
        lost = far | unpaired | repeated
        base = properties.get("baseTimeNanoseconds")
        properties = {_OWN_NAMES.get(name, name): value for name, value in properties.items()}
        return Trace(
            slices=slices,
            events=events,
            names=[text_of(name) for name in reader.names],
            categories=[text_of(name) for name in reader.categories],
            tracks=named_tracks(reader.tracks, reader.metadata),
            origin_ns=base if isinstance(base, int) else None,
            properties={**properties, "isWhole": is_whole},
            read=reader.read - sum(each.count for each in lost.values()),
            skipped=skipped | lost,
        )


def _joined(pieces: list[list[Any]]) -> list[Any]:
    """Return columns one after the other, in files if they are large; the pieces are given up column by column."""
    joined: list[Any] = []
    for column in range(len(pieces[0])):
        values = [piece[column] for piece in pieces]
        for piece in pieces:
            piece[column] = None
        joined.append(mapped(values[0] if len(values) == 1 else np.concatenate(values)))
        del values
    return joined


def _in_order(columns: type[Any], arrays: list[Any], names: str) -> list[Any]:
    by_name = dict(zip(names.split(), arrays, strict=True))
    return [by_name[field.name] for field in fields(columns)]


def decompressed_blocks(file: IO[bytes], on_progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed if it is gzip; a gzip that breaks off or is damaged ends there.

    Raises:
        BadGzipFile: the bytes are not those of gzip.
    """
    unzip = Unzip() if file.read(2) == GZIP else None
    file.seek(0)
    while block := file.read(BLOCK if unzip is None else _GZIP_BLOCK):
        if unzip is None:
            yield block
        else:
            yield from unzip.texts(block, 4 * BLOCK)
        if on_progress:
            on_progress(file.tell())
        if unzip is not None and unzip.is_over:
            return
