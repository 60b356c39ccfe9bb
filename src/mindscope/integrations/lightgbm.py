# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for ``lightgbm.train``, ``lightgbm.cv`` and the estimators of LightGBM."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from mindscope.integrations.recording import add_settings, guarded
from mindscope.tensorboard import SummaryWriter


class MindscopeCallback:
    """Records each metric of each evaluation set as ``DATA/METRIC``, with the number of the round from 0 as step.

    ``lightgbm.cv`` gives the mean over folds, and the deviation as ``DATA/METRIC-std``. Parameters become
    hyperparameters of the run. Values are in the file after each round, since LightGBM tells callbacks no end.

    Args:
        log_dir: directory of the run.
    """

    order = 25
    """After those that change a round, before early stopping, which ends the training by an error of its own."""
    before_iteration = False

    def __init__(self, log_dir: str | PathLike[str] = "runs/lightgbm") -> None:
        self._directory = fspath(log_dir)
        self._writer: SummaryWriter | None = None

    @guarded
    def __call__(self, env: Any) -> None:
        """Record the metrics of a round."""
        if self._writer is None:
            self._writer = SummaryWriter(self._directory)
            add_settings(self._writer, env.params)
        for data, metric, value, _, *deviation in env.evaluation_result_list or ():
            self._writer.add_scalar(f"{data}/{metric}", value, env.iteration)
            for spread in deviation:
                self._writer.add_scalar(f"{data}/{metric}-std", spread, env.iteration)
        if env.iteration == env.end_iteration - 1:
            self._writer.close()
