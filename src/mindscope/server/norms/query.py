# SPDX-License-Identifier: Apache-2.0
"""Norms of series as columns."""

from __future__ import annotations

from mindscope.analysis.norms import MISSING, Norm, norms_at, recorded_steps
from mindscope.errors import TagNotFoundError
from mindscope.ingest import Catalog
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.disconnect import while_connected
from mindscope.server.norms.schema import NormColumns, NormsHeader, NormsQuery
from mindscope.store import RunStore
from mindscope.types import Kind


def pack_norms(catalog: Catalog, query: NormsQuery) -> Packed:
    """Return the norms of each series at each step. Raises RunNotFoundError."""
    store = catalog.run(query.run)
    names = [(Kind(each.kind), each.tag) for each in query.series]
    norms = [norm for name in while_connected(names) for norm in _norms(store, *name, query.steps)]
    recorded = recorded_steps(store, names if query.wants_steps else ())
    columns = NormColumns(
        **{field: [getattr(norm, field) for norm in norms] for field in ("norm", "largest", "nan", "infinite")},
        state=[norm.state for norm in norms],
        recorded=recorded,
    )
    return pack(NormsHeader(run=query.run, columns=columns))


def _norms(store: RunStore, kind: Kind, tag: str, steps: list[int]) -> list[Norm]:
    try:
        return list(norms_at(store, kind, tag, steps))
    except TagNotFoundError:
        return [MISSING] * len(steps)
