# SPDX-License-Identifier: Apache-2.0
"""``record`` and ``MindscopeCallback`` for estimators of scikit-learn and of libraries with its interface."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, cast

from mindscope.integrations.recording import TrainingRun, guarded

CURVES = (
    "loss_curve_", "validation_scores_", "train_score_", "validation_score_", "oob_scores_", "oob_improvement_",
    "lower_bounds_",
)  # fmt: skip
"""Attributes of fitted estimators with a number for each iteration."""
NUMBERS = ("best_score_", "best_loss_", "best_validation_score_", "n_iter_", "inertia_", "oob_score_")


def record(
    estimator: Any, log_dir: str | PathLike[str] = "runs/sklearn", scores: Mapping[str, float] | None = None
) -> None:
    """Record a fitted estimator as a run. It raises nothing, and changes neither the estimator nor random numbers.

    Parameters become hyperparameters; those of steps have the names of ``set_params``. Curves such as ``loss_curve_``
    have the number of the iteration as step. ``cv_results_`` of a search becomes a table, and its best parameters
    ``best_params_.NAME``. ``evals_result_`` of other libraries becomes ``DATA/METRIC``.

    Args:
        estimator: one that was fitted.
        log_dir: directory of the run.
        scores: names to further numbers, such as the accuracy of a test.
    """
    run = TrainingRun(log_dir)
    run.start(lambda: _parameters(estimator))
    _record(run, estimator)
    run.log(scores or {}, 0)
    run.end()


class MindscopeCallback:
    """Records an estimator when its fit is over, for ``estimator.set_callbacks`` of scikit-learn 1.9.

    It records what ``record`` does, how long ``fit`` takes, and whether it fails.

    Args:
        log_dir: directory of the run.
    """

    def __init__(self, log_dir: str | PathLike[str] = "runs/sklearn") -> None:
        self.run = TrainingRun(log_dir)

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin the run."""
        self.run.start(lambda: _parameters(estimator))

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Record the estimator, or that its fit failed: scikit-learn calls this while the error is raised."""
        error = sys.exc_info()[1]
        if error is None:
            _record(self.run, estimator)
            self.run.end()
        else:
            self.run.error(error)


@guarded
def _record(run: TrainingRun, estimator: Any) -> None:
    last: Any = getattr(estimator, "steps", [("", estimator)])[-1][1]  # of a pipeline
    for name in CURVES:
        _add_curve(run, name, getattr(last, name, None), _iterations(last))
    results: dict[str, dict[str, list[float]]] = getattr(last, "evals_result_", {})  # XGBoost and LightGBM
    for data, metrics in results.items():
        for metric, values in metrics.items():
            _add_curve(run, f"{data}/{metric}", values, 0)
    numbers = {name: _number(getattr(last, name, None)) for name in NUMBERS}
    run.log(numbers, 0)
    if hasattr(last, "cv_results_"):
        run.writer.add_table("cv_results_", _columns(last.cv_results_))
        run.writer.add_settings({"best_params_": getattr(last, "best_params_", {})})


def _add_curve(run: TrainingRun, name: str, values: Iterable[float] | None, iterations: int) -> None:
    """Record a curve whose last number is that of the last iteration: some have one before the first."""
    numbers = [] if values is None else list(values)
    for index, value in enumerate(numbers):
        run.log({name: value}, index + (iterations > 0 and len(numbers) == iterations))


def _iterations(estimator: Any) -> int:
    """Return how many iterations an estimator made, as far as it says; else one for each number of a curve."""
    count = _number(getattr(estimator, "n_iter_", getattr(estimator, "n_estimators_", None)))
    return int(count or 0)


def _number(value: Any) -> float | None:
    """Return a number, or the largest of an array, such as the iterations of each class."""
    if value is None or (hasattr(value, "shape") and not value.size):
        return None
    return float(value.max() if hasattr(value, "shape") else value)


def _parameters(estimator: Any) -> dict[str, Any]:
    """Return all parameters but the steps and estimators in them, whose own parameters are there too."""
    given = cast("dict[str, Any]", estimator.get_params())
    steps = {name for name, value in given.items() if hasattr(value, "get_params")} | {"steps", "verbose"}
    return {"estimator": type(estimator).__name__, **{name: given[name] for name in given if name not in steps}}


def _columns(results: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of a search as numbers and texts."""
    return {name: [_cell(value) for value in column] for name, column in results.items()}


def _cell(value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value
    return plain if isinstance(plain, (int, float, str)) else str(plain)
