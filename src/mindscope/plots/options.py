# SPDX-License-Identifier: Apache-2.0
"""How a figure looks: its axes, bands, marks and size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, cast

from mindscope.analysis.expressions import NO_SMOOTHING, Axis, Smoothing
from mindscope.errors import UsageError

Center = Literal["mean", "median"]
Spread = Literal["range", "quartiles", "deviation", "error", "confidence", "none"]
Size = Literal["single", "text", "double"] | tuple[float, float] | float

CENTERS = ("mean", "median")
SPREADS = ("range", "quartiles", "deviation", "error", "confidence", "none")
BEST = ("auto", "min", "max")
WIDTHS = {"single": 3.5, "text": 5.5, "double": 7.16}
"""Inches of a column and of both columns of IEEE, and of the text of NeurIPS and ICLR."""
_LEAST_INCHES, _MOST_INCHES = 1.0, 60.0


class PlotKeywords(TypedDict, total=False):
    """Further arguments of ``plot``; docs/plots.md describes each."""

    center: Center
    spread: Spread
    log_x: bool
    log_y: bool
    best: Literal["auto", "min", "max"] | None
    overlay: bool
    size: Size
    labels: Mapping[str, str]
    y_limits: tuple[float, float] | None
    legend: bool


@dataclass(frozen=True, slots=True)
class PlotOptions:
    """How a figure looks.

    ``center`` and ``spread`` are those of groups of runs, in the words of the page. ``best`` marks the best value of
    each line; "auto" takes the lowest of a loss or error, else the highest. ``overlay`` draws all tags in one panel.
    ``size`` is a width by name or in inches, or width and height in inches. ``labels`` renames lines.
    Raises UsageError for a value that is none of these.
    """

    smoothing: Smoothing = NO_SMOOTHING
    axis: Axis = Axis.STEP
    center: Center = "mean"
    spread: Spread = "deviation"
    log_x: bool = False
    log_y: bool = False
    best: Literal["auto", "min", "max"] | None = None
    overlay: bool = False
    size: Size = "single"
    labels: Mapping[str, str] | None = None
    y_limits: tuple[float, float] | None = None
    legend: bool = True

    def __post_init__(self) -> None:
        _require_one_of("center", self.center, CENTERS)
        _require_one_of("spread", self.spread, SPREADS)
        if self.best is not None:
            _require_one_of("best", self.best, BEST)
        if self.log_x and self.axis is Axis.WALL:
            raise UsageError("wall time has no useful logarithm; leave out log_x, or choose x='relative'.")
        _ = self.inches
        if self.y_limits is not None:
            _require_limits(self.y_limits, self.log_y)

    @classmethod
    def of(cls, smoothing: float | Smoothing, x: str, keywords: Mapping[str, Any]) -> PlotOptions:
        """Return options from the arguments of ``plot``. Raises UsageError."""
        axes = tuple(axis.value for axis in Axis)
        _require_one_of("x", x, axes)
        return cls(smoothing_of(smoothing), Axis(x), **keywords)

    @property
    def inches(self) -> tuple[float, float | None]:
        """Width and height; None for a height that fits the contents."""
        size: Any = WIDTHS.get(self.size, self.size) if isinstance(self.size, str) else self.size
        numbers = cast("tuple[Any, ...]", size if isinstance(size, tuple) else (size,))
        if len(numbers) not in (1, 2) or not all(map(_is_length, numbers)):
            raise UsageError(
                f"size is {self.size!r}, want one of {', '.join(WIDTHS)}, a width, or width and height in inches, "
                f"{_LEAST_INCHES:g} to {_MOST_INCHES:g}."
            )
        return float(numbers[0]), float(numbers[1]) if len(numbers) == 2 else None


def smoothing_of(given: float | Smoothing) -> Smoothing:
    """Return the smoothing of the page's slider for a weight from 0 to below 1. Raises UsageError."""
    if isinstance(given, Smoothing):
        return given
    if not _is_number(given) or not 0.0 <= given < 1.0:
        raise UsageError(f"smoothing is {given!r}, want a weight from 0 to below 1, or a Smoothing.")
    return Smoothing(weight=float(given))


def _require_limits(limits: object, is_log: bool) -> None:
    pair = cast("tuple[Any, ...]", limits if isinstance(limits, tuple | list) else ())
    if len(pair) != 2 or not all(map(_is_number, pair)) or pair[0] >= pair[1] or (is_log and pair[0] <= 0):
        raise UsageError(f"y_limits are {limits!r}, want two ascending numbers, above 0 for a logarithmic axis.")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_length(value: Any) -> bool:
    return _is_number(value) and _LEAST_INCHES <= value <= _MOST_INCHES


def _require_one_of(name: str, value: object, names: Sequence[str]) -> None:
    if value not in names:
        raise UsageError(f"{name} is {value!r}, want one of {', '.join(names)}.")
