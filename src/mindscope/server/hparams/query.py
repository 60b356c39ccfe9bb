# SPDX-License-Identifier: Apache-2.0
"""Hyper-parameters and results of runs as one table: those of TensorBoard's plugin, and lineage."""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.server.hparams.schema import ROLES, HparamColumn, HparamRun, HparamsAnswer, HparamsQuery, Role
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.run_cache import RunCache
from mindscope.store import RunStore
from mindscope.types import Kind, Message

if TYPE_CHECKING:
    from mindscope.reading import Run

log = logging.getLogger(__name__)

Cell = float | bool | str | None
HparamRow = dict[tuple[Role, str], Cell]
"""A value for each role and name."""

CELL_BYTES = 16
NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
FIELD_KINDS = (Kind.HPARAMS, Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.CUSTOM_LINEAGE)
"""What ``read_fields`` reads."""
METRIC = "metric/"
CUSTOM = "custom/"
"""How the lineage's row names metrics, and what the user added."""


class HparamTables:
    """Tables over the runs of a catalog. For any thread."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._fields = RunCache(read_fields, kinds=FIELD_KINDS)
        self._metrics = RunCache(read_metrics)

    def table(self, query: HparamsQuery) -> HparamsAnswer:
        """The table of these runs."""
        stores = {id: store for id in while_connected(query.runs) if (store := self._catalog.runs.get(id)) is not None}
        rows = {id: self._row(store, query.roles) for id, store in stores.items()}
        return _tabulated({id: row for id, row in rows.items() if row}, query.only_differing)

    def _row(self, store: RunStore, roles: Collection[Role]) -> HparamRow:
        """Empty where reading fails: the rows of the others are wanted still."""
        try:
            fields = self._fields.get(store)
            if len(roles) < len(ROLES):
                fields = {place: cell for place, cell in fields.items() if place[0] in roles}
            return fields | self._metrics.get(store) if "metric" in roles else fields
        except Exception:
            log.exception("parameters of run %s could not be read", store.id)
            return {}


def _tabulated(rows: Mapping[str, HparamRow], only_differing: bool) -> HparamsAnswer:
    names = Counter(name for row in rows.values() for name in row)
    columns = [_column(role, name, [row.get((role, name)) for row in rows.values()]) for role, name in names]
    columns = [column for column in columns if column.differs or not only_differing]
    check_size(len(columns) * len(rows) * CELL_BYTES)
    columns.sort(key=lambda one: (not one.differs, ROLES.index(one.role), -names[one.role, one.name]))
    return HparamsAnswer(
        columns=columns,
        rows=[
            HparamRun(run=id, cells=[row.get((column.role, column.name)) for column in columns])
            for id, row in rows.items()
        ],
    )


def _column(role: Role, name: str, cells: list[Cell]) -> HparamColumn:
    return HparamColumn(name=name, role=role, differs=any(cell != cells[0] for cell in cells))


def read_fields(run: Run) -> HparamRow:
    """What a run was trained with, and what its lineage says that came of it."""
    row: HparamRow = {("parameter", name): _cell(value) for name, value in run.hparams.items()}
    return row | {_place(name): _cell(value) for name, value in run.lineage.row().items()}


def read_metrics(run: Run) -> HparamRow:
    """The last values of the scalars that are metrics."""
    known = frozenset(run.tags(Kind.SCALAR))
    return {("metric", tag): _last(run, tag) for tag in _metric_tags(run) if tag in known}


def _place(name: str) -> tuple[Role, str]:
    if name.startswith(METRIC):
        return "metric", name.removeprefix(METRIC)
    if name.startswith(CUSTOM):
        return "custom", name.removeprefix(CUSTOM)
    return ("metric", name) if name == "loss" else ("parameter", name)


def _metric_tags(run: Run) -> list[str]:
    """Scalars that the plugin's experiment calls its metrics; without one, every scalar of a run with parameters."""
    tags = run.tags(Kind.HPARAMS)
    named = [str(info.get("name", {}).get("tag", "")) for tag in tags for info in _infos(run, tag)]
    return named or (list(run.tags(Kind.SCALAR)) if tags else [])


def _infos(run: Run, tag: str) -> Iterator[Message]:
    for sample in run.values(Kind.HPARAMS, tag):
        with suppress(FormatError):  # among the damages of the run
            yield from cast("Mapping[str, Any]", sample.value.get("experiment", {})).get("metric_infos", [])


def _last(run: Run, tag: str) -> Cell:
    values = run.scalars(tag).value
    return _cell(float(values[-1])) if len(values) else None


def _cell(value: Any) -> Cell:
    if isinstance(value, bool | str) or value is None:
        return value
    if not isinstance(value, int | float):
        return json.dumps(value, default=str)
    try:
        number = float(value)
    except OverflowError:  # of a JSON text, with hundreds of digits
        return str(value)
    return number if math.isfinite(number) else str(number).replace("nan", "NaN").replace("inf", "Infinity")
