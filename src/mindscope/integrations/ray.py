# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for Ray Tune. In a worker of Ray Train, ``mindscope.init`` works as everywhere."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindscope.integrations.recording import TrainingRun, guarded

if TYPE_CHECKING:
    _Callback = object
else:
    from ray.tune.logger import LoggerCallback as _Callback

_NO_METRICS = (
    "config", "pid", "timestamp", "date", "hostname", "node_ip", "trial_id", "experiment_tag", "done",
    "should_checkpoint", "checkpoint_dir_name", "training_iteration", "time_since_restore", "iterations_since_restore",
)  # fmt: skip
"""Entries of a result that describe the trial."""


class MindscopeCallback(_Callback):
    """Records each trial as a run, with its configuration as hyperparameters and its results by their names.

    Nested results become ``outer/inner``. The step is ``timesteps_total``, or else ``training_iteration``, as in Ray's
    own logs for TensorBoard. A trial that raised is a failed run. A trial that restarts continues its run.

    Args:
        log_dir: directory of all runs, each of which has the name of its trial; by default each in the directory of its
            trial.
    """

    def __init__(self, log_dir: str | PathLike[str] | None = None) -> None:
        super().__init__()
        self._directory = log_dir
        self._runs: dict[str, TrainingRun] = {}

    @guarded
    def log_trial_start(self, trial: Any) -> None:
        """Begin the run of a trial."""
        saved = Path(trial.local_path)
        directory = saved if self._directory is None else Path(self._directory).absolute() / saved.name
        self._runs.setdefault(trial.trial_id, TrainingRun(directory)).start(lambda: trial.config)

    @guarded
    def log_trial_result(self, iteration: int, trial: Any, result: dict[str, Any]) -> None:
        """Record a result."""
        step = result.get("timesteps_total") or result["training_iteration"]
        values = {name: value for name, value in result.items() if name not in _NO_METRICS}
        if trial.trial_id in self._runs:
            plain = {name: value for name, value in values.items() if not isinstance(value, (list, tuple))}
            self._runs[trial.trial_id].log(plain, step)

    @guarded
    def log_trial_end(self, trial: Any, failed: bool = False) -> None:
        """End the run of a trial."""
        run = self._runs.pop(trial.trial_id, None)
        if run is not None and failed:
            run.error(RuntimeError("the trial failed"))
        elif run is not None:
            run.end()
