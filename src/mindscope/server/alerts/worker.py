# SPDX-License-Identifier: Apache-2.0
"""A thread that checks changed runs for alerts, and informs the pages."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from threading import Event, Lock, Thread

from pydantic import BaseModel

from mindscope.alerts import (
    CHECKS,
    RECOMMENDED,
    Alert,
    Monitor,
    Parameters,
    Rule,
    check_rule,
    expression_rule,
    watchpoint_rules,
)
from mindscope.alerts.checked_runs import CheckedRuns
from mindscope.annotations import Annotations
from mindscope.errors import ExpressionError
from mindscope.ingest import Catalog
from mindscope.server.alerts.schema import LiveAlerts
from mindscope.server.annotations.query import answer_annotations
from mindscope.server.annotations.schema import AnnotationRecords, LiveAnnotations, MuteRecord
from mindscope.server.annotations.store import annotations_of
from mindscope.server.http.context import Viewer
from mindscope.server.live.event_stream import LiveEvents
from mindscope.server.live.schema import LiveChange

log = logging.getLogger(__name__)

GATHERING_S = 0.25
"""Changes within this time are checked together."""
TICK_S = 5.0
"""Interval of the checks for stuck trainings, and for annotations that another process has changed."""
SHORTEST_REST_S, LONGEST_REST_S = 0.01, 0.5
LONGEST_END_S = 5.0
"""Seconds that ``close`` waits for a check of a long series; the thread ends with the process."""
PART_S = 0.05
"""Watchpoints are evaluated for this long, and rest as long, so that pages get responses."""
MOST_ROWS = 3_000_000
"""Limit of the rows of debugging data that are long when the viewer opens them, some ten seconds of work."""
THRESHOLD = "threshold:"
"""Prefix of the rule of a threshold; its id follows."""


class AlertWorker:
    """The alerts of a viewer: a thread that checks the runs that the event stream names."""

    def __init__(self, catalog: Catalog, annotations: Annotations, stream: LiveEvents, parameters: Parameters) -> None:
        self._catalog = catalog
        self._annotations = annotations
        self._stream = stream
        self._checked = CheckedRuns(catalog.cache_table, parameters)
        self._monitor = Monitor(catalog, parameters, (), MOST_ROWS, self._checked)
        self._lock = Lock()  # guards the two below
        self._changed: dict[str, None] = {}  # runs to check, in the order of their changes
        self._version = 0
        self._news = Event()
        self._stopping = Event()
        self._revision = -1  # of the annotations, whose thresholds are checked
        self._sent_revision = -1  # of the annotations, as last sent to the pages
        self._mutes: tuple[MuteRecord, ...] = ()  # of that revision
        self._stuck: frozenset[str] = frozenset()  # ids of the alerts of stuck trainings, as last sent
        self._thread = Thread(target=self._work, name="mindscope-alerts", daemon=True)
        stream.listen(self._on_event)

    @property
    def version(self) -> int:
        """Grows with each change of an alert or a mute."""
        return self._version

    @property
    def mutes(self) -> tuple[MuteRecord, ...]:
        """The mutes of this version."""
        return self._mutes

    def alerts(self, now: float) -> list[Alert]:
        """Return all alerts, muted or not, the newest first."""
        return self._monitor.alerts(now)

    def start(self) -> None:
        """Start the thread with a check of all runs."""
        self._check(self._catalog.runs)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, and wait at most ``LONGEST_END_S`` for its end."""
        self._stopping.set()
        self._news.set()
        if self._thread.is_alive():
            self._thread.join(LONGEST_END_S)
        if not self._thread.is_alive():
            self._checked.close(self._catalog.runs)

    def _on_event(self, name: str, message: BaseModel) -> None:
        if isinstance(message, LiveChange):
            self._check(message.runs)
        elif isinstance(message, LiveAnnotations):
            self._sent_revision = max(self._sent_revision, message.revision)
            self._news.set()

    def _check(self, runs: Iterable[str]) -> None:
        """Queue runs that have changed, appeared or disappeared."""
        with self._lock:
            self._changed.update(dict.fromkeys(runs))
        self._news.set()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follow_annotations()
                self._check_changed()
                self._check_stuck()
                self._watch()
            except Exception:
                log.exception("the check for alerts failed; it is repeated in %g s", TICK_S)
            self._news.wait(0 if self._monitor.is_watching else TICK_S)
            self._news.clear()
            self._stopping.wait(GATHERING_S)

    def _follow_annotations(self) -> None:
        """Read changed thresholds and mutes; inform pages of a change by another process."""
        revision = self._annotations.revision()
        if revision == self._revision:
            return
        records = answer_annotations(self._annotations)
        is_first, self._revision = self._revision < 0, revision
        self._mutes = tuple(mute for mute in records.mutes.values() if mute is not None)
        rules = rules_of(records)
        if rules != list(self._monitor.rules):
            self._monitor.set_rules(rules)
            self._check(self._catalog.runs)
        if not is_first and revision > self._sent_revision:
            self._stream.announce("annotations", LiveAnnotations(revision=revision))
        if not is_first:
            self._announce()

    def _check_changed(self) -> None:
        """Check all changed runs, the last written first. Pauses between runs, so that pages get responses."""
        with self._lock:
            changed, self._changed = self._changed, {}
        self._checked.open()
        began = time.monotonic()
        for run in sorted(changed, key=self._age):
            if self._stopping.is_set():
                return
            if self._monitor.update(run):
                self._announce()
            if (work := time.monotonic() - began) >= SHORTEST_REST_S:
                self._stopping.wait(min(work, LONGEST_REST_S))
                began = time.monotonic()
        self._checked.save(self._catalog.runs)

    def _watch(self) -> None:
        """Evaluate watchpoints over debugging data until other work is there."""
        while self._monitor.is_watching and not self._stopping.is_set():
            began = time.monotonic()
            if self._monitor.watch(began + PART_S):
                self._announce()
            self._stopping.wait(min(time.monotonic() - began, LONGEST_REST_S))
            if self._news.is_set():
                return

    def _age(self, run: str) -> float:
        store = self._catalog.runs.get(run)
        return -(store.last_wall_time or 0.0) if store else 0.0

    def _check_stuck(self) -> None:
        now = time.time()
        self._monitor.rest(now)
        stuck = frozenset(alert.id for alert in self._monitor.alerts(now) if alert.rule == "stuck")
        if stuck != self._stuck:
            self._stuck = stuck
            self._announce()

    def _announce(self) -> None:
        with self._lock:
            self._version += 1
        self._stream.announce("alerts", LiveAlerts(version=self._version))


def alerts_of(viewer: Viewer) -> AlertWorker:
    """Return the alerts of a viewer. Raises SettingsError for invalid parameters."""

    def make() -> AlertWorker:
        parameters = Parameters.from_text(viewer.settings.alerts)
        return AlertWorker(viewer.catalog, annotations_of(viewer), viewer.shared(LiveEvents), parameters)

    return viewer.shared(AlertWorker, make)


def rules_of(records: AnnotationRecords) -> list[Rule]:
    """Return built-in checks, recommended watchpoints and enabled thresholds, without those whose rule is invalid."""
    rules = [*map(check_rule, CHECKS), *watchpoint_rules(RECOMMENDED)]
    for key, threshold in records.thresholds.items():
        if threshold is None or not threshold.enabled:
            continue
        try:
            rule = expression_rule(
                THRESHOLD + key,
                threshold.rule,
                for_steps=threshold.for_steps,
                tag=threshold.tag,
                runs=threshold.runs,
            )
        except ExpressionError:
            continue
        rules.append(rule)
    return rules
