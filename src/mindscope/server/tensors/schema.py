# SPDX-License-Identifier: Apache-2.0
"""Messages about tensors."""

from __future__ import annotations

from typing import Any

from mindscope.server.http.columns import Float32, Float64
from mindscope.server.http.schema import Answer


class TensorAnswer(Answer):
    """The description of a tensor. ``dtype`` is that of its writer, by NumPy's name; "object" for texts.

    ``is_exact`` is false if the log has float32 values of a wider dtype. ``size_bytes`` is the size in the log.
    ``slice`` is the default slice: a text for each dimension.
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
    """One dimension of a slice: its first index, the step between indices, and their number.

    ``dimension`` is the number of the tensor's dimension, null if the slice has no such dimension.
    """

    dimension: int | None
    start: int
    step: int
    size: int


class TensorWindowAnswer(Answer):
    """Cells of a slice with two dimensions; one dimension is a column, none a single cell.

    The window begins at ``row`` and ``column`` of the slice. ``cells`` are, row by row, the shortest texts that
    parse to the same value; NaN and infinities are nan, inf and -inf.
    """

    shape: list[int]
    rows: AxisSpan
    columns: AxisSpan
    row: int
    column: int
    cells: list[list[str]]


class SliceFile(Answer):
    """A slice with at most two dimensions. ``values`` are nested lists of its ``shape``, or a single value.

    Numbers are exact; NaN, infinities and complex numbers are texts.
    """

    slice: list[str]
    dtype: str
    shape: list[int]
    values: Any


class TensorFile(SliceFile):
    """A slice of a tensor of a log."""

    run: str
    tag: str


class TensorStatisticsAnswer(Answer):
    """Statistics of a slice or of the whole tensor; of complex numbers, over their magnitudes.

    ``count`` counts all elements; ``minimum`` and ``maximum`` (as exact texts), ``mean``, ``deviation`` (of the
    population) and the histogram are over the finite elements, null without any. Bucket i of ``counts`` covers
    ``edges[i]`` to ``edges[i + 1]``, the last one with its right edge.
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
    """Row by row, a number per cell: ``value`` float64, ``odd`` float32.

    ``odd`` is 0, or 1 for NaN, 2 for +Inf, 3 for -Inf in the cell.
    """

    value: Float64
    odd: Float32


class HeatHeader(Answer):
    """The JSON header of a heat map as ``application/vnd.mindscope.columns``.

    ``shape`` is that of the slice as rows and columns, ``cells`` that of the map. If ``is_reduced``, a cell covers
    several elements and has the one farthest from the mean of the slice, so that each spike is visible.
    """

    shape: tuple[int, int]
    cells: tuple[int, int]
    rows: AxisSpan
    columns: AxisSpan
    is_reduced: bool
    minimum: float | None
    maximum: float | None
    columns_data: HeatColumns
