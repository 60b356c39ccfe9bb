# SPDX-License-Identifier: Apache-2.0
"""The text of a notification, from alerts and a template."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template
from urllib.parse import quote, urlencode

from mindscope.alerts.alert import Alert
from mindscope.errors import SettingsError

FIELDS = ("run", "alert", "severity", "tag", "step", "value", "message", "link")
"""What a template may name."""
TITLE = "mindscope: $alert in $run"
TEMPLATE = "$run: $message ($alert, $severity) at step $step, value $value. $link"
_SEVERE = frozenset({"failed", "nan", "divergence", "exploding"})
_HISTOGRAMS = frozenset({"vanishing", "exploding", "dead"})
MOST_LINES = 20
_LONGEST = 500
_MENTION = re.compile(r"@(?=\w)|<(?=[!@#&])")
"""What chats read as a call of people: a text of a log must not call anyone."""
_SPACES = re.compile(r" +")
_JOINER = "\N{WORD JOINER}"


@dataclass(frozen=True, slots=True)
class Message:
    """One notification. ``is_severe`` if one of its alerts is an error."""

    title: str
    body: str
    is_severe: bool


def severity_of(alert: Alert) -> str:
    """Return ``error`` for an alert that ruins a training, else ``warning``."""
    return "error" if alert.rule in _SEVERE else "warning"


def check_template(text: str, name: str) -> str:
    """Return a template. Raises SettingsError, which lists the fields."""
    try:
        Template(text).substitute(dict.fromkeys(FIELDS, ""))
    except (KeyError, ValueError) as error:
        what = f"${error.args[0]}" if isinstance(error, KeyError) else text
        fields = ", ".join(f"${field}" for field in FIELDS)
        raise SettingsError(f"{name} can't fill {what!r}; its fields are {fields}, and $$ is a dollar sign.") from None
    return text


def link_to(base: str, alert: Alert) -> str:
    """Return the address of the page that shows an alert; empty without the address of a viewer."""
    if not base:
        return ""
    page = "logs" if alert.rule == "failed" else "histograms" if alert.rule in _HISTOGRAMS else "scalars"
    query = {"log": alert.run} if page == "logs" else {"run": alert.run, "at": str(alert.finding.step)}
    return f"{base.rstrip('/')}/{page}?{urlencode(query, quote_via=quote)}"


def make_message(alerts: Sequence[Alert], more: int, title: str, template: str, link: str) -> Message:
    """Return the notification of one or more alerts; ``more`` counts those that found no room."""
    lines = [_line(template, _fields(alert, link)) for alert in alerts[:MOST_LINES]]
    left_out = len(alerts) - len(lines) + more
    if left_out:
        lines.append(f"{left_out} more; mindscope watch prints all.")
    subject = _line(title, _fields(alerts[0], link))
    if len(alerts) + more > 1:
        subject = f"mindscope: {len(alerts) + more} alerts in {_runs(alerts)}"
    is_severe = any(severity_of(alert) == "error" for alert in alerts)
    return Message(subject, "\n".join(lines), is_severe)


def _runs(alerts: Sequence[Alert]) -> str:
    runs = list(dict.fromkeys(_plain(alert.run) for alert in alerts))
    return runs[0] if len(runs) == 1 else f"{len(runs)} runs"


def _fields(alert: Alert, link: str) -> dict[str, str]:
    finding = alert.finding
    values = {
        "run": alert.run, "alert": alert.rule, "severity": severity_of(alert), "tag": alert.tag,
        "step": str(finding.step), "value": f"{finding.value:.6g}", "message": alert.message,
    }  # fmt: skip
    return {**{name: _plain(value) for name, value in values.items()}, "link": link_to(link, alert)}


def _line(template: str, fields: dict[str, str]) -> str:
    return _SPACES.sub(" ", Template(template).substitute(fields)).strip()


def _plain(text: str) -> str:
    """Return a text of a log in one printable line that mentions no person in a chat."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    printable = printable if len(printable) <= _LONGEST else f"{printable[:_LONGEST]}…"
    return _MENTION.sub(lambda match: match[0] + _JOINER, printable)
