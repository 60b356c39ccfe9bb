# SPDX-License-Identifier: Apache-2.0
"""The tables of curves: every point, and a row of figures for each curve."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.goal import guess_goal
from mindscope.reading.sql.limits import SqlContext
from mindscope.reading.sql.partitions import Columns, SqlPart
from mindscope.store import RunStore, ScalarSeries
from mindscope.store.file_facts import readable
from mindscope.store.series import Series
from mindscope.types import Kind

_FALSE = np.zeros(1 << 20, np.bool_)


def scalar_parts(context: SqlContext) -> list[SqlPart]:
    """Return a part for each curve, with all of its points."""
    return [
        SqlPart(keys, partial(_points, store, series)) for keys, store, series in _curves(context.source.catalog.runs)
    ]


def metric_parts(context: SqlContext) -> list[SqlPart]:
    """Return a part of one row for each curve."""
    return [
        SqlPart(keys, partial(_figures, keys[1], series)) for keys, _, series in _curves(context.source.catalog.runs)
    ]


def _curves(runs: Mapping[str, RunStore]) -> Iterator[tuple[tuple[str, str], RunStore, ScalarSeries]]:
    for id, store in runs.items():
        for tag in store.tags(Kind.SCALAR):
            series = store.scalars(tag)
            if series is not None and len(series):
                yield (readable(id), readable(tag)), store, series


def _points(store: RunStore, series: ScalarSeries, names: Sequence[str]) -> Iterator[Columns]:
    """Yield the points as the parts in files and in memory, which are not copied."""
    parts, is_hidden = store.store_lock.read(lambda: _marked(series))
    start = 0
    for part in parts:
        size = part["step"].size
        hidden = _never(size) if is_hidden is None else is_hidden[start : start + size]
        start += size
        columns = {**part, "is_overwritten": hidden}
        yield {name: columns[name] for name in names}


def _marked(series: Series[Any]) -> tuple[list[dict[str, NDArray[Any]]], NDArray[np.bool_] | None]:
    """Return the points as they arrived, and which of them charts hide; None for none. Hold the lock."""
    points = series.points
    if points.is_plain or not len(points):
        return points.appended_parts(), None
    is_hidden = np.ones(len(points), np.bool_)
    is_hidden[points.visible_rows().rows] = False
    return points.appended_parts(), is_hidden


def _never(size: int) -> NDArray[np.bool_]:
    return _FALSE[:size] if size <= _FALSE.size else np.zeros(size, np.bool_)


def _figures(tag: str, series: ScalarSeries, names: Sequence[str]) -> Iterable[Columns]:
    points = series.visible()
    if not len(points):
        return ()
    row = figures_of(tag, points.step, points.value)
    return ({name: [row[name]] for name in names},)


def figures_of(tag: str, steps: NDArray[np.int64], values: NDArray[np.floating[Any]]) -> dict[str, float | int | None]:
    """Return the last value, the extremes without NaN, and the best finite value with its first step.

    ``steps`` and ``values`` have shape (n,), n > 0. Lower is better for tags with a word such as loss or error.
    """
    row: dict[str, float | int | None] = {"last": float(values[-1]), "min": None, "max": None}
    row |= {"best": None, "best_step": None}
    numbers = np.flatnonzero(~np.isnan(values))
    if numbers.size:
        row |= {"min": float(values[numbers].min()), "max": float(values[numbers].max())}
    finite = np.flatnonzero(np.isfinite(values))
    if finite.size:
        among = values[finite]
        best = int(finite[among.argmin() if guess_goal(tag) == "min" else among.argmax()])
        row |= {"best": float(values[best]), "best_step": int(steps[best])}
    return row
