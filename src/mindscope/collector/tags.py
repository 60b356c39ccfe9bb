# SPDX-License-Identifier: Apache-2.0
"""The tags of what a collector collects by itself."""

from __future__ import annotations

LOSS = "loss/auto"
INPUT_DATA = "input_data/auto"


def parameter_tag(name: str) -> str:
    """Of the distribution of a parameter."""
    return f"{name}/auto"


def evaluation_tag(metric: str) -> str:
    """Of a metric that is evaluated while training."""
    name = metric if metric.startswith("eval_") else f"eval_{metric}"
    return f"{name}/auto"
