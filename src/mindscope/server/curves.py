# SPDX-License-Identifier: Apache-2.0
"""Scalar series reduced for a view: smoothed over all points, then the rows that the pixels need of both lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import RunNotFoundError, TagNotFoundError
from mindscope.ingest import Catalog
from mindscope.server.schema import Axis, Curve, CurvesQuery, SeriesName
from mindscope.stats import m4, smooth
from mindscope.store import ScalarColumns, ScalarSeries

Arrays = dict[str, NDArray[np.generic]]
Range = tuple[float, float] | None


def compute_curves(catalog: Catalog, query: CurvesQuery) -> list[tuple[Curve, Arrays]]:
    """One curve for each series of the query, in its order, with the arrays to draw; none when it has an error."""
    return [_curve_or_error(catalog, name, query) for name in query.series]


def find_series(catalog: Catalog, run: str, tag: str) -> ScalarSeries:
    """A scalar series by run id and tag; neither is ever part of a path. Raises RunNotFoundError, TagNotFoundError."""
    series = catalog.run(run).scalars(tag)
    if series is None:
        raise TagNotFoundError(f"scalar tag {tag!r} is not in run {run!r}; it may not have been recorded yet")
    return series


def _curve_or_error(catalog: Catalog, name: SeriesName, query: CurvesQuery) -> tuple[Curve, Arrays]:
    try:
        series = find_series(catalog, name.run, name.tag)
    except (RunNotFoundError, TagNotFoundError) as error:
        return _empty(name, version=0, error=str(error)), {}
    version = series.version
    points = series.all() if query.overwritten else series.visible()
    return reduce_points(_empty(name, version, error=None), points, query)


def reduce_points(curve: Curve, points: ScalarColumns, query: CurvesQuery) -> tuple[Curve, Arrays]:
    """Fill in ``curve`` what ``query`` asks of ``points``, and choose its rows."""
    start = _start(points.wall_time)
    x = _along(query.axis, points, start)
    bounds = None if query.range is None else (min(query.range), max(query.range))
    arrays: Arrays = {"step": points.step, "wall_time": points.wall_time, "value": points.value}
    if query.smoothing > 0.0:
        arrays["smoothed"] = smooth(points.value, query.smoothing).astype(np.float32)
    rows = _rows(x, arrays, query.pixels, bounds)
    in_range = _in_range(x, bounds)
    values = points.value[in_range]
    facts = {
        "points": values.size,
        "returned": rows.size,
        "reduced": int(np.count_nonzero(in_range[rows])) < values.size,
        "nan": int(np.count_nonzero(np.isnan(values))),
        "positive_infinity": int(np.count_nonzero(np.isposinf(values))),
        "negative_infinity": int(np.count_nonzero(np.isneginf(values))),
        "first_step": int(points.step.min()) if len(points) else None,
        "last_step": int(points.step.max()) if len(points) else None,
        "start_wall_time": start,
    }
    return curve.model_copy(update=facts), {name: array[rows] for name, array in arrays.items()}


def _rows(x: NDArray[np.float64], arrays: Arrays, pixels: int, bounds: Range) -> NDArray[np.intp]:
    """Row numbers by ascending x that draw the raw and the smoothed line alike."""
    lines = [arrays[name] for name in ("value", "smoothed") if name in arrays]
    rows = np.unique(np.concatenate([m4(x, line, pixels, bounds) for line in lines]))
    return rows[np.argsort(x[rows], kind="stable")]


def _along(axis: Axis, points: ScalarColumns, start: float | None) -> NDArray[np.float64]:
    if axis is Axis.STEP:
        return points.step.astype(np.float64)
    return points.wall_time - (start or 0.0) if axis is Axis.RELATIVE else points.wall_time


def _in_range(x: NDArray[np.float64], bounds: Range) -> NDArray[np.bool_]:
    return ~np.isnan(x) if bounds is None else (x >= bounds[0]) & (x <= bounds[1])


def _start(wall_time: NDArray[np.float64]) -> float | None:
    finite = wall_time[np.isfinite(wall_time)]
    return float(finite.min()) if finite.size else None


def _empty(name: SeriesName, version: int, error: str | None) -> Curve:
    return Curve(
        run=name.run, tag=name.tag, error=error, points=0, returned=0, reduced=False, nan=0, positive_infinity=0,
        negative_infinity=0, first_step=None, last_step=None, start_wall_time=None, version=version, columns=None,
    )  # fmt: skip
