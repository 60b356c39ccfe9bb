# SPDX-License-Identifier: Apache-2.0
"""Messages about layouts of charts."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry


class LayoutsQuery(Query):
    """Runs whose scalar tags the charts show. An unknown run has no tags."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class MarginEntry(Answer):
    """Tags of a line and of the bounds of the band around it."""

    value: str
    lower: str
    upper: str


class UnusablePattern(Answer):
    """A pattern that RE2 can't use, and its reason in English."""

    pattern: str
    detail: str


class LayoutChartEntry(Answer):
    """A chart of the tags that match a pattern, or of margins. ``tags`` are in any of the query's runs."""

    title: str
    patterns: list[str]
    tags: list[str]
    margins: list[MarginEntry]
    unusable: list[UnusablePattern]


class LayoutCategoryEntry(Answer):
    """Charts under a heading; a ``closed`` category is folded at first."""

    title: str
    closed: bool
    charts: list[LayoutChartEntry]


class UnreadLayout(Answer):
    """A run whose layout can't be read."""

    run: str
    problem: ReasonEntry


class LayoutsAnswer(Answer):
    """The merged layout of all runs below the base directory."""

    categories: list[LayoutCategoryEntry]
    unread: list[UnreadLayout]
