# SPDX-License-Identifier: Apache-2.0
"""Alerts: problems of a training, found while its values arrive."""

from __future__ import annotations

from mindscope.alerts.alert import Alert
from mindscope.alerts.alert_stream import find_alerts, follow_alerts
from mindscope.alerts.monitor import Monitor
from mindscope.alerts.parameters import Parameters
from mindscope.alerts.rules import CHECKS, RECOMMENDED, Rule, check_rule, expression_rule, watchpoint_rules

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
