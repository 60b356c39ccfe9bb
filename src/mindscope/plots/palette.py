# SPDX-License-Identifier: Apache-2.0
"""Colors and dashes of lines: those of the page in its light theme, and dashes that stay different in gray."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

PALETTE = (
    "#2c69d7", "#d07039", "#046d61", "#ec5189", "#809d19", "#592892", "#249db8", "#8d261b", "#be71e9", "#796015",
)  # fmt: skip
"""The colors ``--series-0`` to ``--series-9`` of ``ui/src/styles/tokens.css`` in sRGB."""

OTHERS = "#b9bcc4"
"""Color of the lines that are too many to have a color of their own."""

_FIRST: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3))
_STROKE, _DOT = (9.0, 3.0), (2.0, 3.0)
_MOST_DOTS = 4
_LEAST_CONTRAST = 0.08
"""Difference of two grays, from 0 to 1, by which a reader tells lines without dashes apart."""


def color_of(color: str) -> str:
    """Return ``#rrggbb`` for a color of the annotations: an index into the palette, or an RGB color."""
    return color if color.startswith("#") else PALETTE[int(color) % len(PALETTE)]


def dash_of(index: int) -> tuple[float, ...]:
    """Return lengths of dashes and gaps for a 1-pixel line, as ``dashOf`` of the page; empty for a solid line."""
    if index < len(_FIRST):
        return _FIRST[index]
    strokes, dots = divmod(index - len(_FIRST), _MOST_DOTS)
    return (*_STROKE * (strokes + 1), *_DOT * (dots + 1))


def gray_of(color: str) -> float:
    """Return the gray of ``#rrggbb`` on paper: its luminance, from 0 (black) to 1, in the encoding of sRGB."""
    red, green, blue = (_linear(int(color[start : start + 2], 16) / 255) for start in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 12.92 * luminance if luminance <= 0.0031308 else 1.055 * luminance ** (1 / 2.4) - 0.055


def gray_safe_dashes(colors: Sequence[str]) -> list[int]:
    """Return the index of a dash for each color: lines of equal dashes differ in gray, and so in color."""
    used: dict[int, list[float]] = {}
    dashes: list[int] = []
    for gray in map(gray_of, colors):
        index = next(index for index in count() if _is_clear(gray, used.get(index, ())))
        used.setdefault(index, []).append(gray)
        dashes.append(index)
    return dashes


def _is_clear(gray: float, others: Sequence[float]) -> bool:
    return all(abs(gray - other) >= _LEAST_CONTRAST for other in others)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
