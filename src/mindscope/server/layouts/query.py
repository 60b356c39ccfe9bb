# SPDX-License-Identifier: Apache-2.0
"""Layouts of charts as messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mindscope.analysis.layouts import LayoutCategory, LayoutChart, match_tags, read_layouts
from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.run_stores import stores_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.layouts.schema import (
    LayoutCategoryEntry,
    LayoutChartEntry,
    LayoutsAnswer,
    LayoutsQuery,
    MarginEntry,
    UnreadLayout,
    UnusablePattern,
)
from mindscope.types import Kind

TAG_BYTES = 40
"""Approximate size of a tag in a response."""


def answer_layouts(catalog: Catalog, query: LayoutsQuery) -> LayoutsAnswer:
    """Return the merged layout of all runs, as TensorBoard does, with the tags of some runs that match."""
    layout, problems = read_layouts(while_connected(catalog.runs.values()))
    if not layout and not problems:
        return LayoutsAnswer(categories=[], unread=[])
    tags = sorted({tag for store in stores_of(catalog, query.runs) for tag in store.tags(Kind.SCALAR)})
    return LayoutsAnswer(
        categories=list(_categories(layout, tags)),
        unread=[UnreadLayout(run=run, problem=ReasonEntry.of(error)) for run, error in problems.items()],
    )


def _categories(layout: Sequence[LayoutCategory], tags: Sequence[str]) -> Iterator[LayoutCategoryEntry]:
    matched = 0
    for category in layout:
        charts: list[LayoutChartEntry] = []
        for chart in while_connected(category.charts):
            charts.append(_chart(chart, tags))
            matched += len(charts[-1].tags)
            check_size(matched * TAG_BYTES)
        yield LayoutCategoryEntry(title=category.title, closed=category.is_closed, charts=charts)


def _chart(chart: LayoutChart, tags: Sequence[str]) -> LayoutChartEntry:
    matched = match_tags(chart.patterns, tags)
    return LayoutChartEntry(
        title=chart.title,
        patterns=list(chart.patterns),
        tags=list(matched.tags),
        margins=[MarginEntry(value=value, lower=lower, upper=upper) for value, lower, upper in chart.margins],
        unusable=[UnusablePattern(pattern=pattern, detail=detail) for pattern, detail in matched.unusable.items()],
    )
