# SPDX-License-Identifier: Apache-2.0
"""Statistics of groups of runs as columns, reduced for a view."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.ranks import expand_ranks
from mindscope.errors import ExpressionError
from mindscope.ingest import Catalog
from mindscope.reasons import Reason
from mindscope.server.groups.cache import GroupCache, GroupSpread
from mindscope.server.groups.schema import GroupColumns, GroupLine, GroupName, GroupsHeader, GroupsQuery
from mindscope.server.http.columns import Packed, each_once, pack
from mindscope.server.http.cursor import cursor_of, kept_rows
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry
from mindscope.stats import ChunkedArray, Line, reduce, sort_x
from mindscope.stats.alignment import XYSeries
from mindscope.stats.baseline import minus_baseline
from mindscope.stats.expression import parse
from mindscope.stats.group_statistics import DERIVED, TraceStatistics


def pack_groups(catalog: Catalog, query: GroupsQuery, spreads: GroupCache) -> Packed:
    """Return the groups of the query in its order, as columns."""
    groups = each_once(while_connected(query.groups), lambda name: _group_or_error(catalog, query, name, spreads))
    return pack(GroupsHeader(groups=list(groups)))


def _group_or_error(catalog: Catalog, query: GroupsQuery, name: GroupName, spreads: GroupCache) -> GroupLine:
    try:
        for expression in (name.y, query.x or name.y):
            parse(expression, wants_condition=False)
    except ExpressionError as error:
        return _empty(query, name, error=ReasonEntry.of(error))
    group = spreads.get(catalog, _runs_of(catalog, name.runs), query.expression(name.y), query.range)
    if group.runs == 0:
        return _empty(query, name, error=_why_nothing(group), missing=group.problems)
    empty = _empty(query, name, missing=group.problems)
    if query.baseline is None:
        return _reduced(group, query, empty, name.since)
    baseline = spreads.get(catalog, _runs_of(catalog, query.baseline.runs), query.expression(name.y), query.range)
    if baseline.runs == 0:
        return empty.model_copy(update={"error": _why_nothing(baseline)})
    center: NDArray[np.float64] = getattr(baseline.statistics, query.baseline.center)
    has_any = np.isfinite(center)
    less = minus_baseline(group.x, group.statistics, XYSeries(baseline.x[has_any], center[has_any]))
    return _reduced(dataclasses.replace(group, statistics=less), query, empty, name.since)


def _runs_of(catalog: Catalog, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(expand_ranks(names, catalog.runs))


def _why_nothing(group: GroupSpread) -> ReasonEntry:
    """Return the reason why no run of the group has points."""
    return ReasonEntry.of(next(iter(group.problems.values()), Reason("group_empty")))


def _reduced(group: GroupSpread, query: GroupsQuery, empty: GroupLine, since: str | None) -> GroupLine:
    x, statistics = group.x, group.statistics
    lines = [Line(ChunkedArray([getattr(statistics, each)])) for each in dict.fromkeys(query.keep)]
    reduction = reduce(sort_x(x), lines, query.pixels, query.range, query.log_origin)
    arrays = _arrays(x, statistics, reduction.rows)
    kept = kept_rows(list(arrays.values()), since)
    facts = {
        "runs": group.runs,
        "points": reduction.points,
        "returned": reduction.returned,
        "reduced": reduction.is_reduced,
        "interpolated": group.is_interpolated,
        "cursor": cursor_of(list(arrays.values()), reduction.settled),
        "kept": kept,
        "columns": GroupColumns(**{name: column[kept:] for name, column in arrays.items()}),
    }
    return empty.model_copy(update=facts)


def _arrays(
    x: NDArray[np.float64], statistics: TraceStatistics, rows: NDArray[np.int64] | slice
) -> dict[str, NDArray[np.generic]]:
    taken = statistics.take(rows)
    names = [*(field.name for field in fields(TraceStatistics)), *DERIVED]
    return {"x": x[rows], **{name: _as_sent(getattr(taken, name)) for name in names}}


def _as_sent(column: NDArray[np.float64]) -> NDArray[np.generic]:
    """Return float32, or the float64 column if it has a number beyond float32."""
    with np.errstate(over="ignore"):
        narrow = column.astype(np.float32)
    return column if bool((np.isinf(narrow) & np.isfinite(column)).any()) else narrow


def _empty(
    query: GroupsQuery,
    name: GroupName,
    error: ReasonEntry | None = None,
    missing: Mapping[str, Reason] = MappingProxyType({}),
) -> GroupLine:
    problem = ReasonEntry.of_text(next(iter(missing.values()), None))
    return GroupLine(
        key=name.key, y=name.y, error=error, runs=0, missing=list(missing), problem=problem,
        alignment=query.expression(name.y).alignment, points=0, returned=0, reduced=False,
        interpolated=False, cursor=None, kept=0, columns=None,
    )  # fmt: skip
