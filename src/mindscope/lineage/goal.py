# SPDX-License-Identifier: Apache-2.0
"""Whether more of a metric is better, and which run is best."""

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
    """``min`` where a word of the name is one of which less is better, such as loss or error; else ``max``."""
    words = _CAMEL.sub(" ", name).lower().replace("_", " ")
    return "min" if _LESS_IS_BETTER.search(words) else "max"


def best_row(column: Column, goal: Goal) -> int | None:
    """The first row with the best finite number; None without any."""
    finite = np.flatnonzero(np.isfinite(column.numbers))
    if not finite.size:
        return None
    numbers = column.numbers[finite]
    return int(finite[numbers.argmax() if goal == "max" else numbers.argmin()])
