# SPDX-License-Identifier: Apache-2.0
"""Makes figures of the curves of runs, in the colors of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from mindscope.analysis.expressions import Axis
from mindscope.analysis.groups import GroupStatistics
from mindscope.errors import UsageError
from mindscope.lineage.goal import guess_goal
from mindscope.plots.line_plot import Floats, Goal, LinePlot, PlotAxis, PlotLine, PlotPanel
from mindscope.plots.options import PlotOptions
from mindscope.plots.palette import OTHERS, gray_safe_dashes
from mindscope.plots.run_colors import assign_slots, selected_colors
from mindscope.reading.plot_curves import Stores, curve_of, holders_of, statistics_of
from mindscope.reading.saved_colors import saved_colors
from mindscope.settings import load_settings
from mindscope.store import RunStore

if TYPE_CHECKING:
    from mindscope.reading.plot_groups import Groups

MOST_NAMED = 30
"""From this many lines on only the top ones are named, as on the page."""
TOP = 10
_TIME_UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"))
_LEAST_UNITS = 2.0


@dataclass(frozen=True, slots=True)
class PlotSource:
    """The runs of a figure and what says their colors.

    ``listed`` has the ids of all runs in their order on the page, ``chosen`` the colors that users gave.
    """

    stores: Stores
    listed: Sequence[str]
    chosen: Mapping[str, str] = field(default_factory=dict[str, str])
    groups: Groups | None = None
    label_of: Callable[[str], str] | None = None


def line_plot(source: PlotSource, tags: str | Iterable[str], options: PlotOptions) -> LinePlot:
    """Return the figure of tags or expressions. Raises TagNotFoundError, UsageError."""
    texts = list(dict.fromkeys((tags,) if isinstance(tags, str) else tags))
    if not texts:
        raise UsageError("there are no tags to plot; name at least one.")
    holders = {text: holders_of(source.stores, text) for text in texts}
    lines = _lines(source, holders, options)
    unit, label = _x_unit(lines, options.axis)
    panels = [_panel(text, _scaled(some, unit), options) for text, some in lines.items()]
    if options.overlay:
        panels = _overlaid(panels)
    return LinePlot(
        tuple(panels), PlotAxis(label, options.axis is Axis.WALL, options.log_x), options.log_y, options.inches,
        options.y_limits, options.legend,
    )  # fmt: skip


def colors_of_viewers(base: Path, *, of_groups: bool = False) -> dict[str, str]:
    """Return the colors that users gave on pages of the workspace in the settings."""
    return saved_colors(load_settings({}).workspace, base, of_groups=of_groups)


def _lines(source: PlotSource, holders: Mapping[str, Stores], options: PlotOptions) -> dict[str, list[PlotLine]]:
    names = _names(source, holders.values())
    colors = selected_colors(names, assign_slots(list(source.groups or source.listed)), source.chosen)
    dashes = dict(zip(names, gray_safe_dashes(list(colors.values())), strict=True))
    labels = _labels(source, names, options.labels or {})
    lines: dict[str, list[PlotLine]] = {}
    for text, stores in holders.items():
        lines[text] = []
        for name in names:
            line = _line(source, name, stores, text, options)
            if line is not None:
                lines[text].append(replace(line, label=labels[name], color=colors[name], dash=dashes[name]))
    return lines


def _names(source: PlotSource, holders: Iterable[Stores]) -> list[str]:
    """Return the runs or groups with a line in any panel, in their order on the page."""
    held = {id for stores in holders for id in stores}
    if source.groups is not None:
        return [name for name, ids in source.groups.items() if held.intersection(ids)]
    return [id for id in source.stores if id in held]


def _line(source: PlotSource, name: str, stores: Stores, text: str, options: PlotOptions) -> PlotLine | None:
    if source.groups is None:
        return _run_line(stores[name], text, options) if name in stores else None
    members = {id: stores[id] for id in source.groups[name] if id in stores}
    return _group_line(statistics_of(members, text, options), options) if members else None


def _run_line(store: RunStore, text: str, options: PlotOptions) -> PlotLine:
    curve = curve_of(store, text, options)
    rows = np.argsort(curve.x, kind="stable") if curve.x.size and (np.diff(curve.x) < 0).any() else slice(None)
    value = curve.value[rows]
    if curve.smoothed is None:
        return PlotLine("", "", curve.x[rows], value)
    return PlotLine("", "", curve.x[rows], curve.smoothed[rows], raw=value)


def _group_line(group: GroupStatistics, options: PlotOptions) -> PlotLine:
    center = group.mean if options.center == "mean" else group.median
    low, high = _band(group, center, options)
    return PlotLine("", "", group.x, center, low=low, high=high)


def _band(group: GroupStatistics, center: Floats, options: PlotOptions) -> tuple[Floats | None, Floats | None]:
    """Return the ends of the band as the page draws it: those of errors lie around the mean."""
    if options.spread == "none" or len(group.runs) < 2:
        return None, None
    if options.spread == "range":
        return group.low, group.high
    if options.spread == "quartiles":
        return group.lower_quartile, group.upper_quartile
    if options.spread == "deviation":
        return center - group.deviation, center + group.deviation
    half = group.standard_error if options.spread == "error" else group.confidence
    return group.mean - half, group.mean + half


def _labels(source: PlotSource, names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    label_of = source.label_of or str
    labels = {name: given.get(name, label_of(name)) for name in names}
    return labels if len(set(labels.values())) == len(labels) else {name: given.get(name, name) for name in names}


def _panel(text: str, lines: Sequence[PlotLine], options: PlotOptions) -> PlotPanel:
    goal: Goal = guess_goal(text)
    marked: Goal | None = goal if options.best == "auto" else options.best
    return PlotPanel(text, tuple(_top(lines, marked or goal)), marked)


def _top(lines: Sequence[PlotLine], goal: Goal) -> Sequence[PlotLine]:
    """Return the lines; of very many, those without the best last values are background."""
    if len(lines) < MOST_NAMED:
        return lines
    last = np.array([line.y[np.isfinite(line.y)][-1] if np.isfinite(line.y).any() else np.nan for line in lines])
    order = np.argsort(last if goal == "min" else -last, kind="stable")[:TOP]
    top = cast("list[int]", sorted(order.tolist()))
    dashes = dict(zip(top, gray_safe_dashes([lines[row].color for row in top]), strict=True))
    return [
        replace(line, dash=dashes[row], raw=None) if row in dashes
        else replace(line, label="", color=OTHERS, dash=0, raw=None, is_background=True)
        for row, line in enumerate(lines)
    ]  # fmt: skip


def _overlaid(panels: Sequence[PlotPanel]) -> list[PlotPanel]:
    """Return one panel with the lines of all; tags differ by colors where there is one run, else by dashes."""
    is_one = all(len(panel.lines) == 1 for panel in panels)
    colors = list(selected_colors([panel.title for panel in panels], {}, {}).values()) if is_one else []
    lines: list[PlotLine] = []
    for number, panel in enumerate(panels):
        for line in panel.lines:
            label = panel.title if is_one else f"{line.label}, {panel.title}"
            lines.append(replace(line, label=label, color=colors[number] if is_one else line.color))
    dashes = gray_safe_dashes([line.color for line in lines])
    title = panels[0].title if len(panels) == 1 else ""
    dashed = (replace(line, dash=dash) for line, dash in zip(lines, dashes, strict=True))
    return [PlotPanel(title, tuple(dashed), panels[0].goal)]


def _x_unit(lines: Mapping[str, Sequence[PlotLine]], axis: Axis) -> tuple[float, str]:
    """Return the size of the unit of the x axis and its label."""
    if axis is not Axis.RELATIVE:
        return 1.0, "step" if axis is Axis.STEP else "wall time (UTC)"
    last = max((float(line.x[-1]) for some in lines.values() for line in some if line.x.size), default=0.0)
    size, unit = next((pair for pair in _TIME_UNITS if last >= _LEAST_UNITS * pair[0]), (1.0, "seconds"))
    return size, f"time ({unit})"


def _scaled(lines: Sequence[PlotLine], unit: float) -> list[PlotLine]:
    return [replace(line, x=line.x / unit) for line in lines] if unit != 1.0 else list(lines)
