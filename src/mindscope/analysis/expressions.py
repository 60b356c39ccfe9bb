# SPDX-License-Identifier: Apache-2.0
"""Evaluates expressions over the scalar tags of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ExpressionError
from mindscope.reasons import Reason
from mindscope.stats import smooth
from mindscope.stats.expression import Column, ColumnsByName, coordinate, parse, require_tags
from mindscope.stats.half_life import smooth_half_life
from mindscope.stats.running_median import running_median
from mindscope.stats.step_join import join_steps
from mindscope.store import RunStore
from mindscope.types import Kind


class Axis(str, Enum):
    """The x axis. ``relative`` and ``wall`` are in seconds."""

    STEP = "step"
    RELATIVE = "relative"
    WALL = "wall"


@dataclass(frozen=True, slots=True)
class Smoothing:
    """The smoothing of all points, in the order of the fields; 0 skips a step.

    ``median_points`` is the width of a running median. ``weight``, from 0 to below 1, is that of the debiased
    exponential average. A point ``half_life_steps`` or ``half_life_seconds`` back counts half.
    """

    median_points: int = 0
    weight: float = 0.0
    half_life_steps: float = 0.0
    half_life_seconds: float = 0.0

    def __bool__(self) -> bool:
        return self != NO_SMOOTHING


NO_SMOOTHING = Smoothing()


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionPoints:
    """Float64 columns of shape (n,), by ascending step; ``smoothed`` is ``value`` without smoothing."""

    x: NDArray[np.float64]
    step: NDArray[np.float64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.float64]
    smoothed: NDArray[np.float64]


def expression_points(
    store: RunStore, y: str, *, x: str | None = None, axis: Axis = Axis.STEP, smoothing: Smoothing = NO_SMOOTHING
) -> ExpressionPoints:
    """Return all points at the steps that every tag of ``y``, and of the expression ``x`` if there is one, has.

    Without ``x`` the x axis is ``axis``. Raises ExpressionError for an expression that can't be parsed, names no
    tag, or names a tag that the run does not have.
    """
    over, along = parse(y, wants_condition=False), None if x is None else parse(x, wants_condition=False)
    tags = tuple(dict.fromkeys([*over.tags, *(along.tags if along else ())]))
    if not tags:
        raise ExpressionError(Reason("expression_without_tag", text=y))
    columns = _columns(store, y, tags)
    step = np.asarray(columns[coordinate("step")], np.float64)
    wall_time = np.asarray(columns[coordinate("wall_time")], np.float64)
    value = over.evaluate(columns)
    return ExpressionPoints(
        x=axis_values(step, wall_time, axis) if along is None else along.evaluate(columns),
        step=step,
        wall_time=wall_time,
        value=value,
        smoothed=smoothed_values(smoothing, step, wall_time, value),
    )


def _columns(store: RunStore, text: str, tags: Sequence[str]) -> ColumnsByName:
    require_tags(text, tags, store.tags(Kind.SCALAR))
    found = {tag: series.visible() for tag in tags if (series := store.scalars(tag)) is not None}
    return join_steps({tag: (value.step, value.wall_time, value.value) for tag, value in found.items()})


def axis_values(step: Column, wall_time: Column, axis: Axis) -> Column:
    """Return the position of each point on an axis."""
    if axis is Axis.STEP:
        return step
    if axis is Axis.WALL or wall_time.size == 0:
        return wall_time
    finite = wall_time[np.isfinite(wall_time)]
    return wall_time - (finite.min() if finite.size else 0.0)


def smoothed_values(smoothing: Smoothing, step: Column, wall_time: Column, value: Column) -> Column:
    """Return the values of all points, smoothed."""
    if smoothing.median_points > 1:
        value = running_median(value, smoothing.median_points)
    if smoothing.weight > 0.0:
        value = smooth(value, smoothing.weight)
    if smoothing.half_life_steps > 0.0:
        value = smooth_half_life(step, value, smoothing.half_life_steps)
    if smoothing.half_life_seconds > 0.0:
        value = smooth_half_life(wall_time, value, smoothing.half_life_seconds)
    return value
