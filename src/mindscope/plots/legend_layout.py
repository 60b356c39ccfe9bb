# SPDX-License-Identifier: Apache-2.0
"""How many columns a legend above a figure has, by the widths of its texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

_POINTS = 72.0
_LINE_HEIGHT = 1.55
_MARGIN_INCHES = 0.08


@dataclass(frozen=True, slots=True)
class LegendLayout:
    """The labels and their columns; ``height`` in inches. Lengths are in sizes of the font."""

    labels: tuple[str, ...]
    columns: int
    height: float
    handle: float = 2.6
    text_pad: float = 0.5
    spacing: float = 1.2

    @classmethod
    def of(cls, labels: Sequence[str], width: float, font_size: float) -> LegendLayout:
        """Return the layout with the most columns that fit ``width`` inches; long labels lose their middle."""
        if not labels:
            return cls((), 1, 0.0)
        most = (width - 2 * _MARGIN_INCHES) * _POINTS
        whole = cls(tuple(labels), 1, 0.0)
        room = most - (whole.handle + whole.text_pad) * font_size
        fitting = tuple(_fitting(label, room, font_size) for label in labels)
        widths = [_width(label, font_size) for label in fitting]
        counts = range(len(fitting), 0, -1)
        columns = next((count for count in counts if whole._needs(widths, count, font_size) <= most), 1)
        rows = -(-len(fitting) // columns)
        return cls(fitting, columns, (rows * _LINE_HEIGHT * font_size + 6) / _POINTS)

    def _needs(self, widths: Sequence[float], columns: int, font_size: float) -> float:
        """Return the points that a number of columns needs: each is as wide as its widest label."""
        rows, longer = divmod(len(widths), columns)
        total, start = 0.0, 0
        for column in range(columns):
            stop = start + rows + (column < longer)
            total += max(widths[start:stop]) + (self.handle + self.text_pad) * font_size
            start = stop
        return total + (columns - 1) * self.spacing * font_size


def _fitting(label: str, room: float, font_size: float) -> str:
    if _width(label, font_size) <= room:
        return label
    for kept in range(len(label) - 1, 1, -1):
        shortened = f"{label[: (kept + 1) // 2]}…{label[len(label) - kept // 2 :]}"
        if _width(shortened, font_size) <= room:
            return shortened
    return label[:1] + "…"


def _width(text: str, font_size: float) -> float:
    """Return the width of a text in points."""
    font = FontProperties(family=_families(), size=font_size)
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0])


def _families() -> list[str]:
    from matplotlib import rcParams

    families: list[str] = list(rcParams["font.family"])
    return families
