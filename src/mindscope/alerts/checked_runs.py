# SPDX-License-Identifier: Apache-2.0
"""Keeps the alerts of runs that no longer grow in the cache, so that the next process need not read their curves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, replace
from typing import Any, NamedTuple

from mindscope.alerts.alert import Alert, Finding
from mindscope.alerts.parameters import Parameters
from mindscope.alerts.rules import CHECKS, Rule
from mindscope.alerts.run_checks import alert_of
from mindscope.store import RunStore
from mindscope.store.record_cache import OpenTable, RecordCache, files_key
from mindscope.store.run_index import State

NAME = "alerts"
FORMAT = 1
"""Increase it with every change of the records, or of what a check finds."""


class _Entry(NamedTuple):
    """Alerts to save, and what they depend on."""

    key: object
    alerts: tuple[Alert, ...]


class CheckedRuns:
    """The alerts of runs by curves, as an earlier process found them. Only one thread at a time may use it.

    They are valid for the same event files, rules and parameters.
    """

    def __init__(self, open_table: OpenTable, parameters: Parameters) -> None:
        self._records = RecordCache(open_table, NAME, FORMAT, _record)
        self._parameters = repr(parameters)
        self._digests: tuple[tuple[Rule, ...], str] = ((), "")  # of the rules for all runs

    def open(self) -> None:
        """Read the table, once there is one."""
        self._records.open()

    def key(self, store: RunStore, rules: Sequence[Rule]) -> object:
        """Return what the alerts of a run depend on; it changes whenever the event files do."""
        return [self._digest(tuple(rules), store.id), files_key(store)]

    def _digest(self, rules: tuple[Rule, ...], run: str) -> str:
        if any(rule.runs is not None for rule in rules):
            return self._digest(tuple([replace(rule, runs=None) for rule in rules if rule.is_for(run)]), run)
        if self._digests[0] != rules:
            self._digests = rules, self._text_digest(rules)
        return self._digests[1]

    def _text_digest(self, rules: Iterable[Rule]) -> str:
        conditions = sorted(
            (rule.name, "" if rule.condition is None else rule.condition.text, rule.for_steps, rule.tag or "")
            for rule in rules
            if rule.watchpoint is None
        )
        text = repr((self._parameters, conditions))
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def find(self, store: RunStore, key: object) -> tuple[Alert, ...] | None:
        """Return the alerts of a run with this ``key``; None if there are none of it."""
        saved = self._records.find(store.id)
        if saved is None:
            return None
        self._records.forget(store.id)
        try:
            if saved[0]["key"] != key:
                return None
            return tuple([_alert(store.id, *row) for row in json.loads(saved[1])])
        except (LookupError, TypeError, ValueError, RecursionError):
            return None

    def add(self, store: RunStore, key: object, alerts: tuple[Alert, ...]) -> None:
        """Save the alerts of a run soon."""
        self._records.add(store.id, _Entry(key, alerts))

    def save(self, ids: Iterable[str]) -> None:
        """Begin to write what was added. ``ids`` are all runs."""
        self._records.save(ids)

    def close(self, ids: Iterable[str]) -> None:
        """Write what was added, and wait until it is written."""
        self._records.close(ids)


def _record(entry: _Entry) -> State:
    rows = [[alert.rule, alert.tag, alert.message, *astuple(alert.finding)] for alert in entry.alerts]
    return {"key": entry.key}, json.dumps(rows, separators=(",", ":")).encode()


def _alert(run: str, rule: str, tag: str, message: str, *finding: Any) -> Alert:
    step, wall_time, value, last_step, count, is_active = finding
    return alert_of(
        rule,
        run,
        tag,
        Finding(int(step), float(wall_time), float(value), int(last_step), int(count), bool(is_active)),
        CHECKS.get(rule, message),
    )
