# SPDX-License-Identifier: Apache-2.0
"""Groups of runs whose curves become one line with a band."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mindscope.analysis.ranks import find_ranks
from mindscope.lineage.parameter_groups import Cells, parameter_groups
from mindscope.natural_order import natural_key

if TYPE_CHECKING:
    from mindscope.reading.lineage_table import LineageTable
    from mindscope.reading.run import Run

By = str | Sequence[str] | Callable[[Any], str | None]
"""A grouping of the page (directory, ranks), name, a parameter or several, or a function of a run."""

Groups = dict[str, list[str]]


def group_runs(runs: Mapping[str, Run], ids: Sequence[str], by: By, lineage: Callable[[], LineageTable]) -> Groups:
    """Return the ids of each group, in the order of the groups on the page.

    Raises ColumnNotFoundError, which names similar parameters.
    """
    if callable(by):
        return _gathered({id: by(runs[id]) for id in ids})
    if by == "directory":
        return _gathered({id: id.rpartition("/")[0] or "/" for id in ids})
    if by == "ranks":
        ranks = find_ranks(runs)
        return _gathered({id: ranks[id].group if id in ranks else id for id in ids})
    if by == "name":
        return _gathered({id: runs[id].name for id in ids})
    return parameter_groups(ids, _parameters(lineage(), (by,) if isinstance(by, str) else by))


def _gathered(names: Mapping[str, str | None]) -> Groups:
    groups: Groups = {}
    for id, name in names.items():
        if name is not None:
            groups.setdefault(name, []).append(id)
    return {name: groups[name] for name in sorted(groups, key=natural_key)}


def _parameters(table: LineageTable, names: Iterable[str]) -> dict[str, Cells]:
    columns = {name: next(iter(table.choose(name).columns.values())) for name in names}
    return {name: dict(zip(table.runs, column.cells, strict=True)) for name, column in columns.items()}
