# SPDX-License-Identifier: Apache-2.0
"""The tool that draws curves as a picture."""

from __future__ import annotations

import io
from typing import Annotated, Literal

from pydantic import Field

from mindscope.errors import UsageError
from mindscope.mcp.results import Condition, Name, Picture, counted
from mindscope.mcp.session import AgentSession

_DPI = 160
_MOST_TAGS = 6
_MOST_RUNS = 200


class ChartTools:
    """Draws curves."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def draw_curves(
        self,
        tags: Annotated[
            list[Name],
            Field(min_length=1, max_length=_MOST_TAGS, description="Scalar tags or formulas: a panel for each."),
        ],
        runs: Annotated[list[Name], Field(max_length=50, description="Ids or patterns; by default all.")] = [],  # noqa: B006
        where: Annotated[Condition, Field(description="Only runs that fulfil this condition, such as lr < 0.01.")] = "",
        by: Annotated[
            list[Name],
            Field(max_length=5, description="Parameters: draws the mean and a band of runs with equal values."),
        ] = [],  # noqa: B006
        smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.0,
        x: Literal["step", "relative", "wall"] = "step",
        log_y: bool = False,
        width: Annotated[int, Field(ge=400, le=2000)] = 1000,
        height: Annotated[int, Field(ge=300, le=2000)] = 600,
    ) -> Picture:
        """Draw curves as a chart with legend and bands over groups of runs: PNG, with the colors of the page.

        Use it to judge shapes or to show a person; read_curves has exact numbers and costs fewer tokens.
        """
        ids = self._session.chosen(runs) if runs else list(self._session.runs())
        if len(ids) > _MOST_RUNS:
            raise UsageError(
                f"a chart of {len(ids):,} runs is unreadable, draw at most {_MOST_RUNS}: name runs, or where."
            )
        figure = self._session.runs().plot(
            tags, runs=ids, where=where.strip() or None, by=by or None, smoothing=smoothing, x=x, log_y=log_y,
            size=(width / _DPI, height / _DPI),
        )  # fmt: skip
        png = io.BytesIO()
        figure.savefig(png, format="png", dpi=_DPI)
        return Picture(png.getvalue(), f"{', '.join(tags)} of {counted(len(ids), 'run')}.")
