# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over the debugging data of all trainings of a catalog."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock

from mindscope.alerts.alert import Alert, TensorHits
from mindscope.alerts.rules import Rule
from mindscope.alerts.run_checks import alert_of
from mindscope.alerts.watched_data import DataKey, DumpData, RecordedData, WatchedData
from mindscope.alerts.watchpoint_check import WatchpointCheck
from mindscope.analysis.ranks import rank_stores
from mindscope.artifacts.version import DirectoryVersions
from mindscope.errors import MindscopeError
from mindscope.ingest import Catalog
from mindscope.reading.debug import has_statistics
from mindscope.reading.debugging_data import OWN, existing_cache

log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Watched:
    """Debugging data of one training, and what was found in them."""

    data: WatchedData
    check: WatchpointCheck | None = None
    """None while nothing is left to evaluate and no step is expected."""
    evaluated: tuple[object, ...] = ()
    """The state of the data at the last evaluation."""
    alerts: tuple[Alert, ...] = ()


class WatchpointMonitor:
    """Evaluates debugging data in small parts. ``alerts`` is for any thread, everything else for one.

    Args:
        catalog: the runs.
        calm: as ``WatchpointCheck``.
        most_rows: as ``WatchpointCheck``.
    """

    def __init__(self, catalog: Catalog, calm: int, most_rows: int | None = None) -> None:
        self._catalog, self._calm, self._most_rows = catalog, calm, most_rows
        self._directory_versions = DirectoryVersions()
        self._cache = existing_cache()
        self._rules: tuple[Rule, ...] = ()
        self._watched: dict[DataKey, _Watched] = {}
        self._pending: dict[DataKey, None] = {}
        self._lock = Lock()  # guards the one below
        self._alerts: tuple[Alert, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to evaluate."""
        return not self._pending

    @property
    def has_data(self) -> bool:
        """Whether any training has debugging data."""
        return bool(self._watched)

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """The alerts of watchpoints until now."""
        with self._lock:
            return self._alerts

    def set_rules(self, rules: Sequence[Rule]) -> None:
        """Evaluate these watchpoints from now on, in all data again if they changed."""
        watchpoints = tuple([rule for rule in rules if rule.watchpoint is not None])
        if watchpoints == self._rules:
            return
        self._rules = watchpoints
        for key, value in self._watched.items():
            value.check, value.evaluated, value.alerts = None, (), ()
            self._pending[key] = None
        self._publish()

    def update(self, run: str) -> bool:
        """Note that a run changed, appeared or was removed. Returns whether alerts went with it."""
        runs = self._catalog.runs
        store = runs.get(run)
        if (store is None or not has_statistics(store)) and not self._holding((run,)):
            return False
        stores = (
            []
            if store is None
            else [rank_store for rank_store in rank_stores(store, runs) if has_statistics(rank_store)]
        )
        ids = [each.id for each in stores]
        outdated = [key for key in self._holding((run, *ids)) if not ids or key != (ids[0], OWN)]
        for id in {id for key in outdated for id in self._forget(key) if id not in (run, *ids)}:
            self.update(id)  # ranks of a training that this run was taken for
        if ids:
            self._note(RecordedData(stores))
        return self._publish()

    def update_dumps(self, *, is_followed: bool) -> None:
        """Look for dumps of other tools, and note those that changed; ``is_followed``: further steps are expected."""
        known = {key: value.data for key, value in self._watched.items() if isinstance(value.data, DumpData)}
        versions = {key: value.version for key, value in known.items()}
        below = DumpData.below(self._catalog, versions, self._directory_versions, self._cache, is_followed=is_followed)
        found = {each.key: each for each in below}
        for key in known.keys() - found.keys():
            self._forget(key)
        for data in found.values():
            self._note(data)
        self._publish()

    def rest(self, now: float) -> None:
        """Evaluate trainings again that do not grow any more, and free their state."""
        for key, value in self._watched.items():
            if value.check is not None and value.data.state(now) != value.evaluated:
                self._pending[key] = None

    def advance(self, until: float) -> bool:
        """Evaluate further steps, at least one, until a time of ``time.monotonic``. Returns whether alerts changed."""
        while self._pending:
            self._advance(max(self._pending, key=lambda key: self._watched[key].data.last_wall_time), until)
            if time.monotonic() > until:
                break
        return self._publish()

    def _note(self, data: WatchedData) -> None:
        watched = self._watched.setdefault(data.key, _Watched(data))
        watched.data = data
        if watched.evaluated != data.state(time.time()):
            self._pending[data.key] = None

    def _holding(self, runs: Sequence[str]) -> list[DataKey]:
        """Return recorded data in any of these runs."""
        return [
            key for key, value in self._watched.items()
            if isinstance(value.data, RecordedData) and not set(runs).isdisjoint(value.data.runs)
        ]  # fmt: skip

    def _forget(self, key: DataKey) -> tuple[str, ...]:
        """Returns the runs of the data."""
        self._pending.pop(key, None)
        data = self._watched.pop(key).data
        return data.runs if isinstance(data, RecordedData) else ()

    def _advance(self, key: DataKey, until: float) -> None:
        watched = self._watched[key]
        try:
            is_over = self._evaluate(watched, until)
        except (MindscopeError, OSError) as error:
            log.warning("watchpoints over %s of run %s failed: %s", key[1], key[0], error)
            is_over, watched.check = True, None
        except Exception:
            log.exception("watchpoints over %s of run %s failed; others are evaluated", key[1], key[0])
            is_over, watched.check = True, None
        if watched.check is not None:
            watched.alerts = tuple(self._found(watched.data, watched.check))
        if is_over:
            self._pending.pop(key, None)
            if not watched.data.is_growing(time.time()):
                watched.check = None

    def _evaluate(self, watched: _Watched, until: float) -> bool:
        """Evaluate further steps; returns whether none is left."""
        data, state = watched.data, watched.data.state(time.time())
        if watched.check is None or watched.evaluated != state:
            watched.evaluated = state
            rules = [rule for rule in self._rules if rule.is_for(data.key[0])]
            check = watched.check or WatchpointCheck(rules, self._calm, self._most_rows)
            check.update(data.open(check.source), is_growing=data.is_growing(time.time()))
            watched.check = check
        while not watched.check.is_over:
            watched.check.read_next()
            if time.monotonic() > until:
                break
        return watched.check.is_over

    def _found(self, data: WatchedData, check: WatchpointCheck) -> Iterator[Alert]:
        for rule, episode, finding in check.findings():
            hit, tensor = episode.first, episode.tensor
            if rule.watchpoint is not None:
                hits = TensorHits(
                    rule.watchpoint, data.key[1], hit.rank, hit.row, tensor, hit.parameter, hit.set_value,
                    tuple(episode.ranges),
                )  # fmt: skip
                name = f"{tensor.operator} {tensor.role} {tensor.slot}"
                yield alert_of(rule.name, data.run(hit.rank), name, finding, rule.name, hits)

    def _publish(self) -> bool:
        alerts = tuple([alert for each in self._watched.values() for alert in each.alerts])
        with self._lock:
            is_changed, self._alerts = alerts != self._alerts, alerts
        return is_changed
