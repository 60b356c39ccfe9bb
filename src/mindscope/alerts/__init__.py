# SPDX-License-Identifier: Apache-2.0
"""Alerts: problems of a training, found while its values arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.alerts.alert import Alert
    from mindscope.alerts.alert_stream import find_alerts, follow_alerts
    from mindscope.alerts.monitor import Monitor
    from mindscope.alerts.parameters import Parameters
    from mindscope.alerts.rules import CHECKS, RECOMMENDED, Rule, check_rule, expression_rule, watchpoint_rules
    from mindscope.alerts.watchpoint_monitor import WatchpointMonitor as WatchpointMonitor

__all__ = [
    "CHECKS",
    "RECOMMENDED",
    "Alert",
    "Monitor",
    "Parameters",
    "Rule",
    "check_rule",
    "expression_rule",
    "find_alerts",
    "follow_alerts",
    "watchpoint_rules",
]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.alerts.alert": "Alert",
        "mindscope.alerts.alert_stream": "find_alerts follow_alerts",
        "mindscope.alerts.monitor": "Monitor",
        "mindscope.alerts.parameters": "Parameters",
        "mindscope.alerts.rules": "CHECKS RECOMMENDED Rule check_rule expression_rule watchpoint_rules",
        "mindscope.alerts.watchpoint_monitor": "WatchpointMonitor",
    },
)
