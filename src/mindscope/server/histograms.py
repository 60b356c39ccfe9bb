# SPDX-License-Identifier: Apache-2.0
"""Histograms over steps: whole ones, of as many steps as a view has room for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.server.columns import ColumnData, join
from mindscope.server.references import References, find_references
from mindscope.server.schema import HistogramColumns, HistogramsHeader
from mindscope.types import Histogram, Kind

NUMBERS: dict[str, Callable[[Histogram], float]] = {
    "minimum": lambda histogram: histogram.minimum,
    "maximum": lambda histogram: histogram.maximum,
    "sum": lambda histogram: histogram.sum,
    "total": lambda histogram: histogram.total,
    "nan": lambda histogram: histogram.nan_count,
    "positive_infinity": lambda histogram: histogram.positive_infinity_count,
    "negative_infinity": lambda histogram: histogram.negative_infinity_count,
}
BUCKETS: dict[str, Callable[[Histogram], NDArray[np.float64]]] = {
    "left": lambda histogram: histogram.left,
    "right": lambda histogram: histogram.right,
    "count": lambda histogram: histogram.count,
}


def pack_histograms(catalog: Catalog, run: str, tag: str, limit: int) -> bytes | memoryview:
    """Histograms of at most ``limit`` steps. Raises RunNotFoundError, TagNotFoundError."""
    found = find_references(catalog, run, Kind.HISTOGRAM, tag)
    chosen = choose_rows(len(found.places), limit)
    rows, histograms, problems = _read(found, chosen)
    places = found.places
    data = ColumnData()
    header = HistogramsHeader(
        run=run,
        tag=tag,
        version=found.version,
        steps=len(places),
        returned=len(rows),
        unreadable=len(problems),
        problem=problems[0] if problems else None,
        start_wall_time=_start(places.wall_time),
        columns=HistogramColumns(
            step=data.add(places.step[rows].astype(np.float64)),
            wall_time=data.add(places.wall_time[rows]),
            bucket_start=data.add(np.cumsum([0, *(each.left.size for each in histograms)]).astype(np.float64)),
            **{name: data.add(np.array([*map(pick, histograms)], np.float64)) for name, pick in NUMBERS.items()},
            **{name: data.add(np.concatenate([np.empty(0), *map(pick, histograms)])) for name, pick in BUCKETS.items()},
            left_out=data.add(np.delete(places.step, chosen).astype(np.float64)),
        ),
    )
    return join(header, data)


def choose_rows(count: int, limit: int) -> NDArray[np.intp]:
    """At most ``limit`` (2 or more) of ``count`` rows: every 2^k-th, and the last.

    A row stays chosen while others are appended, until their number has doubled: a view that follows a training does
    not flicker.
    """
    stride = 1
    while -(-count // stride) + 1 > limit and stride < count:
        stride *= 2
    rows = np.arange(0, count, stride)
    return rows if count == 0 or rows[-1] == count - 1 else np.append(rows, count - 1)


def _read(found: References, rows: NDArray[np.intp]) -> tuple[list[int], list[Histogram], list[str]]:
    """The rows that can be decoded, their histograms, and why the others can't."""
    readable: list[int] = []
    histograms: list[Histogram] = []
    problems: list[str] = []
    for row in rows.tolist():
        try:
            histograms.append(found.read(found.places, row))
            readable.append(row)
        except FormatError as error:
            problems.append(str(error))
    return readable, histograms, problems


def _start(wall_time: NDArray[np.float64]) -> float | None:
    finite = wall_time[np.isfinite(wall_time)]
    return float(finite.min()) if finite.size else None
