# SPDX-License-Identifier: Apache-2.0
"""The tables over the runs of a catalog, each made when a query reads it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from mindscope.reading.sql.limits import SqlContext
from mindscope.reading.sql.partitions import PartitionedTable, SqlPart
from mindscope.reading.sql.schema import TABLES

MAKERS = {
    "runs": "mindscope.reading.sql.run_rows:run_parts",
    "params": "mindscope.reading.sql.run_rows:parameter_parts",
    "scalars": "mindscope.reading.sql.scalars:scalar_parts",
    "metrics": "mindscope.reading.sql.scalars:metric_parts",
    "alerts": "mindscope.alerts.rows:alert_parts",
    "operators": "mindscope.reading.sql.recorded:operator_parts",
    "kernels": "mindscope.reading.sql.recorded:kernel_parts",
    "tensor_statistics": "mindscope.reading.sql.recorded:statistics_parts",
    "logs": "mindscope.reading.sql.recorded:log_parts",
}
"""The function that makes the parts of each table; its module is imported when a query reads the table.

So a query waits for no code that it does not need, and alerts, which import this part, have a table too.
"""


def sql_tables(context: SqlContext) -> dict[str, PartitionedTable]:
    """Return all tables by name."""
    return {
        name: PartitionedTable(table, partial(_parts, name, context), context.check) for name, table in TABLES.items()
    }


def _parts(table: str, context: SqlContext) -> Sequence[SqlPart]:
    module, _, function = MAKERS[table].partition(":")
    make: Any = getattr(import_module(module), function)
    return make(context)
