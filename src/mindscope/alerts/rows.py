# SPDX-License-Identifier: Apache-2.0
"""The table of alerts for queries in SQL."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from mindscope.alerts.monitor import Monitor
from mindscope.ingest import Catalog
from mindscope.reading.sql.limits import SqlContext
from mindscope.reading.sql.partitions import SqlPart, part_of_rows
from mindscope.store.file_facts import readable

_PART_S = 0.25


def alert_parts(context: SqlContext) -> list[SqlPart]:
    """Return the part with a row for each alert of the built-in checks, the newest first."""
    return [part_of_rows(lambda: _rows(context.source.catalog, context.check))]


def _rows(catalog: Catalog, check: Callable[[], None]) -> list[dict[str, Any]]:
    monitor = Monitor(catalog)
    for run in tuple(catalog.runs):
        check()
        monitor.update(run)
    while monitor.is_watching:
        check()
        monitor.watch(time.monotonic() + _PART_S)
    return [
        {
            "id": alert.id,
            "rule": alert.rule,
            "run": readable(alert.run),
            "tag": readable(alert.tag),
            "message": readable(alert.message),
            "step": alert.finding.step,
            "wall_time": alert.finding.wall_time,
            "value": alert.finding.value,
            "last_step": alert.finding.last_step,
            "count": alert.finding.count,
            "is_active": alert.finding.is_active,
        }
        for alert in monitor.alerts(time.time())
    ]
