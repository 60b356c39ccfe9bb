# SPDX-License-Identifier: Apache-2.0
"""The command ``mindscope watch``."""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

import mindscope.alerts
from mindscope.cli.interruption import exit_code, terminable
from mindscope.cli.logs import FollowLinks, printable
from mindscope.cli.usage import usage
from mindscope.errors import ExpressionError

if TYPE_CHECKING:
    from mindscope.alerts import Alert, Rule
    from mindscope.alerts.alert import TensorHits
    from mindscope.alerts.notify import Notifier

ANY = "any"
FIRED = 3
INTERRUPTED_FLUSH_S = 3.0
"""After Ctrl-C, notifications that wait are tried for this time."""


def watch(
    directory: Annotated[str, typer.Argument(metavar="DIR", help="A run, or a directory with runs at any depth.")],
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="RULE",
            help="Exit with 3 when this rule fires: a check, any, or a condition over tags. Repeatable.",
        ),
    ] = None,
    watchpoints: Annotated[
        list[str] | None,
        typer.Option(
            "--watchpoint",
            metavar="WATCHPOINT",
            help='Exit with 3 when this watchpoint hits in debugging data, such as "dead_relu", "tensor_too_large '
            'max_gt=1e4 @ encoder.*", or recommended for all recommended ones. Repeatable.',
        ),
    ] = None,
    for_steps: Annotated[
        int,
        typer.Option(
            "--for",
            metavar="STEPS",
            min=1,
            help="A condition fires after it is true for this number of consecutive steps.",
        ),
    ] = 1,
    once: Annotated[bool, typer.Option("--once", help="Check the logs once, then exit.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per alert and line.")] = False,
    alerts: Annotated[
        str, typer.Option(metavar="NAME=VALUE,...", help="Set parameters of the built-in checks; see docs/alerts.md.")
    ] = "",
    notify: Annotated[
        list[str] | None,
        typer.Option(
            "--notify",
            metavar="TARGET|FILE.yaml",
            help="Send alerts to a chat, webhook, mail server or the desktop, such as 'slack://$SLACK_TOKENS', "
            "json://host/path or desktop; repeatable. A file has several targets and their settings; see "
            "docs/alerts.md.",
        ),
    ] = None,
    follow_links: FollowLinks = False,
) -> None:
    """Print alerts about trainings: NaN, spikes, divergence, plateaus, gradients, dead units, stuck runs.

    The command runs until every writer closes its log, a --fail-on rule fires or a --watchpoint hits. With --once it
    prints all alerts of the logs and exits. Exit codes are 0 (none of them fired), 3 (one fired), 130 (Ctrl-C) and 143
    (SIGTERM). The checks are failed, nan, spike, divergence, plateau, vanishing, exploding, dead and stuck. A
    condition is an expression such as "loss > 2 and step > 100". If a tag is no valid Python name, write it in
    backticks, and quote the condition for the shell: '`train/loss` > 2'.
    """
    with usage():
        failing = rules_of(fail_on or [], for_steps) + [
            rule for text in watchpoints or [] for rule in mindscope.alerts.watchpoint_rules(text)
        ]
        parameters = mindscope.alerts.Parameters.from_text(alerts)
    rules = list(dict.fromkeys([*rules_of([ANY], 1), *failing]))
    notifier = _notifier(notify or [])
    find = mindscope.alerts.find_alerts if once else mindscope.alerts.follow_alerts
    try:
        with terminable(), _closing(notifier):
            stream = _notified(find(directory, rules, parameters, follow_links=follow_links), notifier)
            has_fired = _print(stream, {rule.name for rule in failing}, as_json, ends_at_once=not once)
    except KeyboardInterrupt as interrupt:
        raise typer.Exit(exit_code(interrupt)) from None
    raise typer.Exit(FIRED if has_fired else 0)


def _notifier(given: Sequence[str]) -> Notifier | None:
    """Return what sends alerts to the targets of ``--notify``. Raises UsageError, MissingPackageError."""
    if not given:
        return None
    from mindscope.alerts.notify import Notifier, read_settings

    with usage():
        return Notifier(read_settings(given), lambda text: typer.echo(f"mindscope: {printable(text)}", err=True))


@contextmanager
def _closing(notifier: Notifier | None) -> Generator[None]:
    """Send waiting notifications at the end of the body; after Ctrl-C only for a short time."""
    flush_s: float | None = None
    try:
        yield
    except KeyboardInterrupt:
        flush_s = INTERRUPTED_FLUSH_S
        raise
    finally:
        if notifier is not None:
            notifier.close(flush_s)


def _notified(alerts: Iterable[Alert], notifier: Notifier | None) -> Iterator[Alert]:
    for alert in alerts:
        if notifier is not None:
            notifier.add(alert)
        yield alert


def rules_of(texts: Iterable[str], for_steps: int) -> list[Rule]:
    """Return rules from command-line texts. Raises ExpressionError for an invalid rule."""
    rules: list[Rule] = []
    for text in texts:
        if text == ANY:
            rules += [mindscope.alerts.check_rule(name) for name in mindscope.alerts.CHECKS]
        elif text.isidentifier():
            rules.append(mindscope.alerts.check_rule(text))
        else:
            rules.append(_condition(text, for_steps))
    return rules


def _condition(text: str, for_steps: int) -> Rule:
    try:
        return mindscope.alerts.expression_rule(text, text, for_steps=for_steps)
    except ExpressionError as error:
        raise ExpressionError(f"{text!r}: {error}") from None


def _print(alerts: Iterable[Alert], failing: set[str], as_json: bool, ends_at_once: bool) -> bool:
    """Print the alerts; returns whether one of the ``failing`` rules fired."""
    has_fired = False
    for alert in alerts:
        typer.echo(json.dumps(_as_object(alert)) if as_json else printable(_as_line(alert)))
        has_fired = has_fired or alert.rule in failing
        if has_fired and ends_at_once:
            break
    return has_fired


def _as_line(alert: Alert) -> str:
    finding = alert.finding
    subject = f"{alert.run}  {alert.tag}  step {finding.step}" if alert.tag else f"{alert.run}  step {finding.step}"
    values = "1 value" if finding.count == 1 else f"{finding.count} values to step {finding.last_step}"
    name = "" if alert.rule == alert.message else f"{alert.rule}: "
    if alert.rule == "failed":
        return f"{subject}  {name}{alert.message}"
    return f"{subject}  {name}{alert.message} ({finding.value:.6g}, {values})"


def _as_object(alert: Alert) -> dict[str, object]:
    finding = alert.finding
    return {
        "id": alert.id,
        "rule": alert.rule,
        "run": alert.run,
        "tag": alert.tag,
        "message": alert.message,
        "step": finding.step,
        "wall_time": finding.wall_time if math.isfinite(finding.wall_time) else None,
        "value": finding.value if math.isfinite(finding.value) else str(finding.value),
        "last_step": finding.last_step,
        "count": finding.count,
        "active": finding.is_active,
        **({} if alert.hits is None else _hits(alert.hits)),
    }


def _hits(hits: TensorHits) -> dict[str, object]:
    return {
        "source": hits.source,
        "rank": hits.rank,
        "parameter": hits.parameter or None,
        "set_value": hits.set_value if math.isfinite(hits.set_value) else None,
        "source_line": hits.tensor.stack[0] if hits.tensor.stack else "",
    }
