# SPDX-License-Identifier: Apache-2.0
"""Reads the arguments of single events out of a JSON trace, also a compressed one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, cast

from mindscope.profile.trace.gzip_text import GZIP, Unzip
from mindscope.profile.trace.trace_file import trace_file_of

_BLOCK = 1 << 20
_MARK_EVERY = 32 << 20
"""Decompressed bytes between two states that are kept, 40 kB each."""
MOST_BYTES = 16 << 20
"""Largest size of the arguments of one event."""


class ArgumentReader(Protocol):
    """The arguments of slices by ``args_offset`` and ``args_size`` of a timeline. For one thread at a time."""

    def read(self, offset: int, size: int) -> dict[str, Any]:
        """Return the arguments of a slice; empty if it has none.

        Raises FormatError or OSError if they can't be read.
        """
        ...

    def read_all(self, locations: Iterable[tuple[int, int]]) -> Iterator[dict[str, Any]]:
        """Return the arguments at each of ``locations`` (offset, size), whose offsets ascend.

        Raises FormatError, OSError.
        """
        ...


class ArgumentFile:
    """The texts of arguments in a trace, by where they are in the decompressed file. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        """``path`` of a profile. Raises OSError if its trace can't be read."""
        self._path = trace_file_of(path) or Path(os.devnull)
        with self._path.open("rb") as file:
            self._is_gzip = file.read(2) == GZIP
        self._states: list[tuple[int, int, Unzip]] = [(0, 0, Unzip())]

    def read(self, offset: int, size: int) -> dict[str, Any]:
        """Return the arguments at an offset; empty if there are none, or if they are no JSON object."""
        return next(iter(self.read_all([(offset, size)])))

    def read_all(self, locations: Iterable[tuple[int, int]]) -> Iterator[dict[str, Any]]:
        """Yield the arguments at each of ``locations`` (offset, size), whose offsets ascend.

        Raises OSError if the file can't be read.
        """
        reader = self._gzip_texts(locations) if self._is_gzip else self._texts(locations)
        for text in reader:
            yield _parsed(text)

    def _texts(self, locations: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        with self._path.open("rb", buffering=_BLOCK) as file:
            for offset, size in locations:
                if offset >= 0:
                    file.seek(offset)
                yield file.read(min(size, MOST_BYTES)) if offset >= 0 else b""

    def _gzip_texts(self, locations: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        buffer, position, blocks = b"", -1, iter(())
        for offset, size in locations:
            if offset < 0:
                yield b""
                continue
            if position < 0 or offset < position:
                position, blocks = self._from_state(offset)
                buffer = b""
            end = offset + min(size, MOST_BYTES)
            while position + len(buffer) < end:
                skipped = min(len(buffer), offset - position)
                position, buffer = position + skipped, buffer[skipped:]
                block = next(blocks, b"")
                if not block:
                    break
                buffer += block
            yield buffer[offset - position : end - position]

    def _from_state(self, offset: int) -> tuple[int, Iterator[bytes]]:
        found = max(state for state in range(len(self._states)) if self._states[state][0] <= offset)
        position, compressed, _ = self._states[found]
        return position, self._blocks(found, position, compressed)

    def _blocks(self, state: int, position: int, compressed: int) -> Iterator[bytes]:
        unzip = self._states[state][2].copy()
        with self._path.open("rb") as file:
            file.seek(compressed)
            while not unzip.is_over and (block := file.read(_BLOCK)):
                compressed += len(block)
                for text in unzip.texts(block, _MARK_EVERY):
                    position += len(text)
                    yield text
                if position >= self._states[-1][0] + _MARK_EVERY:
                    self._states.append((position, compressed, unzip.copy()))


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        found: Any = json.loads(text.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
