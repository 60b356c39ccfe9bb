# SPDX-License-Identifier: Apache-2.0
"""Cursors: how a client says which rows it has, so that only new ones are sent.

A cursor is ``rows-fingerprint``, both in hexadecimal: a number of rows and 64 bits made of their contents. It fits when
the first so many rows of the new answer have that fingerprint, whatever happened to the viewer or the log meanwhile.
Where the last rows are those of a bucket that is still being filled, ``.rows-fingerprint`` follows for the rows before.
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
    """The cursor of these rows; the columns are of one length. The first ``settled`` of them will stay (None: all)."""
    rows = columns[0].size
    counts = [rows] if settled is None or settled == rows else [rows, settled]
    return ".".join(_mark(columns, count) for count in counts)


def kept_rows(columns: Sequence[Column], since: str | None) -> int:
    """How many of the first rows the sender of ``since`` has; 0 when it has others, or none."""
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
