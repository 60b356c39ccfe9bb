# SPDX-License-Identifier: Apache-2.0
"""Tags and damages of a catalog as messages."""

from __future__ import annotations

from mindscope.ingest import Catalog
from mindscope.server.answer_limit import check_size
from mindscope.server.departure import while_awaited
from mindscope.server.numbers import finite, not_a_number
from mindscope.server.run_schema import (
    DamageEntry,
    DamagesAnswer,
    LastPoint,
    TagsAnswer,
    TagsQuery,
    TagSummary,
)
from mindscope.server.schema import ReasonEntry
from mindscope.store import ReferenceSeries, ScalarSeries, Shown
from mindscope.types import Damage

PLACE_BYTES = 8
"""Of the index of a run in an answer."""

AnySeries = ScalarSeries | ReferenceSeries


def summarize_tags(catalog: Catalog, query: TagsQuery) -> TagsAnswer:
    """Tags of one kind over several runs."""
    holders: dict[str, list[tuple[int, AnySeries]]] = {}
    places = 0
    for index, id in enumerate(while_awaited(query.runs)):
        store = catalog.runs.get(id)
        for (kind, tag), series in store.series.items() if store else ():
            if kind is query.kind:
                holders.setdefault(tag, []).append((index, series))
                places += 1
        check_size(places * PLACE_BYTES)
    return TagsAnswer(tags=[_tag_summary(tag, holders[tag]) for tag in sorted(holders)])


def list_damages(catalog: Catalog, run: str) -> DamagesAnswer:
    """Raises RunNotFoundError."""
    store = catalog.run(run)
    return DamagesAnswer(damages=[_damage_entry(damage) for damage in store.damages], dropped=store.dropped)


def _tag_summary(tag: str, holders: list[tuple[int, AnySeries]]) -> TagSummary:
    shown = [(series, series.shown()) for _, series in holders]
    return TagSummary(
        tag=tag,
        runs=[index for index, _ in holders],
        points=sum(len(each) for _, each in shown),
        last=_newest([each for series, each in shown if isinstance(series, ScalarSeries) and len(each)]),
    )


def _newest(shown: list[Shown]) -> LastPoint | None:
    """The last drawn point of the series that was written last."""
    if not shown:
        return None
    newest = max((each.parts[-1] for each in shown), key=lambda part: part["wall_time"][-1])
    value = float(newest["value"][-1])
    return LastPoint(step=int(newest["step"][-1]), value=finite(value), value_text=not_a_number(value))


def _damage_entry(damage: Damage) -> DamageEntry:
    return DamageEntry(
        file=damage.file,
        offset=damage.offset,
        kind=damage.kind,
        detail=ReasonEntry.of(damage.detail),
        resumed_at=damage.resumed_at,
        text=str(damage),
    )
