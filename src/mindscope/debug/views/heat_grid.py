# SPDX-License-Identifier: Apache-2.0
"""Reduces one figure of many tensors over many steps to a grid of bounded size that grows step by step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.views.figures import FIGURES, Figure

RECORDED, NAN, INFINITY = 1, 2, 4
"""Bits of a cell: the tensor was recorded, has a NaN, has an infinity."""


class HeatGrid:
    """Cells of tensors x steps. A cell has the figure of the largest magnitude, and the bits of all it covers.

    Neighboring tensors share a row if there are more than ``most_rows``. If there are more steps than columns, two
    columns become one, as often as needed: memory does not grow with the number of steps.

    Args:
        tensors: indexes of the tensors, in the order of the rows.
        count: how many tensors the source has.
        figure: what the cells show.
        most_rows: of the grid.
        most_columns: an even number.
    """

    def __init__(
        self, tensors: NDArray[np.integer], count: int, figure: Figure, most_rows: int = 1024, most_columns: int = 2048
    ) -> None:
        self.figure = figure
        self.tensors = tensors
        rows = min(len(tensors), most_rows)
        self.starts = np.arange(rows + 1) * len(tensors) // max(rows, 1)
        """Row i covers ``tensors[starts[i]:starts[i + 1]]``."""
        self.steps_per_column = 1
        self.steps: list[int] = []
        """Steps that were added."""
        self._row = np.full(count, -1, np.intp)
        self._row[tensors] = np.searchsorted(self.starts, np.arange(len(tensors)), "right") - 1
        self._most_columns = most_columns
        self._value = np.full((most_columns, rows), np.nan)
        self._bits = np.zeros((most_columns, rows), np.uint8)

    @property
    def columns(self) -> int:
        """The number of columns that have steps."""
        return -(-len(self.steps) // self.steps_per_column)

    @property
    def first_steps(self) -> list[int]:
        """The first step of each column."""
        return self.steps[:: self.steps_per_column]

    @property
    def value(self) -> NDArray[np.float64]:
        """Finite, or NaN where nothing finite was recorded. Shape (columns, rows)."""
        return self._value[: self.columns]

    @property
    def bits(self) -> NDArray[np.uint8]:
        """Bits of the cells, shape (columns, rows)."""
        return self._bits[: self.columns]

    def add(self, recorded: StepStatistics) -> None:
        """Add a step, later than all before."""
        if len(self.steps) == self._most_columns * self.steps_per_column:
            self._halve()
        self.steps.append(recorded.step)
        column = self.columns - 1
        self._add_bits(recorded, column)
        self._add_values(recorded, column)

    def skip(self, step: int) -> None:
        """Add a step that can't be read: its cells are empty."""
        if len(self.steps) == self._most_columns * self.steps_per_column:
            self._halve()
        self.steps.append(step)

    def _rows_of(self, recorded: StepStatistics) -> NDArray[np.intp]:
        known = recorded.tensor < len(self._row)  # a tensor that came after the grid was made has no row
        return np.where(known, self._row[np.where(known, recorded.tensor, 0)], -1)

    def _add_bits(self, recorded: StepStatistics, column: int) -> None:
        rows = self._rows_of(recorded)
        nan = FIGURES["nan"].of(recorded.values) > 0
        infinite = (FIGURES["positive_inf"].of(recorded.values) > 0) | (FIGURES["negative_inf"].of(recorded.values) > 0)
        bits = (RECORDED + nan * NAN + infinite * INFINITY).astype(np.uint8)
        np.bitwise_or.at(self._bits[column], rows[rows >= 0], bits[rows >= 0])

    def _add_values(self, recorded: StepStatistics, column: int) -> None:
        rows, values = self._rows_of(recorded), self.figure.of(recorded.values)
        chosen = np.flatnonzero((rows >= 0) & np.isfinite(values))
        chosen = chosen[np.argsort(np.abs(values[chosen]), kind="stable")]
        found = np.full(self._value.shape[1], np.nan)
        found[rows[chosen]] = values[chosen]  # of equal rows the last one stays
        self._value[column] = _extreme(self._value[column], found)

    def _halve(self) -> None:
        half = self._most_columns // 2
        self._value[:half] = _extreme(self._value[::2], self._value[1::2])
        self._bits[:half] = self._bits[::2] | self._bits[1::2]
        self._value[half:], self._bits[half:] = np.nan, 0
        self.steps_per_column *= 2


def reduced(
    value: NDArray[np.float64], bits: NDArray[np.uint8], most: int
) -> tuple[NDArray[np.float64], NDArray[np.uint8], int]:
    """Reduce a grid to at most ``most`` columns, with the same rules; return also how many columns became one."""
    each = max(1, -(-len(value) // most))
    starts = np.arange(0, len(value), each)
    if each == 1 or not len(starts):
        return value, bits, 1
    low, high = np.fmin.reduceat(value, starts, axis=0), np.fmax.reduceat(value, starts, axis=0)
    return _extreme(low, high), np.bitwise_or.reduceat(bits, starts, axis=0), each


def _extreme(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the number of the larger magnitude; that which is a number, where only one is."""
    return np.where(np.isnan(one) | (np.abs(other) > np.abs(one)), other, one)
