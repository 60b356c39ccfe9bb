# SPDX-License-Identifier: Apache-2.0
"""Summaries of curves for the lineage table, kept in memory and in the cache of the runs.

A record of a run has a key of its event files, as the records of the sources have, and the summaries by tag. So the
next process makes columns of scalars without reading a point.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, cast

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.scalar_summary import STATISTICS, last_value, summarize
from mindscope.store import RunStore
from mindscope.store.record_cache import OpenTable, RecordCache, files_key
from mindscope.store.run_index import State

NAME = "lineage-scalars"
FORMAT = 1
"""Increase it with every change of the records, or of how curves become cells."""
MOST_TAGS = 50
"""Further summaries of a run are not saved: the file would outgrow the points of small runs."""

Values = list[Any]
"""A value for each of ``STATISTICS``, None if there is none; only the first one if no other was needed."""


@dataclass(slots=True)
class _Known:
    """The summaries of one state of a run."""

    store: RunStore
    version: int
    mean_of: int
    key: object
    by_tag: dict[str, Values] = field(default_factory=dict[str, Values])


class ScalarSummaries:
    """The summaries of all runs. Only one thread at a time may use it."""

    def __init__(self, open_table: OpenTable | None = None) -> None:
        """``open_table`` opens a table in the cache of the runs."""
        self._known: dict[str, _Known] = {}
        self._cache = None if open_table is None else RecordCache(open_table, NAME, FORMAT, _record)

    def cells(self, store: RunStore, tag: str, mean_of: int) -> Iterator[tuple[ColumnKey, Cell]]:
        """Yield the columns of a curve; see ``summarize``. None of them if it has no points."""
        known = self._of(store, mean_of)
        values = known.by_tag.get(tag)
        if values is None or len(values) == 1:
            series = store.scalars(tag)
            points = None if series is None else series.visible()
            values = [] if points is None else summarize(points.step, points.value, mean_of)
            self._add(known, tag, values)
        for key, value in zip(_keys(tag), values, strict=False):
            if value is not None:
                yield key, value

    def last(self, store: RunStore, tag: str, mean_of: int) -> float | None:
        """Return the last value of a curve, None if it has no points."""
        known = self._of(store, mean_of)
        if tag not in known.by_tag:
            series = store.scalars(tag)
            parts = () if series is None else series.visible_parts().parts
            values = next((part["value"] for part in reversed(parts) if part["value"].size), None)
            self._add(known, tag, [] if values is None else [last_value(values)])
        values = known.by_tag[tag]
        return values[0] if values else None

    def open(self) -> None:
        """Read the summaries that an earlier process saved."""
        if self._cache is not None:
            self._cache.open()

    def save(self, ids: Collection[str]) -> None:
        """Begin to save new summaries. ``ids`` are all runs; forgets the others."""
        if len(self._known) > len(ids):
            self._known = {id: known for id, known in self._known.items() if id in ids}
        if self._cache is not None:
            self._cache.save(ids)

    def close(self, ids: Collection[str]) -> None:
        """Save what is unsaved, and wait until it is."""
        if self._cache is not None:
            self._cache.close(ids)

    def _of(self, store: RunStore, mean_of: int) -> _Known:
        known = self._known.get(store.id)
        if known is None or known.store is not store or known.version != store.version or known.mean_of != mean_of:
            version = store.version  # before the key and the values, so that a concurrent append is not missed
            known = self._known[store.id] = _Known(store, version, mean_of, files_key(store))
            self._restore(known)
        return known

    def _restore(self, known: _Known) -> None:
        """Take the summaries from the cache, if they are of the present state of the run."""
        saved = None if self._cache is None else self._cache.find(known.store.id)
        try:
            if saved is not None and saved[0]["key"] == known.key and saved[0]["mean_of"] == known.mean_of:
                known.by_tag = {str(tag): _checked(values) for tag, values in json.loads(saved[1]).items()}
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return

    def _add(self, known: _Known, tag: str, values: Values) -> None:
        known.by_tag[tag] = values
        if self._cache is not None and len(known.by_tag) <= MOST_TAGS:  # a full record gets no more
            self._cache.add(known.store.id, known)


def _checked(values: Any) -> Values:
    """Return the values of a record. Raises ValueError."""
    found = cast("Values", values) if isinstance(values, list) else [values]
    are_numbers = all(each is None or type(each) in (int, float) for each in found)
    if not are_numbers or len(found) not in (0, 1, len(STATISTICS)):
        raise ValueError(f"{values!r} is no summary")
    return found


def _record(known: _Known) -> State:
    by_tag = dict(islice(dict(known.by_tag).items(), MOST_TAGS))  # a copy, because it may grow
    text = json.dumps(by_tag, separators=(",", ":"))
    return {"key": known.key, "mean_of": known.mean_of}, text.encode()


@cache
def _keys(tag: str) -> tuple[ColumnKey, ...]:
    return tuple([ColumnKey(Group.SCALAR, f"{tag}:{statistic}") for statistic in STATISTICS])
