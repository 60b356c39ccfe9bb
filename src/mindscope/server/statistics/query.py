# SPDX-License-Identifier: Apache-2.0
"""Statistics of scalar series as messages."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.analysis.scalar_statistics import scalar_statistics
from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.json_numbers import not_a_number
from mindscope.server.http.response_limit import check_deadline, limited
from mindscope.server.statistics.schema import SeriesStatistics, StatisticsAnswer, StatisticsQuery
from mindscope.store import ScalarSeries


def compute_statistics(catalog: Catalog, query: StatisticsQuery) -> StatisticsAnswer:
    """Return the statistics of each tag in each run that has it."""
    return StatisticsAnswer(series=list(limited(_each(catalog, query))))


def _each(catalog: Catalog, query: StatisticsQuery) -> Iterator[SeriesStatistics]:
    known: dict[ScalarSeries, SeriesStatistics] = {}  # computes a series once that the query names twice
    for run, id in enumerate(while_connected(query.runs)):
        store = catalog.runs.get(id)
        if store is None:
            continue
        for tag, name in enumerate(query.tags):
            check_deadline()
            series = store.scalars(name)
            if series is not None and len(series.visible_parts()):
                if series not in known:
                    known[series] = _of_series(run, tag, series)
                yield known[series].model_copy(update={"run": run, "tag": tag})


def _of_series(run: int, tag: int, series: ScalarSeries) -> SeriesStatistics:
    columns = series.visible()
    found = scalar_statistics(columns.step, columns.value)
    return SeriesStatistics(
        run=run,
        tag=tag,
        points=found.points,
        last_step=found.last_step,
        first=_number_or_text(found.first),
        last=_number_or_text(found.last),
        minimum=found.minimum,
        maximum=found.maximum,
        mean=found.mean,
    )


def _number_or_text(value: float) -> float | str:
    return not_a_number(value) or value
