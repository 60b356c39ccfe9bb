# SPDX-License-Identifier: Apache-2.0
"""All runs below a directory in the Python API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from typing_extensions import Unpack

from mindscope import reading
from mindscope.analysis.expressions import NO_SMOOTHING, Smoothing
from mindscope.analysis.groups import Alignment, GroupExpression, GroupStatistics, group_statistics
from mindscope.analysis.ranks import find_ranks
from mindscope.errors import RunNotFoundError
from mindscope.ingest import Catalog
from mindscope.plots.options import PlotKeywords, PlotOptions
from mindscope.reading.displays import runs_html
from mindscope.reading.run import Run
from mindscope.reading.scalars import MEAN_OF
from mindscope.reading.sql.limits import MOST_MEMORY_BYTES, MOST_ROWS, MOST_SECONDS, QueryLimits
from mindscope.stats.expression import parse
from mindscope.store import RunStore
from mindscope.store.file_facts import readable
from mindscope.table.columns import column_of
from mindscope.table.schema import MAX, MIN, SUM, TEXT, ColumnField, Unit
from mindscope.table.table import Table, Tabular
from mindscope.types import Kind

if TYPE_CHECKING:  # a script that reads curves does not wait for them
    from mindscope.reading.lineage_table import LineageTable
    from mindscope.reading.lineage_tables import LineageTables
    from mindscope.reading.plot_groups import By
    from mindscope.reading.sql.result import QueryResult

_FIELDS = {
    **{"run": TEXT, "path": TEXT, "size_bytes": ColumnField(Unit.BYTES, SUM), "last_step": ColumnField(Unit.ID, MAX)},
    "first_wall_time": ColumnField(Unit.SECONDS, MIN),
    "last_wall_time": ColumnField(Unit.SECONDS, MAX),
}
"""The other columns are counts."""


class Runs(Mapping[str, Run], Tabular):
    """Runs by id (the path below the base directory with ``/``), in natural order of the ids.

    The table of runs has the columns run, path, files, size_bytes, first_wall_time, last_wall_time, last_step, damages,
    dropped, and ``KIND_tags``, the number of tags of a kind. Of a run without event files, size and time are those of
    its other contents.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @property
    def base(self) -> str:
        """The base directory."""
        return str(self._catalog.base)

    @property
    def problems(self) -> tuple[str, ...]:
        """Directories, files and links that could not be read, each with reason and remedy."""
        return tuple(map(str, self._catalog.unreadable))

    def refresh(self) -> bool:
        """Read new data, find new runs, remove deleted ones; returns whether anything changed."""
        before = self._catalog.version
        self._catalog.refresh()
        return self._catalog.version != before

    def __getitem__(self, id: str) -> Run:
        """Raises RunNotFoundError, which suggests similar ids."""
        store = self._catalog.runs.get(id)
        if store is None:
            near = get_close_matches(id, self._catalog.runs, n=3, cutoff=0.5) or list(self._catalog.runs)[:3]
            remedy = f"did you mean {' or '.join(map(repr, near))}?" if near else "there is no run at all"
            raise RunNotFoundError(f"run {id!r} is not below {self.base}: {remedy}")
        return Run(store, self.refresh, self._catalog.runs.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self._catalog.runs)

    def __len__(self) -> int:
        return len(self._catalog.runs)

    def __contains__(self, id: object) -> bool:
        return id in self._catalog.runs

    def groups(
        self,
        expression: str,
        by: Callable[[Run], str | None] | None = None,
        *,
        smoothing: Smoothing = NO_SMOOTHING,
        alignment: Alignment = Alignment.LINEAR,
    ) -> dict[str, GroupStatistics]:
        """Return mean and its error, median, extremes, deviation and quartiles of an expression over groups of runs.

        ``by`` returns the group of a run; None leaves it out. Without ``by``, the ranks of one training form a group,
        such as "ddp/rank_*", and any other run is its own group. The default ``alignment`` is linear: a run counts at
        all steps between its first and last point. Where it has no point, a straight line gives its value. Raises
        ExpressionError for a text that can't be parsed.
        """
        parse(expression, wants_condition=False)
        options = GroupExpression(expression, smoothing=smoothing, alignment=alignment)
        ranks = find_ranks(self)
        stores: dict[str, dict[str, RunStore]] = {}
        for id, run in self.items():
            name = by(run) if by else ranks[id].group if id in ranks else id
            if name is not None:
                stores.setdefault(name, {})[id] = run.store
        return {name: group_statistics(members, options) for name, members in stores.items()}

    def plot(
        self,
        tags: str | Sequence[str],
        *,
        smoothing: float | Smoothing = 0.0,
        x: str = "step",
        by: By | None = None,
        runs: Sequence[str] | None = None,
        where: str | None = None,
        engine: str = "matplotlib",
        **options: Unpack[PlotKeywords],
    ) -> Any:
        """Return a figure for a paper: a panel for each tag or expression, with a line for each run or group.

        Lines have the colors of the page. From 30 lines on, the 10 with the best last values are named.

        Args:
            tags: scalar tags, or expressions over them.
            smoothing: the weight of the page's slider, from 0 to below 1, or a ``Smoothing``.
            x: step, relative or wall.
            by: draws groups of runs as their mean with a band: a parameter or several, "name", "directory", "ranks",
                or a function that returns the group of a run, None to leave it out.
            runs: patterns of ids, with ``*`` and ``?``; all if None.
            where: a condition over the lineage of runs, such as ``lr < 0.01``.
            engine: matplotlib or plotly, whose figure is returned.
            options: see docs/plots.md.

        Raises:
            TagNotFoundError: no run has the tag; names similar ones.
            RunNotFoundError: no run matches.
            ColumnNotFoundError: no run has the parameter; names similar ones.
            UsageError: an option has a wrong value.
            MissingPackageError: the library is not installed.
        """
        choice = reading.PlotChoice(by, runs, where)
        return reading.figure_of_runs(self, tags, choice, PlotOptions.of(smoothing, x, options), engine)

    def lineage(self, scalars: Iterable[str] = (), mean_of: int = MEAN_OF) -> LineageTable:
        """Return a row per run: parameters, data, metrics, custom fields and facts, as of the last ``refresh``.

        ``scalars`` are patterns of tags (``*`` and ``?``): last value, min, max, their steps, and
        the mean of the last ``mean_of`` points of each curve become columns. Unchanged runs come from a cache.
        """
        return self._lineage_tables.view(reading.ScalarChoice(tuple(scalars), mean_of)).table

    def sql(
        self,
        statement: str,
        *,
        rows: int = MOST_ROWS,
        seconds: float = MOST_SECONDS,
        memory_bytes: int = MOST_MEMORY_BYTES,
    ) -> QueryResult:
        """Run one SELECT statement over the tables of the runs, as of the last ``refresh``; docs/query.md lists them.

        Args:
            statement: of SQL, in the dialect of DuckDB.
            rows: further rows of the result are left out.
            seconds: a query that takes longer raises.
            memory_bytes: so does one that needs more memory.

        Raises:
            QueryError: the statement is refused, it failed, or it exceeded a limit.
            MissingPackageError: DuckDB or pyarrow is not installed.
        """
        limits = QueryLimits(rows, seconds, memory_bytes)
        return reading.run_query(reading.SqlSource(self._catalog, self.lineage), statement, limits)

    @cached_property
    def _lineage_tables(self) -> LineageTables:
        return reading.LineageTables(lambda: self._catalog.runs)

    def to_table(self) -> Table:
        """Return a row for each run."""
        runs = list(self.values())
        kinds = dict.fromkeys(kind for run in runs for kind in run.kinds)
        rows = [_row(run) | _tag_counts(run, kinds) for run in runs]
        fields = {name: _FIELDS.get(name, ColumnField(Unit.COUNT, SUM)) for row in rows[:1] for name in row}
        columns = {name: column_of([row[name] for row in rows], field.unit) for name, field in fields.items()}
        return Table(extra=columns, extra_fields=fields)

    def _repr_html_(self) -> str:
        return runs_html(self.base, [run.store for run in self.values()])

    def __repr__(self) -> str:
        return f"Runs({self.base!r}: {len(self)} runs)"


def _row(run: Run) -> dict[str, Any]:
    store = run.store
    return {
        "run": run.id,
        "path": readable(str(run.path)),
        "files": len(store.files),
        "size_bytes": store.size_bytes,
        "first_wall_time": store.first_wall_time,
        "last_wall_time": store.written_at,
        "last_step": store.last_step,
        "damages": len(run.damages),
        "dropped": run.dropped,
    }


def _tag_counts(run: Run, kinds: Iterable[Kind]) -> dict[str, int]:
    counts = run.store.tag_counts()
    return {f"{kind}_tags": counts.get(kind, 0) for kind in kinds}
