# SPDX-License-Identifier: Apache-2.0
"""The tables over the runs of a catalog, each made when a query reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from mindscope.ingest import Catalog
from mindscope.profile.model.profile_data import Part
from mindscope.reading.sql.limits import SqlSource
from mindscope.reading.sql.partitions import PartitionedTable, SqlPart, part_of_rows
from mindscope.reading.sql.recorded import log_parts, profile_parts, statistics_parts
from mindscope.reading.sql.run_rows import parameter_rows, run_rows
from mindscope.reading.sql.scalars import metric_parts, scalar_parts
from mindscope.reading.sql.schema import TABLES

ALERT_ROWS = "mindscope.alerts.rows:alert_rows"
"""The function that makes the table of alerts. It is imported when a query reads them: alerts import this part."""


def sql_tables(
    source: SqlSource, check: Callable[[], None], report: Callable[[str], None]
) -> dict[str, PartitionedTable]:
    """Return all tables by name. ``check`` may raise, which ends the query; ``report`` takes what can't be read."""
    runs = source.catalog.runs
    parts: Mapping[str, Callable[[], Sequence[SqlPart]]] = {
        "runs": lambda: [part_of_rows(lambda: run_rows(source.lineage(), runs))],
        "params": lambda: [part_of_rows(lambda: parameter_rows(source.lineage()))],
        "scalars": partial(scalar_parts, runs),
        "metrics": partial(metric_parts, runs),
        "alerts": lambda: [part_of_rows(lambda: _alert_rows(source.catalog, check))],
        "operators": partial(profile_parts, Part.OPERATORS, runs, report),
        "kernels": partial(profile_parts, Part.KERNELS, runs, report),
        "tensor_statistics": partial(statistics_parts, runs, report),
        "logs": partial(log_parts, runs, report),
    }
    return {name: PartitionedTable(table, parts[name], check) for name, table in TABLES.items()}


def _alert_rows(catalog: Catalog, check: Callable[[], None]) -> Sequence[Mapping[str, Any]]:
    module, _, function = ALERT_ROWS.partition(":")
    return getattr(import_module(module), function)(catalog, check)
