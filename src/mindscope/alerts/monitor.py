# SPDX-License-Identifier: Apache-2.0
"""All runs of a catalog under all rules."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from mindscope import alerts
from mindscope.alerts.alert import Alert
from mindscope.alerts.failures import FailureChecks
from mindscope.alerts.parameters import Parameters
from mindscope.alerts.rules import CHECKS, FAILED, Rule
from mindscope.alerts.run_checks import RunChecks, alert_of
from mindscope.alerts.stall import Paces, find_stuck
from mindscope.ingest import Catalog
from mindscope.store import RunStore
from mindscope.types import Kind

if TYPE_CHECKING:
    from mindscope.alerts.checked_runs import CheckedRuns
    from mindscope.alerts.watchpoint_monitor import WatchpointMonitor

log = logging.getLogger(__name__)

ALL_CHECKS = tuple(Rule(name) for name in CHECKS)


class Monitor:
    """Checks new values. ``version``, ``rules`` and ``alerts`` are for any thread, everything else for one.

    Watchpoints are evaluated by ``watch``, in parts, because debugging data may be large. ``most_rows``: of data that
    are long at first, only the newest steps with about this many rows are evaluated. ``checked`` has the alerts of an
    earlier process: runs that did not change since then are not read.
    """

    def __init__(
        self,
        catalog: Catalog,
        parameters: Parameters | None = None,
        rules: Sequence[Rule] = ALL_CHECKS,
        most_rows: int | None = None,
        checked: CheckedRuns | None = None,
    ) -> None:
        self._catalog = catalog
        self._checked = checked
        self._parameters = parameters or Parameters()
        self._rules = tuple(rules)
        self._watched: dict[str, RunChecks] = {}  # of live runs only
        self._read: dict[str, tuple[RunStore, int, tuple[Rule, ...]]] = {}  # the last check of each run
        self._paces = Paces()
        self._failures = FailureChecks(catalog)
        self._recent: tuple[int, Sequence[tuple[str, RunStore]]] = (-1, ())  # of a version of the catalog
        self._most_rows = most_rows
        self._watchpoints: WatchpointMonitor | None = None  # from the first debugging data on
        self._lock = Lock()  # guards the two below
        self._found: dict[str, tuple[Alert, ...]] = {}  # by run
        self._version = 0

    @property
    def version(self) -> int:
        """Grows with every change of an alert, except those that depend on the clock."""
        return self._version

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that are evaluated."""
        return self._rules

    def set_rules(self, rules: Sequence[Rule]) -> None:
        """Look for these from the next update of each run on."""
        self._rules = tuple(rules)
        for watched in self._watched.values():
            watched.set_rules(self._rules)
        if self._watchpoints is not None:
            self._watchpoints.set_rules(self._rules)

    def update(self, run: str) -> bool:
        """Check the new values of a run, or forget a removed run; returns whether its alerts changed."""
        store = self._catalog.runs.get(run)
        if self._watchpoints is None and store is not None and Kind.TENSOR_STATISTICS in store.tag_counts():
            self._watchpoints = self._begin_watchpoints()
        is_other = self._watchpoints is not None and self._note_change(self._watchpoints.update(run))
        is_other |= self._has(FAILED) and self._note_change(self._failures.update(run))
        return self._check(run, store) or is_other

    def update_dumps(self, *, is_followed: bool) -> None:
        """Look for dumps of other tools; ``is_followed``: further steps are expected. Raises OSError."""
        if any(rule.watchpoint is not None for rule in self._rules):
            self._watchpoints = self._watchpoints or self._begin_watchpoints()
            self._watchpoints.update_dumps(is_followed=is_followed)

    @property
    def has_debugging_data(self) -> bool:
        """Whether there is anything for watchpoints."""
        return self._watchpoints is not None and self._watchpoints.has_data

    @property
    def is_watching(self) -> bool:
        """Whether ``watch`` has something to evaluate."""
        return not self._failures.is_over or (self._watchpoints is not None and not self._watchpoints.is_over)

    def watch(self, until: float = math.inf) -> bool:
        """Look for failures, and evaluate steps, until a time of ``time.monotonic``; returns whether alerts changed."""
        is_changed = self._note_change(self._failures.advance(until))
        return (self._watchpoints is not None and self._note_change(self._watchpoints.advance(until))) or is_changed

    def _begin_watchpoints(self) -> WatchpointMonitor:
        made = alerts.WatchpointMonitor(self._catalog, self._parameters.calm_points, self._most_rows)
        made.set_rules(self._rules)
        return made

    def _note_change(self, is_changed: bool) -> bool:
        if is_changed:
            with self._lock:
                self._version += 1
        return is_changed

    def _check(self, run: str, store: RunStore | None) -> bool:
        if store is None:
            self._watched.pop(run, None)
            self._read.pop(run, None)
            self._paces.forget(run)
            return self._set(run, ())
        version = store.version  # read before the check, so that a concurrent append is checked next time
        if self._read.get(run) == (store, version, self._rules):
            return False
        try:
            alerts = self._alerts_of(run, store)
        except Exception:
            log.exception("alerts of run %s failed; the other runs are checked", run)
            alerts = self._found.get(run, ())
        self._read[run] = (store, version, self._rules)
        return self._set(run, alerts)

    def _alerts_of(self, run: str, store: RunStore) -> tuple[Alert, ...]:
        """Return the alerts by curves: those of an earlier process if the run ended and did not change since then."""
        if self._checked is None or store.state(time.time()) == "live":
            return self._read_new(run, store)
        key = self._checked.key(store, self._rules)
        saved = None if run in self._watched else self._checked.find(store, key)
        if saved is not None:
            return saved
        alerts = self._read_new(run, store)
        self._checked.add(store, key, alerts)
        return alerts

    def _read_new(self, run: str, store: RunStore) -> tuple[Alert, ...]:
        watched = self._watched.pop(run, None)
        if watched is None or watched.store is not store:
            watched = RunChecks(store, self._parameters, self._rules)
        alerts = watched.read()
        if store.state(time.time()) == "live":
            self._watched[run] = watched
        return alerts

    def rest(self, now: float) -> None:
        """Free the state of runs that no longer grow."""
        self._watched = {run: value for run, value in self._watched.items() if value.store.state(now) == "live"}
        self._failures.rest()
        if self._watchpoints is not None:
            self._watchpoints.rest(now)

    def alerts(self, now: float) -> list[Alert]:
        """Return all of them, the newest first; ``now`` is the wall time by which a training is stuck."""
        with self._lock:
            found = [alert for alerts in self._found.values() for alert in alerts]
        found += self._watchpoints.alerts if self._watchpoints is not None else ()
        found += self._failures.alerts if self._has(FAILED) else ()
        found += self._stuck(now)
        return sorted(found, key=_by_age)

    def _stuck(self, now: float) -> Iterable[Alert]:
        if not self._has("stuck"):
            return
        for id, store in self._recent_runs(now):
            finding = find_stuck(store, self._parameters, now, self._paces)
            if finding is not None:
                yield alert_of("stuck", id, "", finding, CHECKS["stuck"])

    def _has(self, check: str) -> bool:
        return any(rule.name == check and rule.condition is None for rule in self._rules)

    def _recent_runs(self, now: float) -> Sequence[tuple[str, RunStore]]:
        """Return the runs that may be stuck, and others: all that were not too old when something changed last."""
        version, runs = self._recent
        if version != self._catalog.version:
            version = self._catalog.version  # read before the runs, so that a concurrent change is seen next time
            oldest = now - self._parameters.stuck_most_s
            runs = [
                (id, store) for id, store in self._catalog.runs.items() if not (store.last_wall_time or 0.0) < oldest
            ]
            self._recent = version, runs
        return runs

    def _set(self, run: str, alerts: tuple[Alert, ...]) -> bool:
        with self._lock:
            if self._found.get(run, ()) == alerts:
                return False
            self._found[run] = alerts
            self._version += 1
        return True


def _by_age(alert: Alert) -> tuple[float, str]:
    """Return the newest first; a wall time that is no number counts as the oldest."""
    began = alert.finding.wall_time
    return (-began if math.isfinite(began) else math.inf), alert.id
