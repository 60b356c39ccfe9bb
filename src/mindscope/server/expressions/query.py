# SPDX-License-Identifier: Apache-2.0
"""Lines of expressions over the tags of a run, reduced for a view."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.expressions import ExpressionPoints
from mindscope.ingest import Catalog
from mindscope.server.expressions.schema import (
    ExpressionColumns,
    ExpressionLine,
    ExpressionName,
    ExpressionsHeader,
    ExpressionsQuery,
)
from mindscope.server.http.columns import Packed, each_once, pack
from mindscope.server.http.cursor import cursor_of, kept_rows
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.http.series_errors import series_reason
from mindscope.stats import ChunkedArray, Line, Reduction, quantiles, reduce, sort_x
from mindscope.stats.alignment import trace

Arrays = dict[str, NDArray[np.float64]]


def pack_expressions(catalog: Catalog, query: ExpressionsQuery) -> Packed:
    """Return the lines of the query in its order, as columns."""
    lines = each_once(while_connected(query.lines), lambda name: _line_or_error(catalog, query, name))
    return pack(ExpressionsHeader(lines=list(lines)))


def _line_or_error(catalog: Catalog, query: ExpressionsQuery, name: ExpressionName) -> ExpressionLine:
    try:
        points = query.points(catalog.run(name.run), name.y)
        if query.baseline is not None:
            points = _less(points, query.points(catalog.run(query.baseline), name.y))
        return _reduced(points, query, name)
    except Exception as error:
        return _empty(name, ReasonEntry.of(series_reason(error, name.run, name.y)))


def _less(points: ExpressionPoints, baseline: ExpressionPoints) -> ExpressionPoints:
    """Return the points minus the values of the baseline, NaN where it has none."""
    return dataclasses.replace(
        points,
        value=points.value - trace(baseline.x, baseline.value).along(points.x),
        smoothed=points.smoothed - trace(baseline.x, baseline.smoothed).along(points.x),
    )


def _reduced(points: ExpressionPoints, query: ExpressionsQuery, name: ExpressionName) -> ExpressionLine:
    x: NDArray[np.float64] = points.x + name.offset
    x_axis = sort_x(np.where(np.isfinite(x), x, np.nan))
    is_smoothed = bool(query.smoothing.options())
    columns = [points.value, points.smoothed] if is_smoothed else [points.value]
    in_order = [each if x_axis.order is None else each[x_axis.order] for each in columns]
    lines = [Line(ChunkedArray([each])) for each in in_order]
    reduction = reduce(x_axis, lines, query.pixels, query.range, query.log_origin, has_mean=not is_smoothed)
    arrays = _rows(points, x, reduction, is_smoothed)
    kept = kept_rows(list(arrays.values()), name.since)
    later = {name: column[kept:] for name, column in arrays.items()}
    return ExpressionLine(
        run=name.run,
        y=name.y,
        error=None,
        points=reduction.points,
        returned=reduction.returned,
        reduced=reduction.is_reduced,
        nan=reduction.nan,
        positive_infinity=reduction.positive_infinity,
        negative_infinity=reduction.negative_infinity,
        first_x=float(x_axis.x.at(0)) if x_axis.x.size else None,
        last_x=float(x_axis.x.at(x_axis.x.size - 1)) if x_axis.x.size else None,
        cursor=cursor_of(list(arrays.values()), reduction.settled),
        kept=kept,
        columns=ExpressionColumns.model_validate({**later, "quantiles": quantiles(ChunkedArray([points.value]))}),
    )


def _rows(points: ExpressionPoints, x: NDArray[np.float64], reduction: Reduction, is_smoothed: bool) -> Arrays:
    every = {"x": x, "step": points.step, "wall_time": points.wall_time, "value": points.value}
    if is_smoothed:
        every["smoothed"] = points.smoothed
    rows = {name: column[reduction.rows] for name, column in every.items()}
    return rows if reduction.mean is None else {**rows, "mean": reduction.mean}


def _empty(name: ExpressionName, error: ReasonEntry) -> ExpressionLine:
    return ExpressionLine(
        run=name.run, y=name.y, error=error, points=0, returned=0, reduced=False, nan=0, positive_infinity=0,
        negative_infinity=0, first_x=None, last_x=None, cursor=None, kept=0, columns=None,
    )  # fmt: skip
