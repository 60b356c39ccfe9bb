# SPDX-License-Identifier: Apache-2.0
"""A thread that looks for what is wrong in runs that changed, and tells the pages."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from threading import Event, Lock, Thread

from pydantic import BaseModel

from mindscope.alerts import CHECKS, Alert, Monitor, Parameters, Rule, check_rule, expression_rule
from mindscope.annotations import Annotations
from mindscope.errors import ExpressionError
from mindscope.ingest import Catalog
from mindscope.server.alerts.schema import LiveAlerts
from mindscope.server.annotations.query import answer_annotations
from mindscope.server.annotations.schema import AnnotationRecords, LiveAnnotations, MuteRecord
from mindscope.server.annotations.store import annotations_of
from mindscope.server.http.context import Viewer
from mindscope.server.live.event_stream import EventStream
from mindscope.server.live.schema import LiveChange

log = logging.getLogger(__name__)

GATHERING_S = 0.25
"""Changes within this time are looked at together."""
TICK_S = 5.0
"""So often the clock is asked whether a training is stuck, and the annotations whether another process changed them."""
LONGEST_REST_S = 0.5
LONGEST_END_S = 5.0
"""For a long series that is being looked at; its thread ends with the process."""
THRESHOLD = "threshold:"
"""How the rule of a threshold is called: this, and the id of the threshold."""


class AlertWorker:
    """The alerts of a viewer: a thread that looks at the runs that the event stream names."""

    def __init__(self, catalog: Catalog, annotations: Annotations, stream: EventStream, parameters: Parameters) -> None:
        self._catalog = catalog
        self._annotations = annotations
        self._stream = stream
        self._monitor = Monitor(catalog, parameters, ())
        self._lock = Lock()  # guards the two below
        self._changed: dict[str, None] = {}  # runs to look at, in the order in which they changed
        self._version = 0
        self._news = Event()
        self._stopping = Event()
        self._revision = -1  # of the annotations, whose thresholds are looked for
        self._told_revision = -1  # of the annotations, that pages know of
        self._mutes: tuple[MuteRecord, ...] = ()  # of that revision
        self._stuck: frozenset[str] = frozenset()  # ids of the alerts of the clock that were told
        self._thread = Thread(target=self._work, name="mindscope-alerts", daemon=True)
        stream.listen(self._on_event)

    @property
    def version(self) -> int:
        """Grows with every change of an alert or of what is muted."""
        return self._version

    @property
    def mutes(self) -> tuple[MuteRecord, ...]:
        """What people don't want to be shown, as of this version."""
        return self._mutes

    def alerts(self, now: float) -> list[Alert]:
        """Everything that was found, muted or not, the newest first."""
        return self._monitor.alerts(now)

    def start(self) -> None:
        """Begin with all runs that are there."""
        self._check(self._catalog.runs)
        self._thread.start()

    def close(self) -> None:
        """Stop, and wait a while for the thread to end; nothing happens when it was not started."""
        self._stopping.set()
        self._news.set()
        if self._thread.is_alive():
            self._thread.join(LONGEST_END_S)

    def _on_event(self, name: str, message: BaseModel) -> None:
        if isinstance(message, LiveChange):
            self._check(message.runs)
        elif isinstance(message, LiveAnnotations):
            self._told_revision = max(self._told_revision, message.revision)
            self._news.set()

    def _check(self, runs: Iterable[str]) -> None:
        """These runs changed, came or went."""
        with self._lock:
            self._changed.update(dict.fromkeys(runs))
        self._news.set()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follow_annotations()
                self._look()
                self._ask_the_clock()
            except Exception:
                log.exception("alerts could not be looked for; tried again in %g s", TICK_S)
            self._news.wait(TICK_S)
            self._news.clear()
            self._stopping.wait(GATHERING_S)

    def _follow_annotations(self) -> None:
        """Take over thresholds and mutes; tell pages of a change by another process too."""
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
        if not is_first and revision > self._told_revision:
            self._stream.announce("annotations", LiveAnnotations(revision=revision))
        if not is_first:
            self._announce()

    def _look(self) -> None:
        """Look at all runs that changed, those that were written last first, with rests for whoever looks at a page."""
        with self._lock:
            changed, self._changed = self._changed, {}
        for run in sorted(changed, key=self._age):
            if self._stopping.is_set():
                return
            began = time.monotonic()
            if self._monitor.update(run):
                self._announce()
            self._stopping.wait(min(time.monotonic() - began, LONGEST_REST_S))

    def _age(self, run: str) -> float:
        store = self._catalog.runs.get(run)
        return -(store.last_wall_time or 0.0) if store else 0.0

    def _ask_the_clock(self) -> None:
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
    """The alerts of a viewer. Raises SettingsError when their parameters can't be used."""

    def make() -> AlertWorker:
        parameters = Parameters.from_text(viewer.settings.alerts)
        return AlertWorker(viewer.catalog, annotations_of(viewer), viewer.shared(EventStream), parameters)

    return viewer.shared(AlertWorker, make)


def rules_of(records: AnnotationRecords) -> list[Rule]:
    """The built-in checks and the thresholds that are enabled; one that can't be read says so in its record."""
    rules = [check_rule(name) for name in CHECKS]
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
