# SPDX-License-Identifier: Apache-2.0
"""Precision-recall curves of series as columns, at one step or at all steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.pr_curves import NAMES, Floats, pr_rows, rows_at, thresholds
from mindscope.analysis.stored_values import StoredValues, find_values, signature
from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.reasons import Reason, reason_of
from mindscope.server.http.columns import Packed, each_once, pack
from mindscope.server.http.cursor import cursor_of, kept_rows
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.http.series_errors import series_reason
from mindscope.server.pr_curves.schema import (
    PrCurveColumns,
    PrCurvesHeader,
    PrCurvesQuery,
    PrSeries,
    PrSeriesName,
    PrSteps,
)
from mindscope.types import Kind

NOTHING = np.empty((len(NAMES), 0))
"""The rows of a curve that can't be read."""


def pack_pr_curves(catalog: Catalog, query: PrCurvesQuery) -> Packed:
    """Return the curves of each series of the query, in its order."""
    series = each_once(while_connected(query.series), lambda name: _series_or_error(catalog, name))
    return pack(PrCurvesHeader(series=list(series)))


def _series_or_error(catalog: Catalog, name: PrSeriesName) -> PrSeries:
    empty = PrSeries(
        run=name.run, tag=name.tag, error=None, version=0, returned=0, problem=None, cursor=None, kept=0, columns=None
    )
    try:
        values = find_values(catalog.run(name.run), Kind.PR_CURVE, name.tag)
        return _read(empty, values, name)
    except Exception as error:
        return empty.model_copy(update={"error": ReasonEntry.of(series_reason(error, name.run, name.tag))})


def _read(empty: PrSeries, found: StoredValues, name: PrSeriesName) -> PrSeries:
    rows = _rows_of(found.references.step, name.step)
    known = [np.array([signature(found, slice(row, row + 1)) for row in rows], np.uint64)]
    kept = kept_rows(known, name.since)
    curves = [_curve_or_reason(found, row) for row in rows[kept:]]
    facts = {
        "version": found.version,
        "returned": len(rows),
        "problem": ReasonEntry.of_text(next((curve for curve in curves if isinstance(curve, Reason)), None)),
        "cursor": cursor_of(known),
        "kept": kept,
        "columns": _columns(found, rows[kept:], [NOTHING if isinstance(curve, Reason) else curve for curve in curves]),
    }
    return empty.model_copy(update=facts)


def _rows_of(steps: NDArray[np.int64], wanted: int | PrSteps) -> range:
    """Return the rows of the curves that a query wants; ``steps`` ascend."""
    if wanted is PrSteps.ALL:
        return range(steps.size)
    return rows_at(steps, None if wanted is PrSteps.NEWEST else wanted)


def _curve_or_reason(found: StoredValues, row: int) -> Floats | Reason:
    try:
        return pr_rows(found.read(found.references, row))
    except FormatError as error:
        return reason_of(error)


def _columns(found: StoredValues, rows: range, curves: Sequence[Floats]) -> PrCurveColumns:
    sizes = [curve.shape[1] for curve in curves]
    side_by_side = np.concatenate([NOTHING, *curves], axis=1)
    chosen = slice(rows.start, rows.stop)
    return PrCurveColumns(
        steps=found.references.step,
        step=found.references.step[chosen],
        wall_time=found.references.wall_time[chosen],
        curve_start=np.cumsum([0, *sizes]),
        threshold=np.concatenate([np.empty(0), *map(thresholds, sizes)]),
        **dict(zip(NAMES, side_by_side, strict=True)),
    )
