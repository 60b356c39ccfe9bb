# SPDX-License-Identifier: Apache-2.0
"""HTML of runs and curves for notebooks: plain tables with a small curve in each row."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.store import RunStore
from mindscope.types import Kind

MOST_ROWS = 30
_WIDTH, _HEIGHT = 120, 24
_MOST_POINTS = 240
_LINE = '<polyline fill="none" stroke="#2b63d3" points="%s"/>'
_CURVES = (
    f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="%s">%s</svg>'
)


def runs_html(base: str, runs: Sequence[RunStore]) -> str:
    """Return a table of runs: state, last step, and a curve that most of them have, of a loss if there is one."""
    now, listed = time.time(), runs[:MOST_ROWS]
    tag = _common_tag(listed)
    head = ("Run", "State", "Last step", *((tag, "") if tag else ()))
    rows = [
        (
            escape(run.name),
            run.state(now),
            "" if run.last_step is None else f"{run.last_step:,}",
            *(_curve_cells(run, tag) if tag else ()),
        )
        for run in listed
    ]
    return _table(f"{escape(base)}: {len(runs):,} runs", head, rows, len(runs) - len(listed), "runs")


def run_html(run: RunStore) -> str:
    """Return a table of the scalars of a run, and how much it has of other kinds."""
    tags = run.tags(Kind.SCALAR)
    rows = [(escape(tag), *_curve_cells(run, tag)) for tag in tags[:MOST_ROWS]]
    counts = ((kind, count) for kind, count in run.tag_counts().items() if kind is not Kind.SCALAR)
    others = ", ".join(f"{count:,} {kind.value}" for kind, count in counts)
    title = f"{escape(run.name)}: {run.state(time.time())}" + (f"; also {others}" if others else "")
    return _table(title, ("Scalar", "Last", ""), rows, len(tags) - len(rows), "scalars")


def scalars_html(tag: str, step: NDArray[np.int64], value: NDArray[np.floating[Any]]) -> str:
    """Return a curve with its last value and its range."""
    if not step.size:
        return f"{escape(tag)}: no points"
    lowest, highest = _range(value)
    facts = f"{step.size:,} points, steps {step[0]:,} to {step[-1]:,}, values {lowest:.5g} to {highest:.5g}"
    return _table("", ("Scalar", "Last", "", ""), [(escape(tag), _number(value), sparkline(tag, value), facts)], 0, "")


def sparkline(tag: str, values: NDArray[np.floating[Any]]) -> str:
    """Return a curve as SVG; a step without a finite value interrupts it."""
    value = values.astype(np.float64)
    if value.size > _MOST_POINTS:
        value = _reduced(value)
    lowest, highest = _range(value)
    if math.isnan(lowest):
        return ""
    height = np.full(value.size, 0.5) if highest == lowest else (value / 2 - lowest / 2) / (highest / 2 - lowest / 2)
    x = np.linspace(1, _WIDTH - 1, value.size)
    y = _HEIGHT - 2 - height * (_HEIGHT - 4)
    lines = "".join(_LINE % _points(x[part], y[part]) for part in _finite_parts(value))
    return _CURVES % (escape(f"curve of {tag}", quote=True), lines)


def _points(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    return " ".join(f"{left:.1f},{top:.1f}" for left, top in zip(x.tolist(), y.tolist(), strict=True))


def _reduced(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lowest and the highest value of equal parts, in their order."""
    reduced = list[float]()
    for part in np.array_split(value, _MOST_POINTS // 2):
        finite = np.flatnonzero(np.isfinite(part))
        if not finite.size:
            reduced += [math.nan]
            continue
        ends = sorted({int(finite[part[finite].argmin()]), int(finite[part[finite].argmax()])})
        reduced += [float(part[end]) for end in ends]
    return np.array(reduced)


def _finite_parts(value: NDArray[np.float64]) -> Iterable[slice]:
    is_finite = np.concatenate([[False], np.isfinite(value), [False]])
    ends = np.flatnonzero(is_finite[1:] != is_finite[:-1])
    return [slice(int(start), int(stop)) for start, stop in ends.reshape(-1, 2)]


def _range(value: NDArray[np.floating[Any]]) -> tuple[float, float]:
    finite = value[np.isfinite(value)]
    return (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)


def _curve_cells(run: RunStore, tag: str) -> tuple[str, str]:
    series = run.scalars(tag)
    if series is None:
        return "", ""
    value = series.visible().value
    return _number(value), sparkline(tag, value)


def _number(value: NDArray[np.floating[Any]]) -> str:
    return f"{float(value[-1]):.5g}" if value.size else ""


def _common_tag(runs: Sequence[RunStore]) -> str:
    """Return the tag that most runs have, a loss before others; no metric of the machine."""
    counts = dict[str, int]()
    for run in runs:
        for tag in run.tags(Kind.SCALAR):
            if not tag.startswith("system/"):
                counts[tag] = counts.get(tag, 0) + 1
    return max(counts, key=lambda tag: (counts[tag], "loss" in tag.lower(), -len(tag)), default="")


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], left_out: int, noun: str) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    more = f"<p>{left_out:,} more {noun}</p>" if left_out > 0 else ""
    return f"<p>{title}</p><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>{more}"
