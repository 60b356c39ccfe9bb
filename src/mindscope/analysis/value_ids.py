# SPDX-License-Identifier: Apache-2.0
"""Stable ids of single values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.store import ReferenceColumns


def value_ids(references: ReferenceColumns) -> list[str]:
    """Return file, byte and wall time of each value; unique even in a reused directory."""
    moments = _bits(references.wall_time).tolist()
    triples = zip(references.file.tolist(), references.offset.tolist(), moments, strict=True)
    return [f"{file:x}-{offset:x}-{moment:x}" for file, offset, moment in triples]


def row_of(references: ReferenceColumns, id: str) -> int | None:
    """Return the row that ``value_ids`` calls ``id``; None if no value has it."""
    try:
        file, offset, moment = (int(part, 16) for part in id.split("-"))
    except ValueError:
        return None
    rows = np.flatnonzero((references.file == file) & (references.offset == offset))
    matching = [int(row) for row in rows if int(_bits(references.wall_time[row : row + 1])[0]) == moment]
    return matching[0] if matching else None


def _bits(wall_time: NDArray[np.float64]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(wall_time).view(np.uint64)
