# SPDX-License-Identifier: Apache-2.0
"""Answers about logs and profiles."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope.mcp.results import Cell


class LogRequest(NamedTuple):
    """Which messages of a log: ``where`` is end, begin, crash or step."""

    search: str
    regex: str
    level: str
    where: str
    step: int | None
    limit: int


class LogRow(TypedDict):
    """A message, which may have several lines."""

    level: str
    time: str | None
    rank: int | None
    text: str


class LogPage(TypedDict):
    """Messages of a log, the oldest first."""

    summary: str
    files: list[str]
    lines: list[LogRow]


class AdviceRow(TypedDict):
    """A bottleneck, and what to change."""

    finding: str
    remedy: str
    share: Annotated[str, Field(description="Share of the time of a step.")]
    gain: Annotated[NotRequired[str], Field(description="How many times as fast a step is without it, at most.")]
    your_code: NotRequired[str]


class ProfileAdvice(TypedDict):
    """The bottlenecks of a profile, the greatest one first."""

    profile: str
    summary: str
    parts: Annotated[dict[str, str], Field(description="Shares of the time of steps.")]
    advice: list[AdviceRow]
    operators: list[dict[str, Cell]]
    kernels: list[dict[str, Cell]]
    memory_peaks: list[dict[str, Cell]]
    missing: NotRequired[list[str]]
