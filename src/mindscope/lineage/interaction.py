# SPDX-License-Identifier: Apache-2.0
"""Finds pairs of parameters that interact: a two-way analysis of variance over bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.association import Codes, Estimate, Floats
from mindscope.lineage.features import Feature

LEVELS = 3
"""Number of bins of equal counts for a number."""
MOST_LEVELS = 6
"""A category with more values needs more runs than a typical sweep has."""
MOST_FEATURES = 12
MOST_PAIRS = 10
RESAMPLES = 100


class Interaction(NamedTuple):
    """Two features by their indices, and the share of the target's variance that only their pair explains."""

    one: int
    other: int
    share: Estimate


def interactions(
    features: Sequence[Feature], y: Floats, rng: np.random.Generator, check: Callable[[], None]
) -> list[Interaction]:
    """Return the strongest pairs of the first ``MOST_FEATURES`` features, over the runs that have both.

    A two-way analysis of variance over bins: the adjusted share of cell means minus that of additive effects. The
    interval is a bootstrap interval.
    """
    levels = [_levels(feature) for feature in features[:MOST_FEATURES]]
    shares: list[tuple[float, int, int]] = []
    for one, other in combinations(range(len(levels)), 2):
        check()
        known = (levels[one] >= 0) & (levels[other] >= 0)
        shares.append((_share(levels[one][known], levels[other][known], y[known]), one, other))
    strongest = sorted((share for share in shares if share[0] > 0), reverse=True)[:MOST_PAIRS]
    return [Interaction(one, other, _estimate(levels[one], levels[other], y, rng)) for _, one, other in strongest]


def _estimate(one: Codes, other: Codes, y: Floats, rng: np.random.Generator) -> Estimate:
    known = (one >= 0) & (other >= 0)
    one, other, y = one[known], other[known], y[known]
    samples = (rng.integers(0, y.size, y.size) for _ in range(RESAMPLES))
    low, high = np.percentile([_share(one[rows], other[rows], y[rows]) for rows in samples], (2.5, 97.5))
    return Estimate(_share(one, other, y), float(low), float(high), y.size)


def _share(one: Codes, other: Codes, y: Floats) -> float:
    """Return the share of the variance that the means of the cells explain beyond additive effects."""
    centered: Floats = y - y.mean() if y.size else y
    total = float((centered**2).sum())
    if total == 0:
        return 0.0
    cells = one * MOST_LEVELS + other
    counts = np.bincount(cells)
    is_met = counts > 0
    counts = counts[is_met]
    means = np.bincount(cells, centered)[is_met] / counts
    within = max(0.0, total - float((counts * means**2).sum()))
    design = _additive(*np.divmod(np.flatnonzero(is_met), MOST_LEVELS))
    weights = np.sqrt(counts)
    solved = np.linalg.lstsq(design * weights[:, None], means * weights, rcond=None)[0]
    rest = within + float((counts * (means - design @ solved) ** 2).sum())
    explained = _explained(within, counts.size, y.size, total)
    additive = max(0.0, _explained(rest, design.shape[1], y.size, total))  # few runs can adjust it below zero
    return max(0.0, explained - additive)


def _additive(rows: Codes, columns: Codes) -> Floats:
    """Return the design of additive effects, one row for each cell."""
    return np.hstack([_indicators(rows), _indicators(columns)[:, 1:]])


def _explained(rest: float, coefficients: int, count: int, total: float) -> float:
    """Return the share of the variance that a linear model explains, adjusted for its number of coefficients."""
    freedom = count - coefficients
    return 1 - rest / freedom * (count - 1) / total if freedom > 0 else 0.0


def _indicators(codes: Codes) -> Floats:
    distinct, numbers = np.unique(codes, return_inverse=True)
    return np.eye(distinct.size)[numbers]


def _levels(feature: Feature) -> NDArray[np.intp]:
    """Return the bin or category of each run, -1 if it is missing.

    It is -1 for all runs if a category has too many values.
    """
    levels = np.full(feature.values.size, -1, np.intp)
    if len(feature.names) > MOST_LEVELS:
        return levels
    known = ~np.isnan(feature.values)
    values = feature.values[known]
    distinct, codes = np.unique(values, return_inverse=True)
    if feature.kind == "number" and distinct.size > LEVELS:
        codes = np.searchsorted(np.quantile(values, np.linspace(0, 1, LEVELS + 1)[1:-1]), values)
    levels[known] = codes
    return levels
