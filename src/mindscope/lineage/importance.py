# SPDX-License-Identifier: Apache-2.0
"""Importance of parameters for a target, by four measures with different strengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeVar

import numpy as np

from mindscope.errors import ColumnNotFoundError, MissingPackageError
from mindscope.lineage.association import (
    Codes,
    Estimate,
    Floats,
    binned,
    correlation_ratio,
    linear_correlation,
    mutual_information,
    rank_correlation,
    ranks,
    sample_weights,
)
from mindscope.lineage.column import ColumnKey
from mindscope.lineage.features import FEWEST_RUNS, Feature, SetApart, cause_keys, features_of, possible_results
from mindscope.lineage.forest import MOST_FEATURES, forest_importance
from mindscope.lineage.interaction import interactions
from mindscope.lineage.table import Table
from mindscope.reasons import Reason, reason_of

Part = TypeVar("Part")


class Measure(str, Enum):
    """A measure of importance."""

    LINEAR = "linear"
    RANK = "rank"
    INFORMATION = "information"
    FOREST = "forest"

    def __str__(self) -> str:
        return self.value


CANNOT_SEE: Mapping[Measure, str] = {
    Measure.LINEAR: "Linear correlation sees straight lines only: a curve that rises and falls, and parameters that "
    "matter only together, count as nothing.",
    Measure.RANK: "Rank correlation sees relations that only rise or only fall: an optimum in the middle, and "
    "parameters that matter only together, count as nothing.",
    Measure.INFORMATION: "Mutual information sees a relation of any shape, and no direction: it looks at one parameter "
    "at a time, and needs many runs.",
    Measure.FOREST: "A random forest sees curves and parameters that matter together; it divides importance between "
    "parameters that vary together, and says nothing where its score is near zero.",
}
"""Limits of each measure, as a sentence for users. No measure distinguishes a cause from a coincidence."""


@dataclass(frozen=True, slots=True)
class FeatureImportance:
    """A parameter: ``kind`` is number or category; measures that can't be computed are absent.

    Linear and rank have a sign for numbers. For categories, they compare means and have no sign.
    """

    key: ColumnKey
    kind: Literal["number", "category"]
    measures: Mapping[Measure, Estimate]


@dataclass(frozen=True, slots=True)
class PairImportance:
    """An interaction of two parameters: the share of the target's variance that only their pair explains."""

    one: ColumnKey
    other: ColumnKey
    share: Estimate


@dataclass(frozen=True, slots=True)
class Importance:
    """Parameters, most important first, for the ``sample_size`` runs that have a finite target.

    ``forest_score`` is None if there is no forest; ``forest_problem`` then gives the reason.
    """

    target: ColumnKey
    sample_size: int
    features: tuple[FeatureImportance, ...] = ()
    set_apart: tuple[SetApart, ...] = ()
    pairs: tuple[PairImportance, ...] = ()
    forest_score: Estimate | None = None
    forest_problem: Reason | None = None
    cannot_see: Mapping[Measure, str] = field(default_factory=lambda: CANNOT_SEE)

    def __getitem__(self, id: str) -> FeatureImportance:
        """Return the parameter with this id or name. Raises ColumnNotFoundError."""
        for feature in self.features:
            if id in (feature.key.id, feature.key.name):
                return feature
        raise ColumnNotFoundError(f"{id!r} has no importance: {self._why(id)}")

    def _why(self, id: str) -> str:
        reasons = (each.reason for each in self.set_apart if id in (each.key.id, each.key.name))
        return next(reasons, "it is no parameter, data, algorithm or model of these runs")


def importance_of(
    table: Table,
    target: ColumnKey,
    keys: Iterable[ColumnKey] | None = None,
    check: Callable[[], None] = lambda: None,
    also: Iterable[ColumnKey] = (),
) -> Importance:
    """Return the importance of parameters, data, algorithm, model and the columns ``also``, or only of ``keys``, for a
    target.

    Calls ``check`` now and then; an exception in it ends the computation.
    """
    numbers = table.columns[target].numbers
    rows = np.flatnonzero(np.isfinite(numbers))
    y = numbers[rows]
    known = table.take(rows)
    causes = cause_keys(table, target, also) if keys is None else list(keys)
    features, apart = features_of(known, _checked(causes, check))
    apart += possible_results(table, target, causes) if keys is None else []
    if y.size < FEWEST_RUNS or np.unique(y).size < 2:
        values = np.unique(y).size
        why = Reason("importance_few", count=y.size, target=target.id, values=values, want=FEWEST_RUNS)
        return Importance(target, y.size, (), tuple(apart), forest_problem=why)
    rng = np.random.default_rng(0)
    has_category = any(feature.kind == "category" for feature in features)
    weights = sample_weights(y.size, rng) if has_category else np.empty((y.size, 0))
    bins = binned(y)
    measures = [_measures(feature, y, bins, weights) for feature in _checked(features, check)]
    score, problem = None, None if features else Reason("importance_no_column")
    if features:
        try:
            indexes = sorted(range(len(features)), key=lambda index: -_strength(measures[index])[1])[:MOST_FEATURES]
            forest = forest_importance([features[index] for index in sorted(indexes)], y, check)
        except MissingPackageError as error:
            problem = reason_of(error)
        else:
            score = forest.score
            for index, estimate in zip(sorted(indexes), forest.importances, strict=True):
                measures[index][Measure.FOREST] = estimate
    order = sorted(range(len(features)), key=lambda index: _strength(measures[index]), reverse=True)
    features, measures = [features[index] for index in order], [measures[index] for index in order]
    pairs = [
        PairImportance(features[pair.one].key, features[pair.other].key, pair.share)
        for pair in interactions(features, y, rng, check)
    ]
    feature_importances = [
        FeatureImportance(feature.key, feature.kind, measure)
        for feature, measure in zip(features, measures, strict=True)
    ]
    return Importance(target, y.size, tuple(feature_importances), tuple(apart), tuple(pairs), score, problem)


def _checked(each: Iterable[Part], check: Callable[[], None]) -> Iterator[Part]:
    for part in each:
        check()
        yield part


def _measures(feature: Feature, y: Floats, bins: Codes, weights: Floats) -> dict[Measure, Estimate]:
    """Return measures over the runs that have the parameter; for mutual information, a missing value is a category."""
    is_known = ~np.isnan(feature.values)
    x, seen = feature.values[is_known], y[is_known]
    if feature.kind == "number":
        linear, rank = linear_correlation(x, seen), rank_correlation(x, seen)
        codes = np.zeros(y.size, np.intp)
        codes[is_known] = binned(x) + 1
    else:
        categories = x.astype(np.intp)
        known_weights = weights[is_known]
        linear, rank = (
            correlation_ratio(categories, seen, known_weights),
            correlation_ratio(categories, ranks(seen), known_weights),
        )
        codes = np.where(is_known, np.nan_to_num(feature.values) + 1, 0).astype(np.intp)
    information = mutual_information(np.unique(codes, return_inverse=True)[1], bins)
    return {Measure.LINEAR: linear, Measure.RANK: rank, Measure.INFORMATION: information}


def _strength(measures: Mapping[Measure, Estimate]) -> tuple[bool, float]:
    """Return a key that sorts features; those without a forest come last."""
    forest = measures.get(Measure.FOREST)
    return forest is not None, (forest or measures[Measure.INFORMATION]).value
