# SPDX-License-Identifier: Apache-2.0
"""Points of an expression over the scalar tags of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ExpressionError
from mindscope.reasons import Reason
from mindscope.server.expressions.schema import ExpressionView, Smoothing
from mindscope.server.http.schema import Axis
from mindscope.stats import smooth
from mindscope.stats.expression import parse, require_tags
from mindscope.stats.half_life import smooth_half_life
from mindscope.stats.joining import join_steps
from mindscope.stats.operators import Column, ColumnsByName, coordinate
from mindscope.stats.running_median import running_median
from mindscope.store import RunStore
from mindscope.types import Kind


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionPoints:
    """Float64 columns of shape (n,), by ascending step; ``smoothed`` is ``value`` without smoothing."""

    x: NDArray[np.float64]
    step: NDArray[np.float64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]
    smoothed: NDArray[np.float64]


def expression_points(store: RunStore, y: str, view: ExpressionView) -> ExpressionPoints:
    """All points at the steps that every tag of ``y``, and of the expression on the x axis, has.

    Raises ExpressionError for an expression that can't be read, or names a tag that the run doesn't have.
    """
    over, along = parse(y, wants_condition=False), None if view.x is None else parse(view.x, wants_condition=False)
    tags = tuple(dict.fromkeys([*over.tags, *(along.tags if along else ())]))
    if not tags:
        raise ExpressionError(Reason("expression_without_tag", text=y))
    columns = _columns(store, y, tags)
    step = np.asarray(columns[coordinate("step")], np.float64)
    wall_time = np.asarray(columns[coordinate("wall_time")], np.float64)
    value = over.evaluate(columns)
    return ExpressionPoints(
        x=_along_axis(step, wall_time, view.axis) if along is None else along.evaluate(columns),
        step=step,
        wall_time=wall_time,
        value=value,
        smoothed=_smoothed(view.smoothing, step, wall_time, value),
    )


def is_smoothed(smoothing: Smoothing) -> bool:
    """Whether anything is done to the values."""
    return smoothing != Smoothing()


def _columns(store: RunStore, text: str, tags: Sequence[str]) -> ColumnsByName:
    require_tags(text, tags, store.tags(Kind.SCALAR))
    found = {tag: series.visible() for tag in tags if (series := store.scalars(tag)) is not None}
    return join_steps({tag: (each.step, each.wall_time, each.value) for tag, each in found.items()})


def _along_axis(step: Column, wall_time: Column, axis: Axis) -> Column:
    if axis is Axis.STEP:
        return step
    if axis is Axis.WALL or wall_time.size == 0:
        return wall_time
    finite = wall_time[np.isfinite(wall_time)]
    return wall_time - (finite.min() if finite.size else 0.0)


def _smoothed(smoothing: Smoothing, step: Column, wall_time: Column, value: Column) -> Column:
    if smoothing.median_points > 1:
        value = running_median(value, smoothing.median_points)
    if smoothing.weight > 0.0:
        value = smooth(value, smoothing.weight)
    if smoothing.half_life_steps > 0.0:
        value = smooth_half_life(step, value, smoothing.half_life_steps)
    if smoothing.half_life_seconds > 0.0:
        value = smooth_half_life(wall_time, value, smoothing.half_life_seconds)
    return value
