# SPDX-License-Identifier: Apache-2.0
"""Messages about what is wrong with runs."""

from __future__ import annotations

from mindscope.server.http.schema import Answer


class AlertSurroundings(Answer):
    """The steps around the beginning of an alert, and the lowest and highest number in them."""

    first_step: int
    last_step: int
    lowest: float
    highest: float


class AlertEntry(Answer):
    """Something that is wrong in a run; ``id`` stays while it goes on, and from viewer to viewer.

    ``rule`` is a built-in check (nan, spike, divergence, plateau, vanishing, exploding, dead, stuck) or
    ``threshold:ID``; ``message`` says it in words, for a threshold by its rule. It began at ``step`` with ``value``,
    which is null where JSON has no number for it, and ``value_text`` then NaN, Infinity or -Infinity. ``count`` values
    were wrong, the last one at ``last_step``; ``active``: it goes on. ``tag`` is empty where the whole run is meant.
    For stuck, ``value`` is the longest of the usual pauses in seconds, for dead the share of zeros, for gradients the
    largest one. ``muted``: somebody dismissed it, or muted its rule, run or tag. ``around`` is what to zoom to, null
    for what is no scalar.
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


class AlertsAnswer(Answer):
    """All alerts, the newest first; null when the sender has the same version, and nothing changed since."""

    version: int
    alerts: list[AlertEntry] | None


class LiveAlerts(Answer):
    """``event: alerts``: alerts, or what is muted, changed."""

    version: int
