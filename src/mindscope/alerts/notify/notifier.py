# SPDX-License-Identifier: Apache-2.0
"""Sends alerts to targets on threads of their own, so that no target delays or stops the watch."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from threading import Condition, Thread

from mindscope.alerts.alert import Alert
from mindscope.alerts.notify.message import make_message
from mindscope.alerts.notify.settings import NotifySettings, TargetSettings
from mindscope.alerts.notify.targets import NotifyTarget, open_target

MOST_WAITING = 1000
"""Alerts that wait for a target; further ones are counted only."""
_MOST_PAUSE_S = 60.0
_MOST_KEYS = 10_000


class Notifier:
    """Sends alerts to all targets. ``add`` never waits and never raises.

    Raises SettingsError, MissingPackageError for a target that can't be opened.
    """

    def __init__(
        self, settings: NotifySettings, report: Callable[[str], None], environ: Mapping[str, str] | None = None
    ) -> None:
        """``report`` takes texts for people, from other threads; ``environ`` is that of the process if None."""
        self._settings = settings
        variables = os.environ if environ is None else environ
        opened = [(target, open_target(target.url, target.name, variables)) for target in settings.targets]
        self._senders = [_Sender(chosen, target, settings, report) for chosen, target in opened]

    def add(self, alert: Alert) -> None:
        """Have an alert sent to the targets that take it."""
        for sender in self._senders:
            sender.add(alert)

    def close(self, flush_s: float | None = None) -> None:
        """Send what waits, for up to ``flush_s`` seconds, by default those of the settings; report what is left."""
        deadline = time.monotonic() + (self._settings.flush_s if flush_s is None else flush_s)
        for sender in self._senders:
            sender.finish()
        for sender in self._senders:
            sender.join(deadline)


class _Sender:
    """The thread of one target."""

    def __init__(
        self, chosen: TargetSettings, target: NotifyTarget, settings: NotifySettings, report: Callable[[str], None]
    ) -> None:
        self._chosen, self._target, self._settings, self._report = chosen, target, settings, report
        self._changed = Condition()  # guards the fields below
        self._waiting: list[Alert] = []
        self._more = 0  # alerts that found no room
        self._is_over = False
        self._sent_at: dict[tuple[str, str, str], float] = {}  # by rule, run and tag, of the thread that adds
        self._is_failing = False  # the thread of the target said so
        self._thread = Thread(target=self._run, name="notify", daemon=True)
        self._thread.start()

    def add(self, alert: Alert) -> None:
        if not self._takes(alert):
            return
        with self._changed:
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(alert)
            else:
                self._more += 1
            self._changed.notify_all()

    def finish(self) -> None:
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def join(self, deadline: float) -> None:
        self._thread.join(max(0.0, deadline - time.monotonic()))
        with self._changed:
            left = len(self._waiting) + self._more
        if left and self._thread.is_alive():
            alerts = "1 alert was" if left == 1 else f"{left} alerts were"
            self._report(f"{alerts} not sent to {self._target.name} before the end of the watch.")

    def _takes(self, alert: Alert) -> bool:
        """Return whether an alert is one of the target, and none of its kind was sent a short time ago."""
        is_chosen = any(fnmatchcase(alert.rule, pattern) for pattern in self._chosen.alerts) and any(
            fnmatchcase(alert.run, pattern) for pattern in self._chosen.runs
        )
        key, now = (alert.rule, alert.run, alert.tag), time.monotonic()
        if not is_chosen or now - self._sent_at.get(key, -float("inf")) < self._settings.quiet_s:
            return False
        if len(self._sent_at) >= _MOST_KEYS:
            del self._sent_at[next(iter(self._sent_at))]
        self._sent_at[key] = now
        return True

    def _run(self) -> None:
        while self._wait_for_alerts():
            with self._changed:
                alerts, more = list(self._waiting), self._more
            failure = self._attempt(partial(self._send, alerts, more))
            with self._changed:
                del self._waiting[: len(alerts)]
                self._more -= more
            self._tell(failure)

    def _send(self, alerts: Sequence[Alert], more: int) -> str | None:
        settings = self._settings
        return self._target.send(make_message(alerts, more, settings.title, settings.template, settings.link))

    def _wait_for_alerts(self) -> bool:
        """Wait for an alert, then for those that follow it at once; returns False at the end of the watch."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._waiting:
                self._changed.wait_for(lambda: self._is_over, self._settings.join_s)
            return bool(self._waiting)

    def _attempt(self, send: Callable[[], str | None]) -> str | None:
        """Send until the target takes the message; returns the last reason why it did not."""
        failure: str | None = None
        for attempt in range(self._settings.attempts):
            if attempt:
                time.sleep(min(_MOST_PAUSE_S, self._settings.pause_s * 2 ** (attempt - 1)))
            failure = _safely(send)
            if failure is None:
                return None
        return failure

    def _tell(self, failure: str | None) -> None:
        """Report the first failure of a series."""
        if failure is not None and not self._is_failing:
            self._report(f"{self._target.name} does not take notifications ({failure}); the watch continues.")
        self._is_failing = failure is not None


def _safely(send: Callable[[], str | None]) -> str | None:
    try:
        return send()
    except Exception as error:  # nothing that a target does stops the watch
        return type(error).__name__
