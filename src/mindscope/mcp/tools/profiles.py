# SPDX-License-Identifier: Apache-2.0
"""The tool that says where time and memory of a training went."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mindscope import mcp
from mindscope.mcp.results import Name
from mindscope.mcp.schema import ProfileAdvice
from mindscope.mcp.session import AgentSession


class ProfileTools:
    """Reads profiles."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def profile_advice(
        self,
        run: Annotated[Name, Field(description="The id of a run.")],
        profile: Annotated[str, Field(max_length=1000, description="One of describe_run; by default the last.")] = "",
        top: Annotated[int, Field(ge=1, le=50, description="Operators and kernels that are listed.")] = 5,
    ) -> ProfileAdvice:
        """Say why a training is slow: bottlenecks with the gain at most, your line of code, and slow operators.

        Use it for questions about speed, memory and use of the device. Times of operators are in nanoseconds.
        """
        return mcp.summarize_profile(self._session.run(run), profile, top)
