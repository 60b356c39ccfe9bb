# SPDX-License-Identifier: Apache-2.0
"""A figure of several tensors together, as of one tensor that has all of their elements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.views.figures import Figure, Floats

_MEANS = (Field.MEAN_ABS_UPDATE, Field.MEAN_ABS_BEFORE)


def merged_figure(figure: Figure, values: Floats, groups: NDArray[np.integer], count: int) -> Floats:
    """Return the figure of each group of tensors: counts and sums add up, of extremes the outermost counts.

    Args:
        figure: a tensor without one of its statistics does not count.
        values: columns as in ``FIELDS``; shape (rows, fields).
        groups: the group of each row, from 0 to ``count - 1``; shape (rows,).
        count: of the groups.

    Returns:
        Shape (count,); NaN for a group without the figure.
    """
    is_known = ~np.isnan(values[:, [COLUMN[field] for field in figure.fields]]).any(axis=1)
    order = np.flatnonzero(is_known)[np.argsort(groups[is_known], kind="stable")]
    found, starts = np.unique(groups[order], return_index=True)
    merged = np.full(count, np.nan)
    if len(found):
        fields = (*figure.fields, *figure.optional)
        merged[found] = figure.from_columns([_merged(field, values[order], starts) for field in fields])
    return merged


def _merged(field: Field, values: Floats, starts: NDArray[np.intp]) -> Floats:
    """Return a statistic of each group of rows; the rows of a group follow one another."""
    column = values[:, COLUMN[field]]
    if field is Field.MIN:
        return np.minimum.reduceat(column, starts)
    if field is Field.MAX:
        return np.maximum.reduceat(column, starts)
    if field in _MEANS:
        elements = np.nan_to_num(values[:, COLUMN[Field.COUNT]], nan=1)
        return np.add.reduceat(column * elements, starts) / np.add.reduceat(elements, starts)
    return np.add.reduceat(column, starts)
