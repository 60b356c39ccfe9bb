# SPDX-License-Identifier: Apache-2.0
"""The runs that a query names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mindscope.analysis.ranks import RankGroups
from mindscope.ingest import Catalog
from mindscope.server.http.disconnect import while_connected
from mindscope.store import RunStore


def stores_of(catalog: Catalog, ids: Iterable[str]) -> Iterator[RunStore]:
    """Yield the runs with these ids, once each, while the client is connected. Those that are gone are left out."""
    runs = catalog.runs
    for id in while_connected(dict.fromkeys(ids)):
        if id in runs:
            yield runs[id]


def trainings_of(catalog: Catalog, ids: Iterable[str]) -> Iterator[tuple[RunStore, list[RunStore]]]:
    """As ``stores_of``, with the runs of all ranks of the training, each training once."""
    groups, seen = RankGroups(catalog.runs), set[str]()
    for store in stores_of(catalog, ids):
        if store.id not in seen:
            ranks = groups.of(store)
            seen.update(rank.id for rank in ranks)
            yield store, ranks
