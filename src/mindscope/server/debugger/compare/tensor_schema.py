# SPDX-License-Identifier: Apache-2.0
"""Messages about how far a tensor of two trainings is apart."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mindscope.debug.difference_level import Level
from mindscope.debug.model.tensors import Role
from mindscope.server.debugger.compare.schema import OfComparison
from mindscope.server.debugger.schema import DebugRowEntry, Number, Step
from mindscope.server.http.schema import Answer
from mindscope.server.tensors.schema import AxisSpan

MOST_TOLERANCE = 1e300
Figure = float | Literal["inf"] | None
"""Null where it is not known."""


class ComparedTensorQuery(OfComparison):
    """A tensor of a step: its row in the left training, and that of its counterpart.

    An element differs beyond ``atol + rtol * |right|``.
    """

    step: Step
    rank: Number = 0
    row: Number
    other_row: Number
    atol: Annotated[float, Field(ge=0, le=MOST_TOLERANCE)] = 1e-8
    rtol: Annotated[float, Field(ge=0, le=MOST_TOLERANCE)] = 1e-5


class ComparedTensorPlace(Answer):
    """A tensor of the operator, and its rows."""

    role: Role
    slot: str
    row: int
    other_row: int


class UlpCount(Answer):
    """``count`` pairs are at most ``most`` floating point numbers apart, and more than the entry before."""

    most: float
    count: int


class GuidanceEntry(Answer):
    """One of msprobe's limits for tensors that count as the same: cosine above, max_abs below."""

    figure: Literal["cosine", "max_abs"]
    limit: float
    holds: bool


class DifferenceWindow(Answer):
    """The elements of both tensors around the largest error, as in TensorWindowAnswer.

    ``row`` and ``column`` are its place in the cells, ``index`` that in the tensor.
    """

    rows: AxisSpan
    columns: AxisSpan
    index: list[int]
    row: int
    column: int
    left: list[list[str]]
    right: list[list[str]]
    difference: list[list[str]]


class ElementsDifference(Answer):
    """The differences between elements. ``mindscope.debug.tensor_difference`` has the definitions.

    ``count`` is 0 and the figures are null if the shapes differ. ``window`` is null for complex numbers too.
    """

    count: int
    cosine: Figure
    max_abs: Figure
    max_rel: Figure
    rmse: Figure
    distance: Figure
    norm_error: Figure
    share_beyond: Figure
    share_within_1e3: Figure
    share_within_5e3: Figure
    got_non_finite: int
    want_non_finite: int
    unequal_non_finite: int
    ulps: list[UlpCount]
    guidance: list[GuidanceEntry]
    window: DifferenceWindow | None


class ComparedTensorAnswer(Answer):
    """A tensor in both trainings.

    ``has_elements`` says of which training the whole tensor was recorded. ``elements`` is null unless of both.
    ``level`` and ``problems`` are by the thresholds of msprobe, beside the inputs of the operator: of all elements
    where they are there. ``tensors`` are all of the operator.
    """

    version: str
    step: int
    other_step: int
    rank: int
    other_rank: int
    left: DebugRowEntry
    right: DebugRowEntry
    has_elements: tuple[bool, bool]
    level: Level
    problems: list[str]
    elements: ElementsDifference | None
    tensors: list[ComparedTensorPlace]
