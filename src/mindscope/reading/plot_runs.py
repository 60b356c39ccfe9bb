# SPDX-License-Identifier: Apache-2.0
"""``Run.plot`` and ``Runs.plot``: choose runs, group them, and have their figure made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindscope.errors import RunNotFoundError
from mindscope.plots.figures import make_figure
from mindscope.plots.line_plot import LinePlot
from mindscope.plots.options import PlotOptions
from mindscope.reading.plot_groups import By, group_runs
from mindscope.reading.plotting import PlotSource, colors_of_viewers, line_plot
from mindscope.store import RunStore

if TYPE_CHECKING:
    from mindscope.reading.runs import Runs


@dataclass(frozen=True, slots=True)
class PlotChoice:
    """Which runs a figure shows, and how they are grouped; see ``Runs.plot``."""

    by: By | None = None
    runs: Sequence[str] | None = None
    where: str | None = None


def figure_of_run(
    store: RunStore, listed: Collection[str], tags: str | Iterable[str], options: PlotOptions, engine: str
) -> Any:
    """Return the figure of one run. Raises as ``Run.plot``."""
    saved = colors_of_viewers(store.path)
    chosen = {store.id: saved["."]} if "." in saved else {}
    source = PlotSource({store.id: store}, list(listed) or [store.id], chosen, label_of=lambda _: store.name)
    return make_figure(line_plot(source, tags, options), engine)


def figure_of_runs(runs: Runs, tags: str | Iterable[str], choice: PlotChoice, options: PlotOptions, engine: str) -> Any:
    """Return the figure of several runs. Raises as ``Runs.plot``."""
    return make_figure(plot_of_runs(runs, tags, choice, options), engine)


def plot_of_runs(runs: Runs, tags: str | Iterable[str], choice: PlotChoice, options: PlotOptions) -> LinePlot:
    """Return what the figure of several runs shows. Raises as ``Runs.plot``."""
    ids = _chosen(runs, choice)
    stores = {id: runs[id].store for id in ids}
    base = Path(runs.base)
    if choice.by is None:
        label_of = partial(_short, _shared_directory(ids))
        return line_plot(PlotSource(stores, list(runs), colors_of_viewers(base), None, label_of), tags, options)
    groups = group_runs(runs, ids, choice.by, runs.lineage)
    chosen = colors_of_viewers(base, of_groups=True)
    return line_plot(PlotSource(stores, list(runs), chosen, groups), tags, options)


def _chosen(runs: Runs, choice: PlotChoice) -> list[str]:
    ids = [id for id in runs if choice.runs is None or any(fnmatchcase(id, pattern) for pattern in choice.runs)]
    if choice.where is not None:
        matching = frozenset(runs.lineage().filter(choice.where).runs)
        ids = [id for id in ids if id in matching]
    if not ids:
        which = " that match" if choice.runs is not None or choice.where is not None else ""
        raise RunNotFoundError(f"there are no runs{which} below {runs.base}; mindscope inspect lists them.")
    return ids


def _shared_directory(ids: Sequence[str]) -> int:
    """Return the length of the directories with which all ids begin."""
    paths = [id.split("/")[:-1] for id in ids]
    shared = 0
    while len(ids) > 1 and all(len(path) > shared and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    return sum(len(part) + 1 for part in paths[0][:shared])


def _short(start: int, id: str) -> str:
    return id[start:]
