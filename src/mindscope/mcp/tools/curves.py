# SPDX-License-Identifier: Apache-2.0
"""The tool that reads curves, reduced to a budget of points."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope.mcp.results import Name, Point, count_text, counted, first, number, rounded
from mindscope.mcp.session import AgentSession, matching
from mindscope.reading.run import Run
from mindscope.reading.scalars import Scalars
from mindscope.stats import m4
from mindscope.types import Kind

_FEWEST_POINTS = 12
"""M4 keeps four finite points of a pixel column, and the first and last of three kinds of other numbers."""
_MOST_POINTS = 2000
_MOST_CURVES = 20
_MOST_STEPS = 10
_Step = Annotated[int, Field(ge=-(2**53), le=2**53)]
_NON_FINITE = {"nan": np.isnan, "positive_infinity": np.isposinf, "negative_infinity": np.isneginf}


class NonFinite(TypedDict):
    """Points that are NaN or infinite: how many, and the first steps of them."""

    count: int
    first_steps: list[int]


class Curve(TypedDict):
    """A curve: extremes and means are of all its points in the range, not only of those in ``points``."""

    run: str
    tag: str
    summary: Annotated[str, Field(description="How many points are here, of how many.")]
    points: Annotated[list[Any], Field(description="Pairs of step and value, which keep peaks, gaps and both ends.")]
    first: NotRequired[Point]
    last: NotRequired[Point]
    min: NotRequired[Point]
    max: NotRequired[Point]
    mean: NotRequired[Any]
    nan: NotRequired[NonFinite]
    positive_infinity: NotRequired[NonFinite]
    negative_infinity: NotRequired[NonFinite]
    hidden: NotRequired[str]


class Curves(TypedDict):
    """Curves, and how many the request names."""

    summary: str
    curves: list[Curve]


class CurveTools:
    """Reads curves."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def read_curves(
        self,
        runs: Annotated[list[Name], Field(min_length=1, max_length=50, description="Ids, or patterns with * and ?.")],
        tags: Annotated[
            list[Name],
            Field(min_length=1, max_length=50, description="Scalar tags, patterns, or formulas such as `a/b` - `c/d`."),
        ],
        points: Annotated[int, Field(ge=_FEWEST_POINTS, le=_MOST_POINTS, description="Budget for a curve.")] = 60,
        first_step: _Step | None = None,
        last_step: _Step | None = None,
    ) -> Curves:
        """Read scalar curves such as losses, reduced to a budget of points, with exact extremes, ends and mean.

        Steps with NaN and infinity are named. Give first_step and last_step to see a range in detail. Use list_runs or
        best_run for last values only, and query_sql for statistics over many runs.
        """
        series = [(id, tag) for id in self._session.chosen(runs) for tag in _tags_of(self._session.run(id), tags)]
        taken = series[:_MOST_CURVES]
        budget = max(_FEWEST_POINTS, min(points, _MOST_POINTS // max(1, len(taken))))
        curves = [_curve(self._session.run(id), tag, budget, (first_step, last_step)) for id, tag in taken]
        remedy = f"at most {_MOST_CURVES} are read at once, name fewer runs or tags"
        return Curves(summary=count_text(len(curves), len(series), "curve", remedy), curves=curves)


def _tags_of(run: Run, patterns: list[str]) -> list[str]:
    """Return tags of a run: those that patterns match; other texts as they are."""
    tags = run.tags(Kind.SCALAR)
    chosen: dict[str, None] = {}
    for pattern in patterns:
        matches = matching(pattern, tags) if "*" in pattern or "?" in pattern else []
        chosen.update(dict.fromkeys([pattern] if pattern in tags or not matches else matches))
    return list(chosen)


def _curve(run: Run, tag: str, budget: int, steps: tuple[int | None, int | None]) -> Curve:
    """Raises TagNotFoundError, ExpressionError."""
    scalars = run.scalars(tag) if tag in run.tags(Kind.SCALAR) else run.expression(tag)
    low, high = steps
    rows = np.ones(scalars.step.size, bool)
    rows &= True if low is None else scalars.step >= low
    rows &= True if high is None else scalars.step <= high
    step, value = scalars.step[rows], scalars.value[rows]
    kept = _reduced(step, value, budget)
    answer = Curve(
        run=run.id,
        tag=tag,
        summary=count_text(kept.size, step.size, "point", "a narrower range of steps has more detail"),
        points=[[int(step[row]), number(value[row])] for row in kept],
    )
    return {**answer, **_facts(step, value), **_hidden(run, scalars)}  # pyright: ignore[reportReturnType]


def _reduced(step: NDArray[Any], value: NDArray[Any], budget: int) -> NDArray[np.int64]:
    """Return the rows that M4 keeps for the most pixels with which they are within the budget."""
    if step.size <= budget:
        return np.arange(step.size)
    pixels = max(1, budget // 4)
    while (rows := m4(step, value, pixels)).size > budget and pixels > 1:
        pixels //= 2
    return rows[np.linspace(0, rows.size - 1, min(budget, rows.size)).astype(np.int64)]


def _facts(step: NDArray[Any], value: NDArray[Any]) -> dict[str, Any]:
    if not step.size:
        return {}
    facts: dict[str, Any] = {"first": _point(step, value, 0), "last": _point(step, value, -1)}
    finite = np.flatnonzero(np.isfinite(value))
    if finite.size:
        facts["min"] = _point(step, value, int(finite[value[finite].argmin()]))
        facts["max"] = _point(step, value, int(finite[value[finite].argmax()]))
        facts["mean"] = number(rounded(float(value[finite].mean(dtype=np.float64))))
    for name, holds in _NON_FINITE.items() if finite.size < value.size else ():
        bad = step[holds(value)]
        if bad.size:
            facts[name] = NonFinite(count=bad.size, first_steps=first(bad.tolist(), _MOST_STEPS))
    return facts


def _point(step: NDArray[Any], value: NDArray[Any], row: int) -> Point:
    return Point(step=int(step[row]), value=number(value[row]))


def _hidden(run: Run, scalars: Scalars) -> dict[str, str]:
    series = run.store.scalars(scalars.tag)
    overwritten, repeated = (0, 0) if series is None else series.hidden()
    texts = [f"{counted(overwritten, 'point')} that a restart replaced"] if overwritten else []
    texts += [f"{counted(repeated, 'point')} with the step of a later one"] if repeated else []
    return {"hidden": f"Without {' and '.join(texts)}."} if texts else {}
