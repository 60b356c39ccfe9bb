# SPDX-License-Identifier: Apache-2.0
"""Metrics of a run: their newest values, the definitions of the user, and what a summary keeps of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

_SUMMARIES = ("min", "max", "mean", "best", "last", "first", "none", "copy")
_GOALS = ("minimize", "maximize")


class Definition(NamedTuple):
    """What ``define_metric`` says of the metrics that match ``pattern``."""

    pattern: str
    step_metric: str | None
    summaries: tuple[str, ...]
    goal: str | None


def definition(name: Any, step_metric: Any, summary: Any, goal: Any) -> Definition:
    """Return a checked definition. Raises ValueError."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"name of a metric is {name!r}, want text; * matches any part")
    summaries = tuple(summary_name.strip() for summary_name in str(summary).split(",")) if summary else ()
    wrong = [summary_name for summary_name in summaries if summary_name not in _SUMMARIES]
    if wrong:
        raise ValueError(f"summary is {summary!r}, want some of {', '.join(_SUMMARIES)}")
    if goal is not None and goal not in _GOALS:
        raise ValueError(f"goal is {goal!r}, want one of {', '.join(_GOALS)}")
    return Definition(name, None if step_metric is None else str(step_metric), summaries, goal)


class _Kept:
    """Statistics of one metric that a definition asks for; NaN counts only as the last value."""

    def __init__(self, of: Definition) -> None:
        self.of = of
        self.first = self.last = math.nan
        self.minimum, self.maximum, self.total, self.count = math.inf, -math.inf, 0.0, 0

    def add(self, value: float) -> None:
        self.last = value
        if value != value:
            return
        if not self.count:
            self.first = value
        self.count += 1
        self.total += value
        self.minimum, self.maximum = min(self.minimum, value), max(self.maximum, value)

    def values(self, tag: str) -> dict[str, float]:
        if not self.count:
            return {}
        best = self.maximum if self.of.goal == "maximize" else self.minimum
        statistics = {
            "min": self.minimum, "max": self.maximum, "mean": self.total / self.count, "best": best,
            "first": self.first, "last": self.last,
        }  # fmt: skip
        return {f"{tag}.{name}": statistics[name] for name in self.of.summaries if name in statistics}


class Metrics:
    """Knows for each tag what was defined for it."""

    def __init__(self) -> None:
        self.newest: dict[str, Any] = {}
        """The newest value of each tag, as it was given."""
        self.definitions: list[Definition] = []
        self._by_tag: dict[str, tuple[str | None, _Kept | None]] = {}

    def define(self, new: Definition) -> None:
        """Add a definition; the newest that matches a tag is in force."""
        self.definitions = [old for old in self.definitions if old.pattern != new.pattern] + [new]
        self._by_tag.clear()

    def step_metrics(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Note the values of a row; returns the newest values of step metrics that the row lacks."""
        missing: dict[str, Any] = {}
        for tag, value in values.items():
            if tag not in self._by_tag:
                self._by_tag[tag] = self._found(tag)
            step_metric, kept = self._by_tag[tag]
            if kept is not None and isinstance(value, (int, float)):
                kept.add(float(value))
            if step_metric is not None and step_metric not in values and step_metric in self.newest:
                missing[step_metric] = self.newest[step_metric]
        return missing

    def _found(self, tag: str) -> tuple[str | None, _Kept | None]:
        match = next((defined for defined in reversed(self.definitions) if fnmatchcase(tag, defined.pattern)), None)
        if match is None or match.step_metric == tag:
            return None, None
        return match.step_metric, _Kept(match) if match.summaries else None

    def kept(self) -> dict[str, float]:
        """Return the statistics that definitions ask for, as ``loss.min``."""
        return {
            name: value
            for tag, (_, kept) in self._by_tag.items()
            if kept is not None
            for name, value in kept.values(tag).items()
        }


class Summary(MutableMapping[str, Any]):
    """The newest value of each metric, the statistics of ``define_metric``, and what the script sets itself.

    A value is an item or an attribute.
    """

    _metrics: Metrics
    _record: Callable[[dict[str, Any]], None]
    _given: dict[str, Any]

    def __init__(self, metrics: Metrics, record: Callable[[dict[str, Any]], None]) -> None:
        self.__dict__.update(_metrics=metrics, _record=record, _given={})

    def _values(self) -> dict[str, Any]:
        return {**self._metrics.newest, **self._metrics.kept(), **self._given}

    def __getitem__(self, name: str) -> Any:
        return self._values()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def update(self, values: Any = (), /, **more: Any) -> None:  # type: ignore[override]
        """Set several values; numbers are recorded as the scalars ``summary/NAME``."""
        added = {str(name): value for name, value in {**dict(values), **more}.items()}
        self._given.update(added)
        self._record(added)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values():
            raise AttributeError(f"summary has no value {name!r}")
        return self._values()[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delitem__(self, name: str) -> None:
        """Forget a value of the script; what is recorded stays."""
        del self._given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values())

    def __len__(self) -> int:
        return len(self._values())

    def __repr__(self) -> str:
        return repr(self._values())
