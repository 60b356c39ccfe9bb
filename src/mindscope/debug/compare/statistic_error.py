# SPDX-License-Identifier: Apache-2.0
"""Computes how far two tensors are apart, by their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.tensor_difference import TensorDifference

Column = NDArray[np.float64]
TOLERANCES = {
    "float64": 1e-11, "float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2, "float8_e4m3fn": 0.1, "float8_e5m2": 0.2,
}  # fmt: skip
"""Relative errors that another order of additions may make, by dtype."""
_NON_FINITE = [COLUMN[each] for each in (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)]
_FLOOR = 1e-12
_MEANS = (Field.SUM, Field.SUM_ABS)


def tolerance_of(left: str, right: str) -> float:
    """Return the tolerance of two dtypes, the larger one: 0 for integers and bools.

    It is that of float32 where none is known.
    """
    return max(_tolerance(left), _tolerance(right))


def _tolerance(dtype: str) -> float:
    if not dtype:
        return TOLERANCES["float32"]
    return TOLERANCES.get(dtype, TOLERANCES["float32"] if "float" in dtype or "complex" in dtype else 0.0)


def statistic_errors(left: Column, right: Column) -> Column:
    """Return the largest relative error of the statistics that both have, of each pair of rows.

    Means and root mean squares are relative to the larger root mean square, extremes to the larger magnitude. Infinite
    where counts of NaN, of infinities, or of elements differ; NaN where nothing compares.

    Args:
        left: rows of statistics, shape (rows, fields).
        right: as ``left``.

    Returns:
        Shape (rows,).
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        counts = [side[:, COLUMN[Field.COUNT]] for side in (left, right)]
        sizes = [np.sqrt(side[:, COLUMN[Field.SUM_SQUARES]] / count)
                 for side, count in zip((left, right), counts, strict=True)]  # fmt: skip
        extremes = [np.abs(side[:, [COLUMN[Field.MIN], COLUMN[Field.MAX]]]).max(axis=1) for side in (left, right)]
        largest = np.fmax(*extremes)
        size = np.where(np.isnan(np.fmax(*sizes)), largest, np.fmax(*sizes))
        errors = [_relative(sizes[0], sizes[1], size)]
        for field in _MEANS:
            means = [side[:, COLUMN[field]] / count for side, count in zip((left, right), counts, strict=True)]
            errors.append(_relative(means[0], means[1], size))
        for field in (Field.MIN, Field.MAX):
            errors.append(_relative(left[:, COLUMN[field]], right[:, COLUMN[field]], largest))
        found = _largest(errors)
        is_other = np.any(_differs(left[:, _NON_FINITE], right[:, _NON_FINITE]), axis=1)
        return np.where(is_other | _differs(counts[0], counts[1]), np.inf, found)


def _relative(left: Column, right: Column, scale: Column) -> Column:
    return np.where(left == right, 0.0, np.abs(left - right) / scale)


def _largest(errors: Sequence[Column]) -> Column:
    found = errors[0]
    for error in errors[1:]:
        found = np.fmax(found, error)
    return found


def _differs(left: Column, right: Column) -> NDArray[np.bool_]:
    return (left != right) & ~np.isnan(left) & ~np.isnan(right)


def statistic_difference(
    got: DebugTensor,
    got_values: Column,
    want: DebugTensor,
    want_values: Column,
    *,
    has_equal_layouts: bool = True,
    has_equal_bytes: bool = False,
) -> TensorDifference:
    """Compare two tensors by their statistics: shapes, dtypes, norms, NaN and infinities.

    A shape or dtype that is not known counts as that of the other; what needs the elements is NaN. Without
    ``has_equal_layouts``, as of two frameworks, so does a shape with as many elements. With ``has_equal_bytes`` the
    elements are equal.
    """
    shape = got.shape if got.shape is not None else want.shape or ()
    counts = got_values[COLUMN[Field.COUNT]], want_values[COLUMN[Field.COUNT]]
    is_same_shape = want.shape is None or (not has_equal_layouts and counts[0] == counts[1])
    norms = [float(np.sqrt(values[COLUMN[Field.SUM_SQUARES]])) for values in (got_values, want_values)]
    non_finite = [int(np.nansum(values[_NON_FINITE])) for values in (got_values, want_values)]
    has_norms = all(count == 0 or not bad >= count for bad, count in zip(non_finite, counts, strict=True))
    tensor_difference = TensorDifference(
        shape, shape if is_same_shape else want.shape or (), got.dtype or want.dtype, want.dtype or got.dtype,
        norm_error=abs(norms[0] - norms[1]) / max(norms[1], _FLOOR) if has_norms else np.nan,
        got_non_finite=non_finite[0], want_non_finite=non_finite[1], has_values=not counts[0] == counts[1] == 0,
    )  # fmt: skip
    if not has_equal_bytes:
        return tensor_difference
    tensor_difference = replace(
        tensor_difference, cosine=1.0, max_abs=0.0, max_rel=0.0, share_beyond=0.0, norm_error=0.0
    )
    return replace(tensor_difference, share_within_1e3=1.0, share_within_5e3=1.0)


def joined_statistics(rows: Column) -> Column:
    """Return the statistics of several tensors as one: counts and sums are added."""
    joined = rows.sum(axis=0)
    joined[COLUMN[Field.MIN]] = rows[:, COLUMN[Field.MIN]].min()
    joined[COLUMN[Field.MAX]] = rows[:, COLUMN[Field.MAX]].max()
    for field in (Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE):
        weights = rows[:, COLUMN[Field.COUNT]]
        joined[COLUMN[field]] = (rows[:, COLUMN[field]] * weights).sum() / weights.sum()
    return joined
