# SPDX-License-Identifier: Apache-2.0
"""Indexes of logs as files of a cache: three columns and what to continue from."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mindscope.debug.logs.columns import FileColumn, GrowingColumn

_VERSION = 7
_STATE = ".logindex"
_DTYPES = {"start": "<i8", "time": "<i8", "kind": "<u2"}
Columns = dict[str, GrowingColumn] | dict[str, FileColumn]


def columns_in_memory() -> dict[str, GrowingColumn]:
    """Return empty columns of an index: start, time, kind."""
    return {name: GrowingColumn(dtype) for name, dtype in _DTYPES.items()}


class SavedIndex:
    """The files of the index of one log in ``folder``. Deleting them loses nothing but time."""

    def __init__(self, folder: Path, log: Path) -> None:
        self._base = folder / hashlib.sha256(os.fsencode(log)).hexdigest()[:24]
        self._state = Path(f"{self._base}{_STATE}")

    def open(self) -> tuple[dict[str, FileColumn], dict[str, Any]]:
        """Return the columns and the state; both empty if nothing was saved, or by another version. Raises OSError."""
        try:
            state: dict[str, Any] = json.loads(self._state.read_bytes())
            if state.pop("version") == _VERSION:
                return self._columns(int(state["count"])), state
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return self._columns(0), {}

    def _columns(self, count: int) -> dict[str, FileColumn]:
        self._base.parent.mkdir(parents=True, exist_ok=True)
        return {name: FileColumn(Path(f"{self._base}.log{name}"), dtype, count) for name, dtype in _DTYPES.items()}

    def save(self, state: dict[str, Any]) -> None:
        """Keep what to continue from; the columns are in their files already. Raises OSError."""
        part = Path(f"{self._state}.{secrets.token_hex(4)}.part")
        part.write_text(json.dumps({"version": _VERSION, **state}), "utf-8")
        part.replace(self._state)

    def forget(self) -> None:
        """Delete the files. The columns that are open stay usable."""
        _delete(self._base)


def evict_indexes(folder: Path, limit_bytes: int, in_use: int) -> None:
    """Delete the least recently used indexes until the others take at most ``limit_bytes``.

    The last ``in_use`` stay.
    """
    found = sorted(_saved(folder), reverse=True)
    total = 0
    for position, (_, size, base) in enumerate(found):
        total += size
        if total > limit_bytes and position >= in_use:
            _delete(base)


def _saved(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """List when each index was used, its bytes and the common part of the names of its files."""
    for state in folder.glob(f"*{_STATE}"):
        with suppress(OSError):
            base = state.with_suffix("")
            yield state.stat().st_mtime, sum(Path(f"{base}.log{name}").stat().st_size for name in _DTYPES), base


def _delete(base: Path) -> None:
    for suffix in (_STATE, *(f".log{name}" for name in _DTYPES)):
        with suppress(OSError):
            Path(f"{base}{suffix}").unlink(missing_ok=True)
