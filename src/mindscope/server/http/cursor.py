# SPDX-License-Identifier: Apache-2.0
"""Cursors: a client names the rows that it has, and the server sends only new rows.

A cursor is ``rows-fingerprint``, both in hexadecimal: a number of rows and a 64-bit hash of their contents. It matches
if that number of first rows of the new response has the same hash, even after a restart of the viewer. If the last rows
are of a bucket that may still grow, ``.rows-fingerprint`` follows for the rows before them, and the first hash
continues from that one, so that all rows are read once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.stats import fingerprint

Column = NDArray[np.generic]
CURSOR = re.compile("[0-9a-f]{1,12}-[0-9a-f]{16}([.][0-9a-f]{1,12}-[0-9a-f]{16})?", re.ASCII)


def cursor_of(columns: Sequence[Column], settled: int | None = None) -> str:
    """Return the cursor of rows, columns of one length. The first ``settled`` rows will not change (None: all)."""
    rows = columns[0].size
    if settled is None or settled == rows:
        return _mark(rows, _hash(columns, 0, rows, len(columns)))
    settled_hash = _hash(columns, 0, settled, len(columns))
    return f"{_mark(rows, _hash(columns, settled, rows, settled_hash))}.{_mark(settled, settled_hash)}"


def kept_rows(columns: Sequence[Column], since: str | None) -> int:
    """Return the number of first rows that the client with the cursor ``since`` has; 0 if its rows differ."""
    if since is None or CURSOR.fullmatch(since) is None:
        return 0
    kept, state = 0, len(columns)
    for mark in reversed(since.split(".")):
        rows = int(mark.split("-")[0], 16)
        if not kept <= rows <= columns[0].size:
            break
        state = _hash(columns, kept, rows, state)
        if _mark(rows, state) != mark:
            break
        kept = rows
    return kept


def _hash(columns: Sequence[Column], start: int, stop: int, state: int) -> int:
    for column in columns:
        state = fingerprint(np.ascontiguousarray(column[start:stop]).view(np.uint8), state)
    return state


def _mark(rows: int, state: int) -> str:
    return f"{rows:x}-{state:016x}"
