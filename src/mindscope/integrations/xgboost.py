# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for ``xgboost.train``, ``xgboost.cv`` and the estimators of XGBoost."""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, cast

import xgboost

from mindscope.integrations.recording import add_settings, guarded
from mindscope.tensorboard import SummaryWriter

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
        self._directory = fspath(log_dir)
        self._writer: SummaryWriter | None = None

    def before_training(self, model: Any) -> Any:
        """Begin the run."""
        self._begin(model)
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Record the newest metrics; the training goes on."""
        self._record(epoch, evals_log)
        return False

    def after_training(self, model: Any) -> Any:
        """Write everything."""
        self._end()
        return model

    @guarded
    def _begin(self, model: Any) -> None:
        self._writer = SummaryWriter(self._directory)
        if hasattr(model, "save_config"):  # the folds of a cross validation have none together
            add_settings(self._writer, json.loads(model.save_config())["learner"])

    @guarded
    def _record(self, epoch: int, evals_log: Any) -> None:
        if self._writer is None:
            return
        for data, metrics in evals_log.items():
            for metric, values in metrics.items():
                newest: Any = values[-1]
                numbers = cast("tuple[float, ...]", newest if isinstance(newest, tuple) else (newest,))
                mean, *deviation = numbers
                self._writer.add_scalar(f"{data}/{metric}", mean, epoch)
                for value in deviation:
                    self._writer.add_scalar(f"{data}/{metric}-std", value, epoch)

    @guarded
    def _end(self) -> None:
        if self._writer is not None:
            self._writer.close()
