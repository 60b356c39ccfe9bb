# SPDX-License-Identifier: Apache-2.0
"""Cursors: a client names the rows that it has, and the server sends only new rows.

A cursor is ``rows-fingerprint``, both in hexadecimal: a number of rows and a 64-bit hash of their contents. It matches
if that number of first rows of the new response has the same hash, even after a restart of the viewer. If the last rows
are of a bucket that may still grow, ``.rows-fingerprint`` follows for the rows before them.
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
    counts = [rows] if settled is None or settled == rows else [rows, settled]
    return ".".join(_mark(columns, count) for count in counts)


def kept_rows(columns: Sequence[Column], since: str | None) -> int:
    """Return the number of first rows that the client with the cursor ``since`` has; 0 if its rows differ."""
    if since is None or CURSOR.fullmatch(since) is None:
        return 0
    for mark in since.split("."):
        rows = int(mark.split("-")[0], 16)
        if 0 < rows <= columns[0].size and _mark(columns, rows) == mark:
            return rows
    return 0


def _mark(columns: Sequence[Column], rows: int) -> str:
    state = len(columns)
    for column in columns:
        state = fingerprint(np.ascontiguousarray(column[:rows]).view(np.uint8), state)
    return f"{rows:x}-{state:016x}"
