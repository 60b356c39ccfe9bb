# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for ``lightgbm.train``, ``lightgbm.cv`` and the estimators of LightGBM."""

from __future__ import annotations

from os import PathLike
from typing import Any

from mindscope.integrations.recording import TrainingRun, guarded


class MindscopeCallback:
    """Records each metric of each evaluation set as ``DATA/METRIC``, with the number of the round from 0 as step.

    ``lightgbm.cv`` gives the mean over folds, and the deviation as ``DATA/METRIC-std``. Parameters become
    hyperparameters of the run. The run ends with the last round. LightGBM tells callbacks nothing of a training that
    stops early or fails: such a run ends with the next training of this callback or with the process, or by
    ``with callback.run: lightgbm.train(...)``. Values are in the file before, as for every run.

    Args:
        log_dir: directory of the run.
    """

    order = 25
    """After those that change a round, before early stopping, which ends the training by an error of its own."""
    before_iteration = False

    def __init__(self, log_dir: str | PathLike[str] = "runs/lightgbm") -> None:
        self.run = TrainingRun(log_dir, has_end=False)

    @guarded
    def __call__(self, env: Any) -> None:
        """Record the metrics of a round."""
        if env.iteration == env.begin_iteration:
            self.run.start(lambda: env.params)
        for data, metric, value, _, *deviation in env.evaluation_result_list or ():
            spread = {f"{data}/{metric}-std": value for value in deviation}
            self.run.log({f"{data}/{metric}": value, **spread}, env.iteration)
        if env.iteration == env.end_iteration - 1:
            self.run.end()
