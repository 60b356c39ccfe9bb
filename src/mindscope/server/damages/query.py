# SPDX-License-Identifier: Apache-2.0
"""Damages of a run as messages."""

from __future__ import annotations

from mindscope.ingest import Catalog
from mindscope.server.damages.schema import DamageEntry, DamagesAnswer
from mindscope.server.http.schema import ReasonEntry
from mindscope.types import Damage


def list_damages(catalog: Catalog, run: str) -> DamagesAnswer:
    """List the damages of a run. Raises RunNotFoundError."""
    store = catalog.run(run)
    return DamagesAnswer(damages=[_damage_entry(damage) for damage in store.damages], dropped=store.dropped)


def _damage_entry(damage: Damage) -> DamageEntry:
    return DamageEntry(
        file=damage.file,
        offset=damage.offset,
        kind=damage.kind,
        detail=ReasonEntry.of(damage.detail),
        resumed_at=damage.resumed_at,
        text=str(damage),
    )
