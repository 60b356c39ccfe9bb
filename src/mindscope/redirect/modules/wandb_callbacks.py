# SPDX-License-Identifier: Apache-2.0
"""The callbacks of ``wandb.integration``: those of mindscope, which record into the directory of the run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_LIBRARIES = {
    "keras": ("WandbMetricsLogger", "WandbCallback"), "xgboost": ("WandbCallback", "wandb_callback"),
    "lightgbm": ("wandb_callback",),
}  # fmt: skip


def callbacks_of(library: str, directory: Callable[[], str]) -> dict[str, Any]:
    """Return the callbacks of ``wandb.integration.keras`` and its like by name; ``directory`` is asked at their calls.

    Their arguments are ignored.
    """

    def make(*arguments: Any, **options: Any) -> Any:
        return import_module(f"mindscope.integrations.{library}").MindscopeCallback(directory())

    return dict.fromkeys(_LIBRARIES.get(library, ()), make)
