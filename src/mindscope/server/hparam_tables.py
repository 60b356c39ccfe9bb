# SPDX-License-Identifier: Apache-2.0
"""Hyper-parameters and results of runs as one table: those of TensorBoard's plugin, and lineage."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import Field

from mindscope.ingest import Catalog
from mindscope.reading import Run
from mindscope.server.known import KnownByRun
from mindscope.server.schema import MAX_RUNS, Answer, Query
from mindscope.types import Kind, Message

Cell = float | bool | str | None
HparamRow = dict[tuple[str, str], Cell]
"""A value for each role and name."""

NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
ROLES = ("parameter", "metric", "custom")
METRIC = "metric/"
CUSTOM = "custom/"
"""How the lineage's row names metrics, and what the user added."""


class HparamsQuery(Query):
    """Of which runs? An unknown run has no row."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class HparamColumn(Answer):
    """A column; ``role`` is parameter, metric or custom. ``differs`` when not all rows have the same value."""

    name: str
    role: str
    differs: bool


class HparamRun(Answer):
    """A row: one cell for each column; null where the run has none. A number that JSON has not is a text, as NaN."""

    run: str
    cells: list[float | bool | str | None]


class HparamsAnswer(Answer):
    """Only runs that have any column. Columns that differ come first.

    Of these and of the others, parameters come before metrics before custom ones, then those that most runs have.
    """

    columns: list[HparamColumn]
    rows: list[HparamRun]


def tabulate_hparams(catalog: Catalog, known: KnownByRun[HparamRow], runs: Iterable[str]) -> HparamsAnswer:
    """The table of these runs."""
    rows = {id: known.get(store) for id in runs if (store := catalog.runs.get(id)) is not None}
    rows = {id: row for id, row in rows.items() if row}
    names = Counter(name for row in rows.values() for name in row)
    columns = [_column(role, name, [row.get((role, name)) for row in rows.values()]) for role, name in names]
    columns.sort(key=lambda one: (not one.differs, ROLES.index(one.role), -names[one.role, one.name]))
    return HparamsAnswer(
        columns=columns,
        rows=[
            HparamRun(run=id, cells=[row.get((column.role, column.name)) for column in columns])
            for id, row in rows.items()
        ],
    )


def _column(role: str, name: str, cells: list[Cell]) -> HparamColumn:
    return HparamColumn(name=name, role=role, differs=any(cell != cells[0] for cell in cells))


def read_hparam_row(run: Run) -> HparamRow:
    """What a run was trained with, and what came of it."""
    row: HparamRow = {("parameter", name): _cell(value) for name, value in run.hparams.items()}
    row |= {_place(name): _cell(value) for name, value in run.lineage.row().items()}
    return row | {("metric", tag): _last(run, tag) for tag in _metric_tags(run) if tag in run.tags(Kind.SCALAR)}


def _place(name: str) -> tuple[str, str]:
    for prefix, role in ((METRIC, "metric"), (CUSTOM, "custom")):
        if name.startswith(prefix):
            return role, name.removeprefix(prefix)
    return ("metric", name) if name == "loss" else ("parameter", name)


def _metric_tags(run: Run) -> list[str]:
    """Scalars that the plugin's experiment calls its metrics; without one, every scalar of a run with parameters."""
    tags = run.tags(Kind.HPARAMS)
    infos = [info for tag in tags for value in run.values(Kind.HPARAMS, tag) for info in _infos(value.value)]
    named = [str(info.get("name", {}).get("tag", "")) for info in infos]
    return named or (list(run.tags(Kind.SCALAR)) if tags else [])


def _infos(message: Message) -> list[Message]:
    return cast("Mapping[str, Any]", message.get("experiment", {})).get("metric_infos", [])


def _last(run: Run, tag: str) -> Cell:
    values = run.scalars(tag).value
    return _cell(float(values[-1])) if len(values) else None


def _cell(value: Any) -> Cell:
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        return (
            float(value) if math.isfinite(value) else str(float(value)).replace("nan", "NaN").replace("inf", "Infinity")
        )
    return json.dumps(value, default=str)
