# SPDX-License-Identifier: Apache-2.0
"""Permutation importance in a random forest (scikit-learn), on held-out runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MissingPackageError
from mindscope.lineage.association import Estimate, Floats
from mindscope.lineage.features import Feature
from mindscope.reasons import Reason

TREES = 100
FOLDS = 5
REPEATS = 5
MOST_RUNS = 2000
FEWEST_SAMPLED = 500
MOST_CELLS = 40_000
"""Limit of runs times features, which bounds the time; more runs are sampled at random."""
MOST_FEATURES = 100
"""A forest of more features needs more time and more runs."""
MOST_PREDICTED = 20_000
"""Rows that one call predicts, which bounds the memory."""
T95 = 2.776
"""Student's t with four degrees of freedom, for the mean of five folds."""


@dataclass(frozen=True, slots=True)
class ForestResult:
    """``importances``: for each feature, the error growth when it is shuffled, as a share of the target's variance.

    ``score`` is the share of the variance that the forest explains in held-out runs. If it is 0 or less, the forest has
    learned nothing, and the importances are meaningless.
    """

    score: Estimate
    importances: tuple[Estimate, ...]


def forest_importance(features: Sequence[Feature], y: Floats, check: Callable[[], None]) -> ForestResult:
    """Fit and permute. ``y`` has shape (runs,) and no NaN. Raises MissingPackageError without scikit-learn.

    Calls ``check`` now and then; an exception in it ends the computation.
    """
    ensemble = _package()
    rng = np.random.default_rng(0)
    rows = rng.permutation(y.size)[: max(FEWEST_SAMPLED, min(MOST_RUNS, MOST_CELLS // len(features)))]
    x: Floats = np.column_stack([feature.values for feature in features])[rows]
    y = y[rows]
    folds = np.array_split(rng.permutation(y.size), FOLDS)
    scores, drops = zip(*(_fold(ensemble, x, y, fold, rng, check) for fold in folds), strict=True)
    importances = [_mean_of_folds(np.array(each), y.size) for each in zip(*drops, strict=True)]
    return ForestResult(_mean_of_folds(np.array(scores), y.size), tuple(importances))


def _package() -> Any:
    try:
        return import_module("sklearn.ensemble")
    except ImportError as error:
        raise MissingPackageError(Reason("forest_missing")) from error


def _fitted(ensemble: Any, x: Floats, y: Floats) -> Any:
    model = ensemble.RandomForestRegressor(TREES, min_samples_leaf=1 if y.size < 100 else 3, random_state=0)
    return model.fit(x, y)


def _fold(
    ensemble: Any, x: Floats, y: Floats, test: NDArray[np.intp], rng: np.random.Generator, check: Callable[[], None]
) -> tuple[float, list[float]]:
    """Return the score on the runs of ``test``, and how much each shuffled feature lowers it."""
    train = np.setdiff1d(np.arange(y.size), test)
    model = _fitted(ensemble, x[train], y[train])
    variance = float(y.var()) or 1.0
    check()
    whole = 1 - _error(model.predict(x[test]), y[test]) / variance
    drops: list[float] = []
    step = max(1, MOST_PREDICTED // (REPEATS * test.size))
    for first in range(0, x.shape[1], step):
        check()
        columns = range(first, min(first + step, x.shape[1]))
        for predicted in _predicted(model, x[test], columns, rng):
            drops.append(whole - 1 + _error(predicted, y[test]) / variance)
    return whole, drops


def _predicted(model: Any, x: Floats, columns: range, rng: np.random.Generator) -> Floats:
    """Return predictions with each of these features shuffled; shape (columns, REPEATS, runs).

    One call predicts all, because each call has a fixed cost for each tree.
    """
    shuffled = np.tile(x, (len(columns), REPEATS, 1, 1))
    for each, column in zip(shuffled, columns, strict=True):
        for repeat in each:
            repeat[:, column] = rng.permutation(x[:, column])
    return model.predict(shuffled.reshape(-1, x.shape[1])).reshape(len(columns), REPEATS, len(x))


def _error(predicted: Floats, y: Floats) -> float:
    """Return the mean square error; ``predicted`` has shape (..., runs)."""
    return float(((y - predicted) ** 2).mean())


def _mean_of_folds(values: Floats, count: int) -> Estimate:
    mean, half = float(values.mean()), T95 * float(values.std(ddof=1)) / math.sqrt(values.size)
    return Estimate(mean, mean - half, mean + half, count)
