# SPDX-License-Identifier: Apache-2.0
"""Messages about norms of series at steps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mindscope.server.http.columns import Float64, Uint8
from mindscope.server.http.schema import MAX_SERIES, Answer, Query, Whole

MAX_STEPS = 64


class NormSeriesName(Query):
    """A series of the run."""

    kind: Literal["scalar", "histogram", "tensor"]
    tag: str


class NormsQuery(Query):
    """The series and the steps of norms. ``wants_steps`` asks for all steps of the series."""

    run: str
    series: list[NormSeriesName] = Field(max_length=MAX_SERIES)
    steps: list[Whole] = Field(default=[], max_length=MAX_STEPS)
    wants_steps: bool = False


class NormColumns(Answer):
    """n series at k steps: number ``i * k + j`` is that of series i at step j. ``recorded`` is ascending.

    ``norm`` and ``largest`` are over finite elements, NaN without any; ``nan`` and ``infinite`` count the others.
    ``state`` is 0 without a value at the step, 1 exact, 2 estimated from a histogram, 3 unreadable.
    """

    norm: Float64
    largest: Float64
    nan: Float64
    infinite: Float64
    state: Uint8
    recorded: Float64


class NormsHeader(Answer):
    """The JSON header of norms as ``application/vnd.mindscope.columns``."""

    run: str
    columns: NormColumns
