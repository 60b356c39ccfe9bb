# SPDX-License-Identifier: Apache-2.0
"""Tools that say what went wrong: alerts, and the first bad number with its cause."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope import debug
from mindscope.errors import DebugDataError
from mindscope.mcp.results import Cell, Name, Point, count_text, counted, cut, first, number, sentence
from mindscope.mcp.session import AgentSession
from mindscope.reading.run import Run

if TYPE_CHECKING:  # a server answers before it imports what reads debugging data
    from mindscope.alerts import Alert
    from mindscope.reading.run_debug import RunDebug
    from mindscope.store import RunStore

_BUDGET_S = 10.0
_MOST_LISTED = 200
_MOST_NAMES = 20
_NAN = "nan"


class AlertRow(TypedDict):
    """A problem: its rule, where it began, when it was seen last, and how many values it has."""

    run: str
    rule: str
    tag: str
    step: int
    last_step: int
    value: Cell
    count: int
    active: bool
    message: str


class AlertList(TypedDict):
    """Problems, the newest first."""

    summary: str
    by_rule: dict[str, int]
    alerts: list[AlertRow]


class BadScalar(TypedDict):
    """A curve with NaN or infinity, and its first one."""

    tag: str
    first: Point


class FirstBadNumber(TypedDict):
    """Where the first NaN or infinity that damages the training comes from."""

    sentences: Annotated[list[str], Field(description="The finding in words, most important first.")]
    step: NotRequired[int]
    rank: NotRequired[int]
    cause: NotRequired[str]
    operator: NotRequired[str]
    tensor: NotRequired[str]
    source_line: NotRequired[str]
    chain: Annotated[NotRequired[list[str]], Field(description="Operators from there to the loss.")]
    scalars: Annotated[list[BadScalar], Field(description="Curves that are not finite, the earliest first.")]


class ProblemTools:
    """Finds problems of trainings."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._checked: dict[str, tuple[RunStore, int]] = {}  # the state of each run at its last check

    def list_alerts(
        self,
        run: Annotated[str, Field(max_length=1000, description="A part of the id, or a pattern with * and ?.")] = "",
        rule: Annotated[
            str,
            Field(
                max_length=200,
                description="failed, nan, spike, divergence, plateau, vanishing, exploding, dead, stuck.",
            ),
        ] = "",
        limit: Annotated[int, Field(ge=1, le=_MOST_LISTED)] = 20,
    ) -> AlertList:
        """List what is wrong with trainings: NaN, spikes, divergence, plateaus, gradients, dead units, failures.

        Use it first when a training is bad or when nobody knows which run is. first_bad_number explains a nan alert.
        """
        self._session.runs()
        ids = self._session.matching(run)
        checked = self._check(ids)
        alerts = [alert for alert in self._alerts(ids) if rule in ("", alert.rule)]
        rows = [_alert_row(alert) for alert in alerts[:limit]]
        summary = count_text(len(rows), len(alerts), "alert", "narrow with run or rule, or raise limit")
        if checked < len(ids):
            summary += (
                f" Only {checked:,} of {len(ids):,} runs were checked in {_BUDGET_S:g} s: call it again for more."
            )
        elif self._session.monitor.is_watching:
            summary += " Logs and debugging data were not searched to their ends: call it again for more."
        else:
            summary += f" {counted(checked, 'run')} checked."
        return AlertList(summary=summary, by_rule=dict(Counter(alert.rule for alert in alerts)), alerts=rows)

    def first_bad_number(
        self,
        run: Annotated[Name, Field(description="The id of a run.")],
        source: Annotated[
            str, Field(max_length=1000, description="Of several debugging data, as describe_run lists them.")
        ] = "",
    ) -> FirstBadNumber:
        """Find the first NaN or infinity of a training: step, operator, line of code, and what caused it.

        Use it when a loss is NaN. It needs debugging data; without, it says which curves are bad and how to record.
        """
        opened = self._session.run(run)
        scalars = self._bad_scalars(opened)
        try:
            data = opened.debug.of(source) if source else opened.debug
            result = data.first_bad()
        except DebugDataError as error:
            return FirstBadNumber(sentences=[sentence(cut(str(error))), *_without_data(scalars)], scalars=scalars)
        if result is None:
            return FirstBadNumber(
                sentences=["No NaN and no infinity damages the training.", *_unfinished(data)], scalars=scalars
            )
        return FirstBadNumber(
            sentences=[cut(text) for text in [*result.sentences(), *_unfinished(data)]],
            step=result.step,
            rank=result.rank,
            cause=str(result.cause),
            operator=result.operator,
            tensor=result.tensor_name,
            source_line=cut(result.source),
            chain=first(map(cut, result.chain), _MOST_NAMES),
            scalars=scalars,
        )

    def _check(self, ids: list[str]) -> int:
        """Check new values of runs for a while; return how many runs are checked."""
        deadline = time.monotonic() + _BUDGET_S
        monitor, checked = self._session.monitor, 0
        monitor.rest(time.time())
        for id in ids:
            if time.monotonic() > deadline:
                return checked
            self._update(id)
            checked += 1
        with suppress(OSError):
            monitor.update_dumps(is_followed=False)
        while monitor.is_watching and time.monotonic() < deadline:
            monitor.watch(min(deadline, time.monotonic() + 1.0))
        return checked

    def _update(self, id: str) -> None:
        """Check a run if it changed: the monitor would search the logs of an equal one again."""
        store = self._session.catalog.runs[id]
        state = store, store.version
        if self._checked.get(id) != state:
            self._checked[id] = state
            self._session.monitor.update(id)

    def _alerts(self, ids: list[str]) -> list[Alert]:
        chosen = set(ids)
        return [alert for alert in self._session.monitor.alerts(time.time()) if alert.run in chosen]

    def _bad_scalars(self, run: Run) -> list[BadScalar]:
        """Return the curves of which the rule for NaN has an alert."""
        self._update(run.id)
        findings = sorted(
            ((alert.finding.step, alert.tag, alert.finding.value) for alert in self._alerts([run.id])
             if alert.rule == _NAN and alert.tag),
        )  # fmt: skip
        tags: dict[str, Point] = {}
        for step, tag, value in findings:
            tags.setdefault(tag, Point(step=step, value=number(value)))
        return [BadScalar(tag=cut(tag), first=point) for tag, point in first(tags.items(), _MOST_NAMES)]


def _alert_row(alert: Alert) -> AlertRow:
    finding = alert.finding
    return AlertRow(
        run=alert.run, rule=alert.rule, tag=cut(alert.tag), step=finding.step, last_step=finding.last_step,
        value=number(finding.value), count=finding.count, active=finding.is_active, message=cut(alert.message),
    )  # fmt: skip


def _without_data(scalars: list[BadScalar]) -> list[str]:
    if not scalars:
        return ["No curve is NaN or infinite."]
    bad = scalars[0]
    return [f"{bad['tag']} is {bad['first']['value']} first, at step {bad['first']['step']:,}."]


def _unfinished(data: RunDebug) -> list[str]:
    step = debug.unfinished_step(data.source)
    return [] if step is None else [f"The training ended within step {step.step}, after {step.operator}."]
