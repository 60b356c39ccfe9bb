# SPDX-License-Identifier: Apache-2.0
"""The tree of the modules that operators name."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn
from mindscope.table.grouping import sums_of


def modules_of(operators: Operators) -> Modules | None:
    """Return the tree of the modules that operators name, with their times; None if they name none.

    A module counts as often as the operator of it that ran most.
    """
    if operators.module is None:
        return None
    paths = sorted({part for path in operators.module.values for part in _prefixes(path)})
    if not paths:
        return None
    row_of = {path: row for row, path in enumerate(paths)}
    of_module = np.array([row_of.get(path, -1) for path in operators.module.values])[operators.module.codes]
    parents = np.array([row_of.get(path.rpartition("/")[0], -1) for path in paths], np.int64)
    counts = np.zeros(len(paths), np.int64)
    inside = of_module >= 0
    np.maximum.at(counts, of_module[inside], operators.count[inside])
    times = {
        name: sums_of(of_module[inside], column[inside], len(paths))
        for name, column in {"host": operators.host_self, "device": operators.device_self}.items()
        if column is not None
    }
    columns: dict[str, Any] = {f"{name}_self": own for name, own in times.items()}
    columns |= {f"{name}_total": _with_children(own, parents) for name, own in times.items()}
    if operators.flops is not None:
        columns["flops"] = _with_children(sums_of(of_module[inside], operators.flops[inside], len(paths)), parents)
    for row in range(len(paths) - 1, -1, -1):
        if parents[row] >= 0 and not counts[parents[row]]:
            counts[parents[row]] = counts[row]
    return Modules(
        path=TextColumn.of(paths),
        name=TextColumn.of(path.rpartition("/")[2] for path in paths),
        parent=parents,
        count=counts,
        **columns,
    )


def _prefixes(path: str) -> list[str]:
    segments = path.split("/") if path else []
    return ["/".join(segments[: end + 1]) for end in range(len(segments))]


def _with_children(own: Any, parents: Any) -> Any:
    """Sum over the subtrees; a parent precedes its children, since its path is shorter."""
    found = own.copy()
    for row in range(len(found) - 1, -1, -1):
        if parents[row] >= 0:
            found[parents[row]] += found[row]
    return found
