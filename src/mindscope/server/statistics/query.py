# SPDX-License-Identifier: Apache-2.0
"""First, last, smallest, largest and mean value of scalar series, over all of their points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.response_limit import check_deadline, limited
from mindscope.server.statistics.schema import SeriesStatistics, StatisticsAnswer, StatisticsQuery
from mindscope.store import ScalarSeries


def compute_statistics(catalog: Catalog, query: StatisticsQuery) -> StatisticsAnswer:
    """The figures of every series that there is."""
    return StatisticsAnswer(series=list(limited(_each(catalog, query))))


def _each(catalog: Catalog, query: StatisticsQuery) -> Iterator[SeriesStatistics]:
    known: dict[ScalarSeries, SeriesStatistics] = {}  # a series that is named twice is computed once
    for run, id in enumerate(while_connected(query.runs)):
        store = catalog.runs.get(id)
        if store is None:
            continue
        for tag, name in enumerate(query.tags):
            check_deadline()
            series = store.scalars(name)
            if series is not None and len(series) > 0:
                if series not in known:
                    known[series] = _of_series(run, tag, series)
                yield known[series].model_copy(update={"run": run, "tag": tag})


def _of_series(run: int, tag: int, series: ScalarSeries) -> SeriesStatistics:
    columns = series.visible()
    values = columns.value
    finite = values[np.isfinite(values)]
    return SeriesStatistics(
        run=run,
        tag=tag,
        points=len(values),
        last_step=int(columns.step[-1]),
        first=_figure(values[0]),
        last=_figure(values[-1]),
        minimum=float(finite.min()) if finite.size else None,
        maximum=float(finite.max()) if finite.size else None,
        mean=float(finite.mean(dtype=np.float64)) if finite.size else None,
    )


def _figure(value: np.floating[Any]) -> float | str:
    if np.isfinite(value):
        return float(value)
    if np.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
