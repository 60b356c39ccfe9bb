# SPDX-License-Identifier: Apache-2.0
"""Cursors: how a client says which rows it has, so that only new ones are sent.

A cursor is ``rows-fingerprint``, both in hexadecimal: a number of rows and 64 bits made of their contents. It fits when
the first so many rows of the new answer have that fingerprint, whatever happened to the viewer or the log meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.stats import fingerprint

Column = NDArray[np.generic]
CURSOR = re.compile("([0-9a-f]{1,12})-([0-9a-f]{16})", re.ASCII)


def cursor_of(columns: Sequence[Column]) -> str:
    """The cursor of these rows; the columns are of one length."""
    state = len(columns)
    for column in columns:
        state = fingerprint(np.ascontiguousarray(column).view(np.uint8), state)
    return f"{columns[0].size:x}-{state:016x}"


def kept_rows(columns: Sequence[Column], since: str | None) -> int:
    """How many of the first rows the sender of ``since`` has; 0 when it has others, or none."""
    match = CURSOR.fullmatch(since or "")
    rows = int(match[1], 16) if match else 0
    fits = 0 < rows <= columns[0].size and cursor_of([column[:rows] for column in columns]) == since
    return rows if fits else 0
