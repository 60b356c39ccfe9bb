# SPDX-License-Identifier: Apache-2.0
"""Stream of alerts of all runs below a directory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from mindscope.alerts.alert import Alert
from mindscope.alerts.monitor import Monitor
from mindscope.alerts.parameters import Parameters
from mindscope.alerts.rules import Rule
from mindscope.archive.names import archive_of
from mindscope.errors import DebugDataError, ExpressionError, RunNotFoundError
from mindscope.ingest import Catalog, Watcher
from mindscope.ingest.mirrored import followed, mirrored_directory
from mindscope.stats.expression import require_tags
from mindscope.storage.addresses import local_path
from mindscope.types import Kind

_PART_S = 1.0
"""Alerts of watchpoints are reported after this time."""


def find_alerts(
    base: str | Path, rules: Sequence[Rule], parameters: Parameters | None = None, *, follow_links: bool = False
) -> list[Alert]:
    """Return the alerts of ``rules`` in the runs as they are, the oldest first.

    Raises RunNotFoundError without a run, and as ``require_known``.
    """
    catalog = Catalog(base, follow_links=follow_links)
    catalog.refresh()
    monitor = Monitor(catalog, parameters, rules)
    _update(monitor, catalog, is_followed=False)
    if not catalog.runs and not monitor.has_debugging_data:
        raise RunNotFoundError(
            f"{base} holds no event file, profile, dump or log at any depth; give the directory that a training wrote"
        )
    require_known(catalog, monitor)
    return list(_new_alerts(monitor, set()))


def follow_alerts(
    base: str | Path,
    rules: Sequence[Rule],
    parameters: Parameters | None = None,
    interval_s: float = 3.0,
    *,
    follow_links: bool = False,
) -> Iterator[Alert]:
    """Yield each alert of ``rules`` once, as runs are written.

    It ends when every run was closed by its writer, and at once for an archive. Watches files, and checks them at least
    every ``interval_s`` seconds. Raises RunNotFoundError if the directory does not exist, and in the end as
    ``require_known``.
    """
    is_archived = archive_of(base) is not None
    directory = mirrored_directory(base) or local_path(base)
    if not directory.is_dir():
        raise RunNotFoundError(f"{base} is no directory; give the one that holds your runs, or create it first")
    with followed(base, interval_s):
        catalog = Catalog(directory, follow_links=follow_links)
        monitor = Monitor(catalog, parameters, rules)
        changed, reported = Event(), set[str]()
        watcher = Watcher(catalog, interval_s)
        watcher.add_listener(lambda runs: changed.set())
        watcher.start()
        try:
            while True:
                changed.clear()
                is_over = is_archived or _is_over(catalog)  # before the look: what is written later is not needed
                _update(monitor, catalog, is_followed=True)
                yield from _new_alerts(monitor, reported)
                if is_over:
                    require_known(catalog, monitor)
                    return
                changed.wait(interval_s)
        finally:
            watcher.stop()


def require_known(catalog: Catalog, monitor: Monitor) -> None:
    """Raises ExpressionError, which names near tags, when no run has the tags of a rule.

    Raises DebugDataError when there is a watchpoint, and no run has debugging data.
    """
    rules = monitor.rules
    if any(rule.watchpoint for rule in rules) and not monitor.has_debugging_data:
        raise DebugDataError(
            "no run has debugging data for a watchpoint: record it with mindscope.torch.Debugger, or give a dump"
        )
    known = [frozenset(store.tags(Kind.SCALAR)) for store in catalog.runs.values()]
    for rule in rules:
        if rule.condition is not None and not any(here.issuperset(rule.tags) for here in known):
            require_tags(rule.condition.text, rule.tags, {tag for here in known for tag in here})
            raise ExpressionError(
                f"{rule.condition.text!r}: no run has all of {', '.join(rule.tags)}; watch them apart"
            )


def _update(monitor: Monitor, catalog: Catalog, *, is_followed: bool) -> None:
    for run in tuple(catalog.runs):
        monitor.update(run)
    monitor.update_dumps(is_followed=is_followed)


def _new_alerts(monitor: Monitor, reported: set[str]) -> Iterator[Alert]:
    """Yield alerts that were not reported yet, those of watchpoints while they are evaluated."""
    is_first = True
    while is_first or monitor.is_watching:
        is_first = False
        monitor.watch(time.monotonic() + _PART_S)
        for alert in reversed(monitor.alerts(time.time())):
            if alert.id not in reported:
                reported.add(alert.id)
                yield alert


def _is_over(catalog: Catalog) -> bool:
    """Return whether each writer closed its file; runs without event files, such as logs, have none to wait for."""
    now = time.time()
    written = [store for store in catalog.runs.values() if store.files]
    return bool(written) and all(store.state(now) == "finished" for store in written)
