# SPDX-License-Identifier: Apache-2.0
"""Scalar series reduced for a view: smooths all points, then selects the rows that the pixels need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.expressions import Axis
from mindscope.errors import TagNotFoundError
from mindscope.ingest import Catalog
from mindscope.reasons import Reason
from mindscope.server.http.columns import Packed, each_once, pack
from mindscope.server.http.cursor import cursor_of, kept_rows
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry, SeriesName
from mindscope.server.http.series_errors import series_reason
from mindscope.server.scalars.cache import CurveCache
from mindscope.server.scalars.schema import Curve, CurveColumns, CurvesHeader, CurvesQuery
from mindscope.stats import GrowingCurve, Reduction, XName, quantiles, reduce
from mindscope.store import ScalarSeries
from mindscope.system.names import is_system_metric

Arrays = dict[str, NDArray[np.generic]]


def pack_curves(catalog: Catalog, query: CurvesQuery, cache: CurveCache | None = None) -> Packed:
    """Return one curve for each series of the query, in its order; ``cache`` keeps long curves between queries."""
    curve_cache = CurveCache() if cache is None else cache
    curves = each_once(while_connected(query.series), lambda name: _curve_or_error(catalog, curve_cache, name, query))
    return pack(CurvesHeader(series=list(curves)))


def count_points(catalog: Catalog, query: CurvesQuery) -> int:
    """Return the number of points of the series of a query, with hidden points."""
    found = (store.scalars(name.tag) for name in query.series if (store := catalog.runs.get(name.run)) is not None)
    return sum(len(series) for series in found if series is not None)


def find_series(catalog: Catalog, run: str, tag: str) -> ScalarSeries:
    """Return a scalar series by run id and tag; neither becomes part of a path.

    Raises RunNotFoundError, TagNotFoundError.
    """
    series = catalog.run(run).scalars(tag)
    if series is None:
        raise TagNotFoundError(Reason("tag_not_found", kind="scalar", tag=tag, run=run))
    return series


def _curve_or_error(catalog: Catalog, cache: CurveCache, name: SeriesName, query: CurvesQuery) -> Curve:
    try:
        return reduce_series(find_series(catalog, name.run, name.tag), cache, name, query)
    except Exception as error:
        return _empty(name, version=0, error=ReasonEntry.of(series_reason(error, name.run, name.tag)))


def reduce_series(series: ScalarSeries, cache: CurveCache, name: SeriesName, query: CurvesQuery) -> Curve:
    """Return the curve of one series of a query with the rows to send."""
    weights = (0.0, query.smoothing) if query.smoothing > 0.0 else (0.0,)
    # samples of the machine go on while the training is at one step: each of them counts, not only the newest
    is_whole = query.overwritten or is_system_metric(name.tag)
    with cache.open((name.run, name.tag, is_whole), series) as curves:
        version = curves.show(series, is_whole, weights, cache.pool)
        empty = _empty(name, version, error=None).model_copy(update=curves.hidden._asdict())
        return _reduce_curve(empty, curves.curve, query, name.since)


def _reduce_curve(empty: Curve, curve: GrowingCurve, query: CurvesQuery, since: str | None) -> Curve:
    """Fill the fields of a curve, and select its rows."""
    start = curve.start_wall_time
    x: XName = "step" if query.axis is Axis.STEP else "wall_time"
    x_axis = curve.x_axis(x, start or 0.0 if query.axis is Axis.RELATIVE else 0.0)
    weights = (0.0, query.smoothing) if query.smoothing > 0.0 else (0.0,)
    lines = [curve.line(weight, x) for weight in weights]
    reduction = reduce(x_axis, lines, query.pixels, query.range, query.log_origin, has_mean=query.smoothing == 0.0)
    rows = _rows(curve, reduction, query.smoothing)
    kept = kept_rows(list(rows.values()), since)
    first, last = curve.step_range or (None, None)
    facts = {
        "points": reduction.points,
        "returned": reduction.returned,
        "reduced": reduction.is_reduced,
        "nan": reduction.nan,
        "positive_infinity": reduction.positive_infinity,
        "negative_infinity": reduction.negative_infinity,
        "first_step": first,
        "last_step": last,
        "start_wall_time": start,
        "cursor": cursor_of(list(rows.values()), reduction.settled),
        "kept": kept,
        "columns": CurveColumns(
            quantiles=quantiles(curve.columns[2]), **{name: column[kept:] for name, column in rows.items()}
        ),
    }
    return empty.model_copy(update=facts)


def _rows(curve: GrowingCurve, reduction: Reduction, smoothing: float) -> Arrays:
    step, wall_time, value = (column.take(reduction.rows) for column in curve.columns)
    rows: Arrays = {"step": step, "wall_time": wall_time, "value": value}
    if smoothing > 0.0:
        rows["smoothed"] = curve.smoothed(smoothing).take(reduction.rows)
    if reduction.mean is not None:
        rows["mean"] = reduction.mean.astype(value.dtype)
    return rows


def _empty(name: SeriesName, version: int, error: ReasonEntry | None) -> Curve:
    return Curve(
        run=name.run, tag=name.tag, error=error, points=0, returned=0, reduced=False, nan=0, positive_infinity=0,
        negative_infinity=0, overwritten=0, repeated=0, first_step=None, last_step=None, start_wall_time=None,
        version=version, cursor=None, kept=0, columns=None,
    )  # fmt: skip
