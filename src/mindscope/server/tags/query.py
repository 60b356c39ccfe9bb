# SPDX-License-Identifier: Apache-2.0
"""Tags of a catalog as messages."""

from __future__ import annotations

from collections.abc import Iterator

from mindscope.analysis.meshes import main_tag, mesh_name
from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.json_numbers import finite, not_a_number
from mindscope.server.http.response_limit import check_size
from mindscope.server.tags.schema import LastPoint, TagsAnswer, TagsQuery, TagSummary
from mindscope.store import ReferenceSeries, RunStore, ScalarSeries, VisibleRows
from mindscope.types import Kind

INDEX_BYTES = 8
"""Approximate size of the index of a run in a response."""

AnySeries = ScalarSeries | ReferenceSeries


def summarize_tags(catalog: Catalog, query: TagsQuery) -> TagsAnswer:
    """Return the tags of one kind over several runs. The parts of a mesh are one tag: its name."""
    holders: dict[str, list[tuple[int, AnySeries]]] = {}
    indexes = 0
    for index, id in enumerate(while_connected(query.runs)):
        store = catalog.runs.get(id)
        for tag, series in _series_of(store, query.kind) if store else ():
            holders.setdefault(tag, []).append((index, series))
            indexes += 1
        check_size(indexes * INDEX_BYTES)
    return TagsAnswer(tags=[_tag_summary(tag, holders[tag]) for tag in sorted(holders)])


def _series_of(store: RunStore, wanted: Kind) -> Iterator[tuple[str, AnySeries]]:
    for (kind, tag), series in store.series.items():
        if kind is wanted and wanted is Kind.MESH:
            if tag == main_tag(store, mesh_name(tag)):
                yield mesh_name(tag), series
        elif kind is wanted:
            yield tag, series


def _tag_summary(tag: str, holders: list[tuple[int, AnySeries]]) -> TagSummary:
    visible = [(series, series.visible_parts()) for _, series in holders]
    return TagSummary(
        tag=tag,
        runs=[index for index, _ in holders],
        points=sum(len(each) for _, each in visible),
        last=_newest([each for series, each in visible if isinstance(series, ScalarSeries) and len(each)]),
    )


def _newest(visible: list[VisibleRows]) -> LastPoint | None:
    """Return the last visible point of the series with the newest wall time."""
    if not visible:
        return None
    newest = max((each.parts[-1] for each in visible), key=lambda part: part["wall_time"][-1])
    value = float(newest["value"][-1])
    return LastPoint(step=int(newest["step"][-1]), value=finite(value), value_text=not_a_number(value))
