# SPDX-License-Identifier: Apache-2.0
"""Measures of association between a parameter and a target, with 95 % intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

Z95 = 1.959964
"""95 % of a normal distribution lie within this many standard deviations."""
RESAMPLES = 200
ROUNDING = 1e-12
"""Sums of squares are exact to a smaller share."""
MOST_BINS = 10


@dataclass(frozen=True, slots=True)
class Estimate:
    """``value`` with its 95 % interval over ``sample_size`` runs."""

    value: float
    low: float
    high: float
    sample_size: int


def linear_correlation(x: Floats, y: Floats) -> Estimate:
    """Return Pearson's r from -1 to 1, with an interval by Fisher's transformation.

    The arrays have shape (n,) and no NaN.
    """
    return _interval(_pearson(x, y), 1.0, x.size)


def rank_correlation(x: Floats, y: Floats) -> Estimate:
    """Return Spearman's rho from -1 to 1; interval after Bonett and Wright (2000)."""
    rho = _pearson(ranks(x), ranks(y))
    return _interval(rho, 1 + rho * rho / 2, x.size)


def correlation_ratio(codes: Codes, y: Floats, weights: Floats) -> Estimate:
    """Return the share of ``y`` that the category means explain, from 0 to 1.

    It is the root of the adjusted share of the variance.

    The interval is a bootstrap interval. ``weights`` are those of `sample_weights` for these runs.
    """
    value, *resampled = _adjusted_ratios(codes, _standardized(y), weights).tolist()
    low, high = np.percentile(resampled, (2.5, 97.5))
    return Estimate(value, float(low), float(high), y.size)


def sample_weights(count: int, rng: np.random.Generator) -> Floats:
    """Return how often each of ``count`` runs is in a sample; shape (count, 1 + RESAMPLES).

    The first sample has each run once, the others are bootstrap samples. All features share them, because drawing them
    takes longer than a measure over them.
    """
    rows = rng.integers(0, count, (RESAMPLES, count)) + count * np.arange(RESAMPLES)[:, None]
    counts = np.bincount(rows.ravel(), minlength=count * RESAMPLES).reshape(RESAMPLES, count)
    return np.ascontiguousarray(np.vstack([np.ones(count), counts]).T, dtype=np.float64)


def mutual_information(x: Codes, y: Codes) -> Estimate:
    """Return the mutual information of ``x`` and ``y``, expressed from 0 to 1.

    It is the correlation of two normal variables with the same value.

    The plug-in estimate with the correction of Miller and Madow (1955); interval by its asymptotic variance.
    """
    joint = np.zeros((int(x.max()) + 1, int(y.max()) + 1))
    np.add.at(joint, (x, y), 1.0 / x.size)
    p_x, p_y = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True)
    is_met = joint > 0
    p = joint[is_met]
    logs = np.log(p / (p_x * p_y)[is_met])
    nats = float((p * logs).sum())
    cells, rows, columns = (int(np.count_nonzero(each)) for each in (joint, p_x, p_y))
    excess = (cells - rows - columns + 1) / (2 * x.size)
    deviation = math.sqrt(max(0.0, float((p * logs**2).sum()) - nats**2) / x.size)
    low, value, high = (_as_correlation(nats - excess + sign * Z95 * deviation) for sign in (-1, 0, 1))
    return Estimate(value, low, high, x.size)


def ranks(values: Floats) -> Floats:
    """Return the rank of each value; equal values get their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2.0)[inverse]


def binned(values: Floats) -> Codes:
    """Return the bins of about equal counts; at most ten, or the cube root of the count.

    Few distinct values get one bin each.
    """
    count = min(MOST_BINS, max(2, round(values.size ** (1 / 3))))
    distinct, inverse = np.unique(values, return_inverse=True)
    if distinct.size <= count:
        return inverse
    edges = np.unique(np.quantile(values, np.linspace(0, 1, count + 1)[1:-1]))
    codes = np.searchsorted(edges, values, side="left")
    return np.unique(codes, return_inverse=True)[1]


def _pearson(x: Floats, y: Floats) -> float:
    x, y = _standardized(x), _standardized(y)
    return float(np.clip((x * y).mean(), -1, 1))


def _standardized(values: Floats) -> Floats:
    scaled = values / (np.abs(values).max() or 1.0)  # because the square of 1e200 overflows
    centered = scaled - scaled.mean()
    return centered / (centered.std() or 1.0)


def _interval(r: float, variance: float, count: int) -> Estimate:
    if count < 4 or abs(r) >= 1:
        return Estimate(r, -1.0 if count < 4 else r, 1.0 if count < 4 else r, count)
    half = Z95 * math.sqrt(variance / (count - 3))
    return Estimate(r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half), count)


def _adjusted_ratios(codes: Codes, y: Floats, weights: Floats) -> Floats:
    """Return the adjusted correlation ratio of each bootstrap sample.

    ``y`` is standardized, so that its squares are exact.
    """
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    y, weights = y[order], weights[order]
    counts = np.add.reduceat(weights, starts)
    sums = np.add.reduceat(weights * y[:, None], starts)
    count, mean, squares = counts.sum(0), sums.sum(0) / np.maximum(counts.sum(0), 1), (y * y) @ weights
    total = squares - count * mean**2
    between = (sums**2 / np.maximum(counts, 1)).sum(0) - count * mean**2
    freedom = count - np.count_nonzero(counts, axis=0)
    # a sample of equal values has no variance, but a rest from rounding
    is_known = (total > ROUNDING * squares) & (freedom > 0)
    within = np.divide(total - between, total, out=np.ones_like(total), where=is_known)
    share = 1 - within * (count - 1) / np.maximum(freedom, 1)
    return np.sqrt(np.where(is_known, np.maximum(share, 0), 0))


def _as_correlation(nats: float) -> float:
    return math.sqrt(1 - math.exp(-2 * max(0.0, nats)))
