# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over recorded statistics: MindInsight's conditions, evaluated after the fact."""

from __future__ import annotations

from mindscope.debug.watchpoints.conditions import CONDITIONS as CONDITIONS
from mindscope.debug.watchpoints.conditions import Condition as Condition
from mindscope.debug.watchpoints.evaluation import evaluate_watchpoints as evaluate_watchpoints
from mindscope.debug.watchpoints.hits import Evaluation as Evaluation
from mindscope.debug.watchpoints.hits import Hit as Hit
from mindscope.debug.watchpoints.hits import Problem as Problem
from mindscope.debug.watchpoints.hits import Unevaluated as Unevaluated
from mindscope.debug.watchpoints.live import LiveWatch as LiveWatch
from mindscope.debug.watchpoints.recommended import RECOMMENDED as RECOMMENDED
from mindscope.debug.watchpoints.search import WatchpointSearch as WatchpointSearch
from mindscope.debug.watchpoints.watchpoint import Watchpoint as Watchpoint
from mindscope.debug.watchpoints.watchpoint import make_watchpoint as make_watchpoint
from mindscope.debug.watchpoints.watchpoint import parse_watchpoint as parse_watchpoint
from mindscope.debug.watchpoints.watchpoint import recommended_watchpoints as recommended_watchpoints

__all__ = [
    "CONDITIONS", "RECOMMENDED", "Condition", "Evaluation", "Hit", "LiveWatch", "Problem", "Unevaluated", "Watchpoint",
    "WatchpointSearch", "evaluate_watchpoints", "make_watchpoint", "parse_watchpoint", "recommended_watchpoints",
]  # fmt: skip
