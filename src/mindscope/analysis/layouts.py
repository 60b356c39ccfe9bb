# SPDX-License-Identifier: Apache-2.0
"""Layouts of charts that runs recorded for TensorBoard's page of custom scalars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mindscope.analysis.stored_values import find_values
from mindscope.errors import FormatError
from mindscope.formats.barrier import as_format_error
from mindscope.formats.kinds.tensorboard_plugins import LAYOUT_TAG
from mindscope.search_regex import RegexError, prefix_match
from mindscope.store import RunStore
from mindscope.types import Kind, Message


class Margin(NamedTuple):
    """Tags of a line and of the bounds of the band around it."""

    value: str
    lower: str
    upper: str


@dataclass(frozen=True, slots=True)
class LayoutChart:
    """A chart of the tags that match one of ``patterns`` at their beginning, or of ``margins``."""

    title: str
    patterns: tuple[str, ...] = ()
    margins: tuple[Margin, ...] = ()


@dataclass(frozen=True, slots=True)
class LayoutCategory:
    """Charts under a heading; ``is_closed`` ones are folded at first."""

    title: str
    charts: tuple[LayoutChart, ...]
    is_closed: bool = False


Layout = tuple[LayoutCategory, ...]


class MatchedTags(NamedTuple):
    """Tags that the patterns of a chart match, and why RE2 can't use a pattern, by pattern."""

    tags: tuple[str, ...]
    unusable: Mapping[str, str]


def layout_of(store: RunStore) -> Layout:
    """Return the newest layout of a run; empty without one. Raises FormatError if it can't be read."""
    if store.references(Kind.CUSTOM_SCALARS, LAYOUT_TAG) is None:
        return ()
    values = find_values(store, Kind.CUSTOM_SCALARS, LAYOUT_TAG)
    row = len(values.references.step) - 1
    if row < 0:
        return ()
    message = values.read(values.references, row)
    try:
        return layout_from(message)
    except Exception as error:
        raise as_format_error(error, Kind.CUSTOM_SCALARS.value) from error


def layout_from(message: Message) -> Layout:
    """Return the categories of a ``Layout``."""
    return tuple(
        LayoutCategory(
            category.get("title", ""),
            tuple(_chart(chart) for chart in category.get("chart", ())),
            bool(category.get("closed", False)),
        )
        for category in message.get("category", ())
    )


def _chart(chart: Message) -> LayoutChart:
    series = chart.get("margin", {}).get("series", ())
    return LayoutChart(
        title=chart.get("title", ""),
        patterns=tuple(chart.get("multiline", {}).get("tag", ())),
        margins=tuple(Margin(*(each.get(name, "") for name in Margin._fields)) for each in series),
    )


def merge_layouts(layouts: Iterable[Layout]) -> Layout:
    """Return the categories of all layouts: those of one title together, without repeated charts.

    A category is closed if it is in the first layout that has it.
    """
    merged: dict[str, LayoutCategory] = {}
    for category in (category for layout in layouts for category in layout):
        first = merged.setdefault(category.title, replace(category, charts=()))
        charts = dict.fromkeys((*first.charts, *category.charts))
        merged[category.title] = replace(first, charts=tuple(charts))
    return tuple(merged.values())


def match_tags(patterns: Sequence[str], tags: Sequence[str]) -> MatchedTags:
    """Return the tags that begin with a match of a pattern, in their order, as Python's ``re.match`` finds them."""
    matched: set[str] = set()
    unusable: dict[str, str] = {}
    for pattern in dict.fromkeys(patterns):
        try:
            matched.update(filter(prefix_match(pattern), tags))
        except RegexError as error:
            unusable[pattern] = str(error)
    return MatchedTags(tuple(tag for tag in tags if tag in matched), unusable)


def read_layouts(stores: Iterable[RunStore]) -> tuple[Layout, dict[str, FormatError]]:
    """Return the merged layout of runs in the order of their ids, and why a layout can't be read, by run."""
    layouts: list[Layout] = []
    problems: dict[str, FormatError] = {}
    for store in sorted(stores, key=lambda store: store.id):
        try:
            layouts.append(layout_of(store))
        except FormatError as error:
            problems[store.id] = error
    return merge_layouts(layouts), problems
