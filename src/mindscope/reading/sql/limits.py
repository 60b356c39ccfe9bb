# SPDX-License-Identifier: Apache-2.0
"""The runs that a query reads, and its bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # the command line reads the bounds
    from mindscope.ingest import Catalog
    from mindscope.reading.lineage_table import LineageTable

MOST_ROWS, MOST_SECONDS, MOST_MEMORY_BYTES = 1_000_000, 120.0, 2 << 30


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """The bounds of a query: rows of its result, seconds, and bytes that the engine and the result may take."""

    rows: int = MOST_ROWS
    seconds: float = MOST_SECONDS
    memory_bytes: int = MOST_MEMORY_BYTES


class SqlSource(NamedTuple):
    """The runs that a query reads, and how to get their lineage table."""

    catalog: Catalog
    lineage: Callable[[], LineageTable]


class SqlContext(NamedTuple):
    """What the makers of tables get. ``check`` may raise, which ends the query; ``report`` takes what can't be read."""

    source: SqlSource
    check: Callable[[], None]
    report: Callable[[str], None]
