# SPDX-License-Identifier: Apache-2.0
"""Guesses whether higher or lower is better for a metric, and finds the best run."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np

from mindscope.lineage.column import Column

Goal = Literal["max", "min"]
_LESS_IS_BETTER = re.compile(
    r"(?:^|[^a-z])(?:loss|losses|err|error|errors|mae|mse|rmse|mape|nll|wer|cer|fid|perplexity|ppl|bpc|divergence|"
    r"distance|latency|duration|regret)(?:$|[^a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def guess_goal(name: str) -> Goal:
    """Return ``min`` if a word of the name means that lower is better, such as loss or error; else ``max``."""
    words = _CAMEL.sub(" ", name).lower().replace("_", " ")
    return "min" if _LESS_IS_BETTER.search(words) else "max"


def best_row(column: Column, goal: Goal) -> int | None:
    """Return the first row with the best finite number; None if there is none."""
    finite = np.flatnonzero(np.isfinite(column.numbers))
    if not finite.size:
        return None
    numbers = column.numbers[finite]
    return int(finite[numbers.argmax() if goal == "max" else numbers.argmin()])
