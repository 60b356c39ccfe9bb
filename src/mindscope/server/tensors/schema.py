# SPDX-License-Identifier: Apache-2.0
"""Messages about single values of a log: which there are, and what is in a tensor, a text or a sound."""

from __future__ import annotations

from typing import Any

from mindscope.server.http.schema import Answer, Column


class TensorAnswer(Answer):
    """What a tensor is. ``dtype`` is the one its writer declared, as NumPy names it; "object" for texts.

    Not ``is_exact`` where the log holds float32 of a wider dtype. ``size_bytes`` is what the numbers take in the log.
    ``slice`` is what is shown of it unless something else is asked for: a text for each dimension.
    """

    dtype: str
    shape: list[int]
    size: int
    size_bytes: int
    is_exact: bool
    is_text: bool
    is_complex: bool
    is_whole: bool
    slice: list[str]


class AxisSpan(Answer):
    """One dimension of a slice: the number of the tensor's ``dimension``, null for one that the slice does not have;

    the index at its begin, the distance to the next, and how many there are.
    """

    dimension: int | None
    start: int
    step: int
    size: int


class TensorWindowAnswer(Answer):
    """Cells of a slice with two dimensions; one dimension is a column, none a single cell.

    ``row`` and ``column`` say where the window begins in the slice. ``cells`` are row by row the shortest texts that
    read back to the same value; NaN and infinities are nan, inf and -inf.
    """

    shape: list[int]
    rows: AxisSpan
    columns: AxisSpan
    row: int
    column: int
    cells: list[list[str]]


class TensorFile(Answer):
    """A slice with two dimensions at most. ``values`` are nested lists of its ``shape``, a single value without one.

    Numbers are exact; NaN, infinities and complex numbers are texts.
    """

    run: str
    tag: str
    slice: list[str]
    dtype: str
    shape: list[int]
    values: Any


class TensorStatisticsAnswer(Answer):
    """Numbers over a slice, or the whole tensor. Of complex numbers it is about the magnitudes.

    ``count`` counts all elements; ``minimum`` (as exact text), ``mean``, ``deviation`` (of the population) and the
    histogram are over the finite ones, and null without any. Bucket i of ``counts`` covers ``edges[i]`` to
    ``edges[i + 1]``, the last one with its right edge.
    """

    shape: list[int]
    count: int
    zeros: int
    nan: int
    positive_infinity: int
    negative_infinity: int
    minimum: str | None
    maximum: str | None
    mean: float | None
    deviation: float | None
    edges: list[float]
    counts: list[int]


class HeatColumns(Answer):
    """Row by row, a number a cell: ``value`` float64, ``odd`` float32.

    ``odd`` is 0, or 1 for NaN, 2 for +Inf, 3 for -Inf in the cell.
    """

    value: Column
    odd: Column


class HeatHeader(Answer):
    """The JSON header of a heat map as ``application/vnd.mindscope.columns``.

    ``shape`` is that of the slice as rows and columns, ``cells`` that of the map. Where a cell stands for a block of
    elements, ``is_reduced``, it shows the one that is farthest from the mean of the slice, so that no spike is lost.
    """

    shape: list[int]
    cells: list[int]
    rows: AxisSpan
    columns: AxisSpan
    is_reduced: bool
    minimum: float | None
    maximum: float | None
    columns_data: HeatColumns
