# SPDX-License-Identifier: Apache-2.0
"""Alerts of trainings that failed: their logs end with an error, or a recorder wrote the error."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from mindscope.alerts.alert import Alert, Finding
from mindscope.alerts.rules import FAILED
from mindscope.alerts.run_checks import alert_of
from mindscope.analysis.ranks import rank_stores
from mindscope.ingest import Catalog
from mindscope.store import RunStore
from mindscope.store.contents import ContentKind

_SETTLED_S = 300.0
"""A log may be written this long after the last step."""


class FailureChecks:
    """Finds failed trainings, one after the other. ``alerts`` is for any thread, everything else for one."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._pending: dict[str, None] = {}
        self._unsettled: set[str] = set()
        """Runs that grow, or whose logs may."""
        self._found: Mapping[str, Alert] = {}

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to check."""
        return not self._pending

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """The alerts until now."""
        return tuple(self._found.values())

    def update(self, run: str) -> bool:
        """Note that a run changed, appeared or was removed. Returns whether an alert went with it."""
        self._pending[run] = None
        return run not in self._catalog.runs and self._set(run, None)

    def rest(self) -> None:
        """Check runs again that grew when they were checked."""
        self._pending.update(dict.fromkeys(self._unsettled))
        self._unsettled.clear()

    def advance(self, until: float) -> bool:
        """Check further runs, at least one, until a time of ``time.monotonic``. Returns whether alerts changed."""
        is_changed = False
        while self._pending:
            run = next(iter(self._pending))
            del self._pending[run]
            is_changed |= self._look(run)
            if time.monotonic() > until:
                break
        return is_changed

    def _look(self, run: str) -> bool:
        runs, now = self._catalog.runs, time.time()
        store = runs.get(run)
        stores = [] if store is None else rank_stores(store, runs)
        if store is None or stores[0] is not store:  # the first rank has the alert of a training
            return self._set(run, None)
        is_live = any(each.state(now) == "live" for each in stores)
        if is_live or now - max(each.written_at or 0.0 for each in stores) < _SETTLED_S:
            self._unsettled.add(run)
        return self._set(run, None if is_live else self._alert(store, stores))

    def _alert(self, store: RunStore, stores: list[RunStore]) -> Alert | None:
        # a viewer answers before it imports what reads logs
        from mindscope.debug.logs.crash import CrashKind
        from mindscope.reading.failures import find_failures, read_failures
        from mindscope.reading.training_logs import TrainingLogs, crashes_of

        with suppress(OSError):
            crashes = crashes_of(TrainingLogs(self._catalog.runs).of(store), stores)
            if crashes:
                crash = crashes[0].crash
                error = "" if crash.kind is CrashKind.INTERRUPTED else crash.errors[-1].error
                return _alert(store, crash.modified_at, error)
            for each in stores:
                if any(content.kind is ContentKind.RUNNING_DATA for content in each.contents):
                    running_data = read_failures(find_failures(Path(each.path))).running_data
                    if error := next((data.error for data in running_data if data.error), ""):
                        return _alert(store, each.written_at or 0.0, error)
        return None

    def _set(self, run: str, alert: Alert | None) -> bool:
        if self._found.get(run) == alert:
            return False
        others = {key: value for key, value in self._found.items() if key != run}
        self._found = others if alert is None else {**others, run: alert}
        return True


def _alert(store: RunStore, wall_time: float, error: str) -> Alert | None:
    step = store.last_step or 0
    finding = Finding(step, wall_time, 0.0, step, 1, is_active=True)
    return alert_of(FAILED, store.id, "", finding, error) if error else None
