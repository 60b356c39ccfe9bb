# SPDX-License-Identifier: Apache-2.0
"""The points of a tag or a formula in runs, as a plot needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.expressions import axis_values, expression_points, smoothed_values
from mindscope.analysis.groups import GroupExpression, GroupStatistics, group_statistics
from mindscope.errors import ExpressionError, MindscopeError, TagNotFoundError
from mindscope.plots.options import PlotOptions
from mindscope.stats.expression import parse
from mindscope.store import RunStore
from mindscope.types import Kind

Floats = NDArray[np.float64]
Stores = Mapping[str, RunStore]


@dataclass(frozen=True, slots=True, eq=False)
class PlotCurve:
    """Points in the order in which they were written; float64 of shape (n,). ``smoothed`` is None without smoothing."""

    x: Floats
    value: Floats
    smoothed: Floats | None


def holders_of(stores: Stores, text: str) -> dict[str, RunStore]:
    """Return the runs that have a tag, or all tags of an expression such as "`loss/train` - `loss/test`".

    Raises TagNotFoundError, which names similar tags, if there is none.
    """
    tags = tags_of(stores, text)
    holders = {id: store for id, store in stores.items() if all(store.scalars(tag) is not None for tag in tags)}
    if not holders:
        raise _tag_not_found(stores, text)
    return holders


def tags_of(stores: Stores, text: str) -> tuple[str, ...]:
    """Return the tag of this name, else the tags of the expression; the text itself if it is neither."""
    if any(store.scalars(text) is not None for store in stores.values()):
        return (text,)
    try:
        return parse(text, wants_condition=False).tags or (text,)
    except ExpressionError:
        return (text,)


def curve_of(store: RunStore, text: str, options: PlotOptions) -> PlotCurve:
    """Return the points of a run, with the smoothing of the page. Raises ExpressionError."""
    series = store.scalars(text)
    smoothing = options.smoothing
    if series is None:
        points = expression_points(store, text, axis=options.axis, smoothing=smoothing)
        return PlotCurve(points.x, points.value, points.smoothed if smoothing else None)
    columns = series.visible()
    step, value = columns.step.astype(np.float64), columns.value
    smoothed = smoothed_values(smoothing, step, columns.wall_time, value).astype(np.float64) if smoothing else None
    return PlotCurve(axis_values(step, columns.wall_time, options.axis), value.astype(np.float64), smoothed)


def statistics_of(stores: Stores, text: str, options: PlotOptions) -> GroupStatistics:
    """Return the statistics over the runs of a group, at each x of any of them."""
    named = next((True for store in stores.values() if store.scalars(text) is not None), False)
    formula = f"tag({text!r})" if named else text
    return group_statistics(stores, GroupExpression(formula, axis=options.axis, smoothing=options.smoothing))


def scalar_tags(stores: Stores) -> list[str]:
    """Return the scalar tags of all runs, in the order of their first occurrence."""
    return list(dict.fromkeys(tag for store in stores.values() for tag in store.tags(Kind.SCALAR)))


def _tag_not_found(stores: Stores, text: str) -> MindscopeError:
    present = scalar_tags(stores)
    tags = tags_of(stores, text)
    missing = [tag for tag in tags if tag not in present]
    which = f"run {next(iter(stores.values())).name!r}" if len(stores) == 1 else f"any of the {len(stores)} runs"
    if not missing:
        return TagNotFoundError(f"no run has all of {', '.join(map(repr, tags))}; plot them one by one.")
    near = get_close_matches(missing[0], present, n=3, cutoff=0.5) or _parts(missing[0], present) or present[:3]
    remedy = f"did you mean {' or '.join(map(repr, near))}?" if near else "there are no scalars."
    return TagNotFoundError(f"scalar tag {missing[0]!r} is not in {which}: {remedy}")


def _parts(text: str, present: Sequence[str]) -> list[str]:
    return [tag for tag in present if text.lower() in tag.lower()][:3]
