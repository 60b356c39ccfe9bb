# SPDX-License-Identifier: Apache-2.0
"""The tags of what a collector collects by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LOSS = "loss/auto"
INPUT_DATA = "input_data/auto"
LEARNING_RATE = "learning_rate/auto"


def group_rate(group: str | int) -> str:
    """Return the tag of the learning rate of a group of parameters: by its name, or its index from 0."""
    return f"learning_rate/group_{group}/auto" if isinstance(group, int) else f"learning_rate/{group}/auto"


def parameter_tag(name: str) -> str:
    """Return the tag of the distribution of a parameter."""
    return f"{name}/auto"


def evaluation_tag(metric: str) -> str:
    """Return the tag of a metric that is evaluated while training."""
    name = metric if metric.startswith("eval_") else f"eval_{metric}"
    return f"{name}/auto"


def evaluation_curves(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of metrics by their tags; ``eval_loss`` beside ``loss`` is ``eval_eval_loss/auto``."""
    return {
        f"eval_{name}/auto" if name.removeprefix("eval_") in results else evaluation_tag(name): value
        for name, value in results.items()
    }
