# SPDX-License-Identifier: Apache-2.0
"""Alerts as messages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict

from mindscope.alerts import Alert
from mindscope.alerts.alert import TensorHits
from mindscope.analysis.surroundings import surroundings_of
from mindscope.ingest import Catalog
from mindscope.server.alerts.schema import AlertEntry, AlertHitsEntry, AlertsAnswer, AlertSurroundings
from mindscope.server.alerts.worker import AlertWorker
from mindscope.server.annotations.schema import Mute
from mindscope.server.http.json_numbers import finite, not_a_number


def answer_alerts(catalog: Catalog, worker: AlertWorker, since: int | None) -> AlertsAnswer:
    """Return the current alerts. Reads the version first, so that a client does not miss a concurrent change."""
    version, now = worker.version, time.time()
    if since == version:
        return AlertsAnswer(version=version, alerts=None)
    mutes = [mute for mute in worker.mutes if mute.until is None or mute.until > now]
    return AlertsAnswer(version=version, alerts=[_entry(catalog, alert, mutes) for alert in worker.alerts(now)])


def is_muted(alert: Alert, mutes: Sequence[Mute]) -> bool:
    """Return whether any of ``mutes`` matches the alert; a mute without a field matches none."""
    return any(_matches(alert, mute) for mute in mutes)


def _matches(alert: Alert, mute: Mute) -> bool:
    pairs = ((mute.alert, alert.id), (mute.rule, alert.rule), (mute.run, alert.run), (mute.tag, alert.tag))
    conditions = [(want, got) for want, got in pairs if want is not None]
    return bool(conditions) and all(want == got for want, got in conditions)


def _entry(catalog: Catalog, alert: Alert, mutes: Sequence[Mute]) -> AlertEntry:
    finding = alert.finding
    return AlertEntry(
        id=alert.id,
        rule=alert.rule,
        run=alert.run,
        tag=alert.tag,
        message=alert.message,
        step=finding.step,
        wall_time=finite(finding.wall_time),
        value=finite(finding.value),
        value_text=not_a_number(finding.value),
        last_step=finding.last_step,
        count=finding.count,
        active=finding.is_active,
        muted=is_muted(alert, mutes),
        around=None if alert.hits else _around(catalog, alert),
        hits=None if alert.hits is None else _hits(alert.hits),
    )


def _hits(hits: TensorHits) -> AlertHitsEntry:
    watchpoint, tensor = hits.watchpoint, hits.tensor
    parameter = watchpoint.condition.parameter(hits.parameter)
    statistic = parameter.statistic if parameter else None
    return AlertHitsEntry(
        watchpoint=watchpoint.text,
        condition=watchpoint.condition.id,
        recommendation=watchpoint.recommendation.name if watchpoint.recommendation else None,
        source=hits.source,
        rank=hits.rank,
        row=hits.row,
        operator=tensor.operator,
        module=tensor.module,
        role=tensor.role,
        slot=tensor.slot,
        source_line=tensor.stack[0] if tensor.stack else "",
        parameter=parameter.name if parameter else None,
        statistic=statistic.name if statistic else None,
        comparison=parameter.comparison if parameter and statistic else None,
        set_value=finite(hits.set_value),
        ranges=list(hits.ranges),
    )


def _around(catalog: Catalog, alert: Alert) -> AlertSurroundings | None:
    store = catalog.runs.get(alert.run)
    series = store.scalars(alert.tag) if store else None
    if series is None:
        return None
    found = surroundings_of(series, alert.finding.step, alert.finding.last_step)
    return None if found is None else AlertSurroundings(**asdict(found))
