# SPDX-License-Identifier: Apache-2.0
"""Messages about debugging data on a graph. Item i is scope i, or node i - k, of a graph with k scopes."""

from __future__ import annotations

from pydantic import Field

from mindscope.debug.model.tensors import Phase, Role
from mindscope.server.debugger.schema import DebugRowEntry, FigureName, Number, OfSource, Step
from mindscope.server.http.columns import Float64, Int32, Uint8
from mindscope.server.http.schema import Answer

MOST_SAMPLED = 8
MOST_ROWS = 5000


class OfGraph(OfSource):
    """One rank of a source, and a graph of the run."""

    graph: str = Field(max_length=4096)


class GraphFiguresQuery(OfGraph):
    """One figure of the tensors with a ``role`` at some steps; of outputs, those of a ``phase``.

    An operator that the graph has by its full name counts in every phase.
    """

    role: Role
    phase: Phase = Phase.FORWARD
    figure: FigureName
    steps: list[Step] = Field(min_length=1, max_length=MOST_SAMPLED)


class GraphFiguresHeader(Answer):
    """The JSON header of figures as ``application/vnd.mindscope.columns``.

    ``item`` (int32) are the items with such tensors; a scope has those of all items in it. For k steps, ``value``
    (float64) and ``bits`` (uint8: 1 for NaN, 2 for infinity) have step after step: the figure of all elements of these
    tensors, NaN without one. Of the ``tensors`` with the role, ``placed`` belong to an item. ``phases`` are those of
    outputs that an item may have.
    """

    version: str
    tensors: int
    placed: int
    phases: list[Phase]
    item: Int32
    value: Float64
    bits: Uint8


class GraphItemsQuery(OfGraph):
    """Rows of a step, whose items are wanted."""

    step: Step
    rows: list[Number] = Field(max_length=MOST_ROWS)


class GraphItemsAnswer(Answer):
    """The items of each row; a row without any is in no node and no scope."""

    version: str
    items: list[list[int]]


class GraphTensorsQuery(OfGraph):
    """The tensors of an item in a step."""

    step: Step
    item: Number


class GraphTensorsAnswer(Answer):
    """The first ``rows`` of ``total`` that belong to the item itself, in the order of execution."""

    version: str
    rows: list[DebugRowEntry]
    total: int
