# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for ``xgboost.train``, ``xgboost.cv`` and the estimators of XGBoost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import xgboost

from mindscope.integrations.recording import TrainingRun

if TYPE_CHECKING:
    _Callback = object
else:
    _Callback = xgboost.callback.TrainingCallback


class MindscopeCallback(_Callback):
    """Records each metric of each evaluation set as ``DATA/METRIC``, with the number of the round from 0 as step.

    ``xgboost.cv`` gives the mean over folds, and the deviation as ``DATA/METRIC-std``. The configuration of the booster
    becomes hyperparameters of the run.

    Args:
        log_dir: directory of the run.
    """

    def __init__(self, log_dir: str | PathLike[str] = "runs/xgboost") -> None:
        super().__init__()
        self.run = TrainingRun(log_dir)

    def before_training(self, model: Any) -> Any:
        """Begin the run."""
        self.run.start(lambda: _configuration(model))
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Record the newest metrics; the training goes on."""
        for data, metrics in evals_log.items():
            self.run.log({f"{data}/{name}": value for name, value in _newest(metrics)}, epoch)
        return False

    def after_training(self, model: Any) -> Any:
        """Write everything."""
        self.run.end()
        return model


def _configuration(model: Any) -> dict[str, Any]:
    """Return the configuration of a booster; the folds of a cross validation have none together."""
    return json.loads(model.save_config())["learner"] if hasattr(model, "save_config") else {}


def _newest(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for metric, values in metrics.items():
        newest: Any = values[-1]
        mean, *deviation = cast("tuple[float, ...]", newest if isinstance(newest, tuple) else (newest,))
        yield metric, mean
        for value in deviation:
            yield f"{metric}-std", value
