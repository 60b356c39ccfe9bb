# SPDX-License-Identifier: Apache-2.0
"""Incremental checks of series: they read new values only, and start again after a restart of the training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mindscope.alerts.alert import Finding
from mindscope.alerts.episodes import Episodes, SeriesRows
from mindscope.alerts.histograms import HistogramCheck
from mindscope.alerts.losses import Check
from mindscope.alerts.rules import VALUE, Rule
from mindscope.analysis.stored_values import encoded_value
from mindscope.errors import FormatError
from mindscope.formats import dialects
from mindscope.stats.expression import coordinate
from mindscope.stats.step_join import join_steps
from mindscope.store import ReferenceSeries, RunStore, ScalarSeries
from mindscope.types import Histogram, Kind

MOST_HISTOGRAMS = 2000
"""Newest histograms of a series that the first check reads: each needs a read from its file."""

FindingsByRule = dict[str, list[Finding]]


class LossChecks:
    """A scalar series and the checks that it is fed to."""

    def __init__(self, begin: Callable[[], Mapping[str, Check]]) -> None:
        self._begin = begin
        self._checks = begin()
        self._prefix_id: object = None
        self._rows = 0  # that the checks have seen
        self._version = -1  # of the series, then

    @property
    def findings(self) -> FindingsByRule:
        return {rule: list(check.findings) for rule, check in self._checks.items()}

    def read(self, series: ScalarSeries) -> None:
        """Feed what is new."""
        if series.version == self._version:
            return
        self._version = series.version
        visible = series.visible_parts()
        if visible.prefix_id is not self._prefix_id:
            self._checks, self._prefix_id, self._rows = self._begin(), visible.prefix_id, 0
        first = 0
        for part in visible.parts:
            start, first = max(self._rows - first, 0), first + part["step"].size
            rows = SeriesRows(part["step"][start:], part["wall_time"][start:], part["value"][start:].astype(np.float64))
            if len(rows):
                for check in self._checks.values():
                    check.extend(rows)
        self._rows = first


class HistogramChecks:
    """The histograms of a tag and the checks that they are fed to."""

    def __init__(self, tag: str, begin: Callable[[], Mapping[str, HistogramCheck]]) -> None:
        self._tag = tag
        self._begin = begin
        self._checks = begin()
        self._prefix_id: object = None
        self._rows = 0
        self._version = -1

    @property
    def findings(self) -> FindingsByRule:
        return {rule: list(check.findings) for rule, check in self._checks.items()}

    def read(self, store: RunStore, series: ReferenceSeries) -> None:
        """Feed what is new; skips a histogram that can't be read: it is listed as damage."""
        if series.version == self._version:
            return
        self._version = series.version
        prefix_id = series.visible_parts().prefix_id
        new = series.visible()
        if prefix_id is not self._prefix_id:
            self._checks, self._prefix_id, self._rows = self._begin(), prefix_id, max(len(new) - MOST_HISTOGRAMS, 0)
        for row in range(self._rows, len(new)):
            histogram = _histogram(store, self._tag, *(column[row] for column in (new.file, new.offset, new.length)))
            if histogram is not None:
                for check in self._checks.values():
                    check.add(int(new.step[row]), float(new.wall_time[row]), histogram)
        self._rows = len(new)


class ConditionCheck:
    """The series that a condition names, at the steps that all of them have."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._reset(())

    def _reset(self, prefix_ids: tuple[object, ...]) -> None:
        self._episodes = Episodes(lasting=self._rule.for_steps)
        self._prefix_ids = prefix_ids
        self._last_step: int | None = None  # last step checked in all series

    @property
    def findings(self) -> list[Finding]:
        return self._episodes.findings

    def read(self, store: RunStore) -> None:
        """Check the new steps that all series have."""
        found = [store.scalars(tag) for tag in self._rule.tags]
        series = [points for points in found if points is not None]
        if len(series) < len(found) or self._rule.condition is None:
            self._reset(())
            return
        prefix_ids = tuple(points.visible_parts().prefix_id for points in series)
        if (
            any(now is not before for now, before in zip(prefix_ids, self._prefix_ids, strict=False))
            or not self._prefix_ids
        ):
            self._reset(prefix_ids)
        columns = {tag: self._points_after(each) for tag, each in zip(self._rule.tags, series, strict=True)}
        stop = min((int(step[-1]) for step, _, _ in columns.values() if step.size), default=None)
        if stop is None or any(step.size == 0 for step, _, _ in columns.values()):
            return
        self._evaluate({tag: tuple(column[each[0] <= stop] for column in each) for tag, each in columns.items()})
        self._last_step = stop

    def _points_after(self, series: ScalarSeries) -> tuple[Any, Any, Any]:
        points = series.visible()
        start = 0 if self._last_step is None else int(np.searchsorted(points.step, self._last_step, "right"))
        return points.step[start:], points.wall_time[start:], points.value[start:]

    def _evaluate(self, series: Mapping[str, Any]) -> None:
        columns = dict(join_steps(series))
        assert self._rule.condition is not None
        first = columns[self._rule.tags[0]]
        if self._rule.tag is not None:
            columns[VALUE] = first
        rows = SeriesRows(columns[coordinate("step")], columns[coordinate("wall_time")], np.asarray(first, np.float64))
        self._episodes.extend(rows, self._rule.condition.evaluate(columns))


def _histogram(store: RunStore, tag: str, file: int, offset: int, length: int) -> Histogram | None:
    try:
        facts = store.file(int(file))
        encoded = encoded_value(facts, Kind.HISTOGRAM, tag, int(offset), int(length))
        return None if facts.dialect is None else dialects.decode(facts.dialect, Kind.HISTOGRAM, encoded)
    except (KeyError, OSError, FormatError):
        return None
