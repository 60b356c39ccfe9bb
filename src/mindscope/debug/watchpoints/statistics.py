# SPDX-License-Identifier: Apache-2.0
"""Computes what conditions compare from stored statistics: exact values, or bounds where these do not say more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.watchpoints.range_bounds import range_bounds

Column = NDArray[np.float64]
Bounds = tuple[Column, Column]
"""A value at least and at most, each of shape (rows,). Equal where it is exact, NaN where it is not recorded."""
Settings = Mapping[str, float]
"""The parameters of a watchpoint that are set."""
_ROUNDING = 1e-5
"""Relative error of sums on a device without float64."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """One value of a tensor that a parameter compares."""

    name: str
    needs: tuple[Field, ...]
    bounds: Callable[[Column, Settings], Bounds]
    """Computes bounds from rows of statistics, shape (rows, fields)."""
    exact: Callable[[Column, Column | None, Settings], float | None] | None = None
    """Computes the value from the whole tensor and the one of the step before, float64; None if it needs that one."""


def _of(values: Column, field: Field) -> Column:
    return values[:, COLUMN[field]]


def _exactly(compute: Callable[[Column], Column]) -> Callable[[Column, Settings], Bounds]:
    def bounds(values: Column, settings: Settings) -> Bounds:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            found = compute(values)
        return found, found

    return bounds


def _mean_of(field: Field) -> Callable[[Column, Settings], Bounds]:
    return _exactly(lambda values: _of(values, field) / _of(values, Field.COUNT))


def _update_ratio(values: Column, settings: Settings) -> Bounds:
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found = _of(values, Field.MEAN_ABS_UPDATE) / (_of(values, Field.MEAN_ABS_BEFORE) + settings["epsilon"])
    return found, found


def _exact_update_ratio(now: Column, before: Column | None, settings: Settings) -> float | None:
    if before is None:
        return None
    with np.errstate(over="ignore", divide="ignore"):
        return float(np.abs(now - before).mean() / (np.abs(before).mean() + settings["epsilon"]))


def _unchanged(values: Column, settings: Settings) -> Bounds:
    """Return 1 where every |now - before| is at most atol + rtol |before|, 0 where not.

    Means decide most tensors: if nothing changed, the mean difference is at most the mean tolerance; and no difference
    is larger than the sum of all.
    """
    update, before = _of(values, Field.MEAN_ABS_UPDATE), _of(values, Field.MEAN_ABS_BEFORE)
    atol, rtol = settings["atol"], settings["rtol"]
    with np.errstate(invalid="ignore", over="ignore"):
        is_kept = (update == 0) | (update * _of(values, Field.COUNT) <= atol)
        is_changed = ~is_kept & (update > (atol + rtol * before) * (1 + _ROUNDING))
    is_unknown = np.isnan(update) | (np.isnan(before) & ~is_kept)
    low, high = np.where(is_kept, 1.0, 0.0), np.where(is_changed, 0.0, 1.0)
    return np.where(is_unknown, np.nan, low), np.where(is_unknown, np.nan, high)


def _exact_unchanged(now: Column, before: Column | None, settings: Settings) -> float | None:
    if before is None:
        return None
    return float(np.all(np.abs(now - before) <= settings["atol"] + settings["rtol"] * np.abs(before)))


def _range_percentage(values: Column, settings: Settings) -> Bounds:
    return range_bounds(values, settings["range_start_inclusive"], settings["range_end_inclusive"])


def _exact_range_percentage(now: Column, before: Column | None, settings: Settings) -> float | None:
    is_inside = (now >= settings["range_start_inclusive"]) & (now <= settings["range_end_inclusive"])
    return 100.0 * float(is_inside.mean())


def _not_recorded(values: Column, settings: Settings) -> Bounds:
    found = np.full(len(values), np.nan)
    return found, found


_SIGNS = (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)
ABS_MEAN = Statistic("abs_mean", (Field.SUM_ABS, Field.COUNT), _mean_of(Field.SUM_ABS))
MEAN = Statistic("mean", (Field.SUM, Field.COUNT), _mean_of(Field.SUM))
MAX = Statistic("max", (Field.MAX,), _exactly(lambda values: _of(values, Field.MAX)))
MIN = Statistic("min", (Field.MIN,), _exactly(lambda values: _of(values, Field.MIN)))
MAX_MIN = Statistic(
    "max_min", (Field.MAX, Field.MIN), _exactly(lambda values: _of(values, Field.MAX) - _of(values, Field.MIN))
)
ZERO_PERCENTAGE = Statistic(
    "zero_percentage",
    (Field.ZERO, Field.COUNT),
    _exactly(lambda values: 100 * _of(values, Field.ZERO) / _of(values, Field.COUNT)),
)
NON_FINITE = Statistic(
    "non_finite", _SIGNS, _exactly(lambda values: values[:, [COLUMN[sign] for sign in _SIGNS]].sum(axis=1))
)
UPDATE_RATIO = Statistic(
    "abs_mean_update_ratio", (Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE), _update_ratio, _exact_update_ratio
)
UNCHANGED = Statistic("unchanged", (Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE), _unchanged, _exact_unchanged)
RANGE_PERCENTAGE = Statistic(
    "range_percentage", (Field.COUNT, Field.MIN, Field.MAX), _range_percentage, _exact_range_percentage
)
OPERATOR_OVERFLOW = Statistic("operator_overflow", (), _not_recorded)
"""Ascend's record of overflows inside of operators; no statistic of a tensor shows it, so ``StepContext`` has it."""
