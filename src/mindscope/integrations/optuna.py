# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for ``study.optimize`` of Optuna."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from mindscope.integrations.recording import TrainingRun, guarded


class MindscopeCallback:
    """Records each trial as a run ``trial_N`` when it ends, whatever its end.

    Its parameters are hyperparameters; its values are ``value``, or ``value_0``, ``value_1`` and so on; what
    ``trial.report`` got is ``intermediate`` by its steps. Attributes of the user belong to the hyperparameters, as
    ``user.NAME``, and ``state`` is that of the trial. The run of a trial that raised is a failed one.

    Args:
        log_dir: directory of the runs of all trials.
    """

    def __init__(self, log_dir: str | PathLike[str] = "runs/optuna") -> None:
        self._directory = Path(log_dir)

    @guarded
    def __call__(self, study: Any, trial: Any) -> None:
        """Record a trial that is over."""
        run = TrainingRun(self._directory / f"trial_{trial.number}")
        run.start(lambda: {**trial.params, "state": trial.state.name, "user": trial.user_attrs})
        for step, value in sorted(trial.intermediate_values.items()):
            run.log({"intermediate": value}, step)
        values: list[float] = trial.values or []
        names = ["value"] if len(values) == 1 else [f"value_{number}" for number in range(len(values))]
        run.log(dict(zip(names, values, strict=True)), trial.number)
        if trial.state.name == "FAIL":
            run.error(RuntimeError("the trial failed"))
        else:
            run.end()
