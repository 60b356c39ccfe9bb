# SPDX-License-Identifier: Apache-2.0
"""Figures of tensors: the recorded statistics, and those that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, FIELDS, Field

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of each tensor, computed from some of its statistics."""

    name: str
    fields: tuple[Field, ...]
    compute: Callable[..., Floats]
    """Takes the columns of ``fields``, then of ``optional``; NaN where one of ``fields`` was not recorded."""
    optional: tuple[Field, ...] = ()
    """Statistics that are taken into account where they were recorded."""

    def of(self, values: Floats) -> Floats:
        """Compute it from statistics whose last axis has the columns of ``FIELDS``."""
        return self.from_columns([values[..., COLUMN[field]] for field in (*self.fields, *self.optional)])

    def from_columns(self, columns: Collection[Floats]) -> Floats:
        """Compute it from the columns of ``fields`` and ``optional``."""
        with np.errstate(all="ignore"):
            return self.compute(*columns)


def _recorded(values: Floats) -> Floats:
    return values


def _sum_of_finite(total: Floats, count: Floats, *non_finite: Floats) -> Floats:
    """Return NaN of a tensor without a finite element; an empty one has the sum 0."""
    return np.where((count > 0) & (_known_non_finite(*non_finite) >= count), np.nan, total)


def _known_non_finite(*counts: Floats) -> Floats:
    return _non_finite(*map(np.nan_to_num, counts))


def _norm(squares: Floats, *counts: Floats) -> Floats:
    return np.sqrt(_sum_of_finite(squares, *counts))


def _share_of_zeros(zero: Floats, count: Floats, *non_finite: Floats) -> Floats:
    return _share(_sum_of_finite(zero, count, *non_finite), count)


def _non_finite(nan: Floats, positive: Floats, negative: Floats) -> Floats:
    return nan + positive + negative


def _mean(total: Floats, count: Floats, *non_finite: Floats) -> Floats:
    """Return the mean over the finite elements; NaN without any."""
    finite = count - _non_finite(*non_finite)
    return np.where(finite > 0, total / finite, np.nan)


def _deviation(squares: Floats, total: Floats, count: Floats, *non_finite: Floats) -> Floats:
    """Return the standard deviation of the population."""
    mean = _mean(total, count, *non_finite)
    return np.sqrt(np.maximum(_mean(squares, count, *non_finite) - mean**2, 0))


def _largest(low: Floats, high: Floats) -> Floats:
    return np.maximum(np.abs(low), np.abs(high))


def _share(part: Floats, count: Floats) -> Floats:
    return np.where(count > 0, part / count, np.nan)


def _non_finite_share(count: Floats, *non_finite: Floats) -> Floats:
    return _share(_non_finite(*non_finite), count)


_COUNTS = (Field.COUNT, Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)
_DERIVED = (
    Figure("non_finite", _COUNTS[1:], _non_finite),
    Figure("max_abs", (Field.MIN, Field.MAX), _largest),
    Figure("mean", (Field.SUM, *_COUNTS), _mean),
    Figure("deviation", (Field.SUM_SQUARES, Field.SUM, *_COUNTS), _deviation),
    Figure("mean_abs", (Field.SUM_ABS, *_COUNTS), _mean),
    Figure("norm", (Field.SUM_SQUARES,), _norm, _COUNTS),
    Figure("zero_share", (Field.ZERO, Field.COUNT), _share_of_zeros, _COUNTS[1:]),
    Figure("non_finite_share", _COUNTS, _non_finite_share),
    Figure("update_ratio", (Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE), _share),
)
_SUMS = tuple(
    [Figure(field.value, (field,), _sum_of_finite, _COUNTS) for field in (Field.SUM, Field.SUM_ABS, Field.SUM_SQUARES)]
)
FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        **{field.value: Figure(field.value, (field,), _recorded) for field in FIELDS},
        **{figure.name: figure for figure in (*_SUMS, *_DERIVED)},
    }
)
"""All figures by name: the fields, then ``non_finite``, ``max_abs``, ``mean``, ``deviation`` of the population,
``mean_abs``, ``norm`` (L2), ``zero_share`` and ``non_finite_share`` of all elements, ``update_ratio``.

Other than counts they are of the finite elements, and NaN of a tensor that has elements, none of which is finite.
"""


def figures_from(fields: Collection[Field]) -> list[Figure]:
    """Return the figures that can be computed from some statistics."""
    return [figure for figure in FIGURES.values() if set(figure.fields).issubset(fields)]
