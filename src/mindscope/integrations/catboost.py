# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for the estimators of CatBoost and ``catboost.train``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from mindscope.integrations.recording import TrainingRun, guarded


class MindscopeCallback:
    """Records each metric of each data set as ``DATA/METRIC``, such as ``learn/Logloss``; iterations count from 1.

    CatBoost tells callbacks neither parameters nor the end. Pass the parameters to get them as hyperparameters. The run
    ends at their ``iterations``; where they name none, or a training stops before, at the next training of this
    callback, with the process, or by ``with callback.run: model.fit(...)``.

    Args:
        log_dir: directory of the run.
        parameters: those of the model, such as ``model.get_params()``.
    """

    def __init__(
        self, log_dir: str | PathLike[str] = "runs/catboost", parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.run = TrainingRun(log_dir, has_end=False)
        self._parameters = dict(parameters or {})

    def after_iteration(self, info: Any) -> bool:
        """Record the newest metrics; the training goes on."""
        self._record(info)
        return True

    @guarded
    def _record(self, info: Any) -> None:
        if info.iteration == 1:
            self.run.start(lambda: self._parameters)
        histories: dict[str, dict[str, list[float]]] = info.metrics or {}
        newest = {data: {name: values[-1] for name, values in of.items()} for data, of in histories.items()}
        self.run.log(newest, info.iteration)
        if info.iteration == self._parameters.get("iterations"):
            self.run.end()
