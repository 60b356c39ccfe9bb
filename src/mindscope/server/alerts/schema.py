# SPDX-License-Identifier: Apache-2.0
"""Messages about alerts."""

from __future__ import annotations

from mindscope.debug.model.tensors import Role
from mindscope.debug.watchpoints.conditions import Comparison
from mindscope.server.http.schema import Answer


class AlertSurroundings(Answer):
    """The steps around the beginning of an alert, and their lowest and highest finite value."""

    first_step: int
    last_step: int
    lowest: float
    highest: float


class AlertHitsEntry(Answer):
    """The hits of a watchpoint: debugging data, the first tensor, and the steps of all hits of this alert.

    ``source`` is as in ``POST /api/debugger/sources``, ``row`` as in ``POST /api/debugger/row``. ``parameter`` holds:
    its ``statistic`` compares with ``set_value``; all of them are null for a condition without parameters. ``ranges``
    are the first and last of consecutive recorded steps with hits.
    """

    watchpoint: str
    condition: str
    recommendation: str | None
    source: str
    rank: int
    row: int
    operator: str
    module: str
    role: Role
    slot: str
    source_line: str
    parameter: str | None
    statistic: str | None
    comparison: Comparison | None
    set_value: float | None
    ranges: list[tuple[int, int]]


class AlertEntry(Answer):
    """An alert of a run. ``id`` does not change while the alert is active, nor with a restart of the viewer.

    ``rule`` is a built-in check (failed, nan, spike, divergence, plateau, vanishing, exploding, dead, stuck),
    ``threshold:ID`` or the text of a watchpoint. ``message`` describes it: a threshold by its rule, a failure by its
    error. It began at ``step`` with ``value``; if that is not finite, ``value`` is null and ``value_text`` NaN,
    Infinity or -Infinity. ``count`` values
    raised it, the last one at ``last_step``; ``active``: it is ongoing. ``tag`` is empty for an alert of the whole run.
    For stuck, ``value`` is the longest of the usual pauses in seconds, for dead the share of zeros, for gradients the
    largest one. ``muted``: the alert was dismissed, or its rule, run or tag is muted. ``around`` is a range to zoom to,
    null for an alert that is not about a scalar. ``hits`` is null except for a watchpoint, whose ``tag`` is a tensor,
    and whose ``count`` is of tensors over steps.
    """

    id: str
    rule: str
    run: str
    tag: str
    message: str
    step: int
    wall_time: float | None
    value: float | None
    value_text: str | None
    last_step: int
    count: int
    active: bool
    muted: bool
    around: AlertSurroundings | None
    hits: AlertHitsEntry | None


class AlertsAnswer(Answer):
    """All alerts, the newest first; null if the client has this version."""

    version: int
    alerts: list[AlertEntry] | None


class LiveAlerts(Answer):
    """``event: alerts``: alerts or mutes have changed."""

    version: int
