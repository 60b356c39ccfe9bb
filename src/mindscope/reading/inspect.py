# SPDX-License-Identifier: Apache-2.0
"""Summarizes a run as a report that can be printed or converted to JSON."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.graph import Graph
from mindscope.reading.run import Run
from mindscope.store import FileFacts, ReferenceSeries, ScalarColumns, ScalarSeries
from mindscope.store.file_facts import readable
from mindscope.store.series_table import REASONS_TAG
from mindscope.types import Damage, Kind


@dataclass(frozen=True, slots=True)
class FileReport:
    """Facts of one event file; ``dialect`` is None before the first record, ``rest_bytes`` follow the last whole
    record.
    """

    name: str
    dialect: str | None
    records: int
    size_bytes: int
    rest_bytes: int
    damages: int


@dataclass(frozen=True, slots=True)
class TagReport:
    """One tag of one kind; ``last_value`` is for scalars only.

    ``points`` counts visible points, ``overwritten`` points that a restart hides, ``repeated`` points that a later
    point of the same file and step hides. Steps and the last value are None if a restart hides all points.
    """

    kind: str
    tag: str
    points: int
    overwritten: int
    repeated: int
    first_step: int | None
    last_step: int | None
    last_value: float | None


@dataclass(frozen=True, slots=True)
class GraphReport:
    """Size of one computational graph."""

    name: str
    operations: int
    edges: int
    parameters: int
    constants: int


@dataclass(frozen=True, slots=True)
class ContentReport:
    """Contents of the directory other than event files: ``name`` is the first of ``count`` files."""

    kind: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class DamageReport:
    """One section that could not be read; ``text`` describes it."""

    file: str
    offset: int
    kind: str
    detail: str
    resumed_at: int | None
    text: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """Everything about a run except its values. Wall times in seconds since 1970, None if there are no values.

    ``outcome`` is that of the training, as it recorded: success, failure, running or None.

    Of a run without event files, ``size_bytes`` and ``last_wall_time`` are those of its other contents; the size of
    directories is None.
    """

    id: str
    name: str
    path: str
    state: str
    outcome: str | None
    size_bytes: int | None
    first_wall_time: float | None
    last_wall_time: float | None
    last_step: int | None
    dropped: int
    dropped_reasons: tuple[str, ...]
    files: tuple[FileReport, ...]
    contents: tuple[ContentReport, ...]
    tags: tuple[TagReport, ...]
    graphs: tuple[GraphReport, ...]
    dataset_stages: tuple[str, ...]
    lineage: Mapping[str, Any]
    hparams: Mapping[str, Any]
    damages: tuple[DamageReport, ...]

    def to_json(self) -> dict[str, Any]:
        """Return dicts, lists, texts and numbers only; NaN and infinities become "NaN", "Infinity", "-Infinity"."""
        return cast(dict[str, Any], _json_value(asdict(self)))


def inspect_run(run: Run) -> RunReport:
    """Report the contents of a run, as of its last refresh."""
    store = run.store
    dataset = run.dataset_graph
    # Graphs and lineage first: decoding them may add damages to the report.
    graphs = tuple(_graph_report(graph) for graph in run.graphs().values())
    lineage, hparams = run.lineage.row(), run.hparams
    return RunReport(
        id=run.id,
        name=run.name,
        path=readable(str(run.path)),
        state=store.state(time.time()),
        outcome=run.outcome,
        size_bytes=store.size_bytes,
        first_wall_time=store.first_wall_time,
        last_wall_time=store.written_at,
        last_step=store.last_step,
        dropped=run.dropped,
        dropped_reasons=dropped_reasons(run),
        files=tuple(_file_report(facts) for facts in store.files),
        contents=tuple(ContentReport(each.kind.value, each.name, each.count) for each in store.contents),
        tags=tuple(_tag_report(kind, tag, series) for (kind, tag), series in store.series.items()),
        graphs=graphs,
        dataset_stages=tuple(stage.op_type for stage in dataset.walk()) if dataset else (),
        lineage=lineage,
        hparams=hparams,
        damages=tuple(_damage_report(damage) for damage in run.damages),
    )


def dropped_reasons(run: Run) -> tuple[str, ...]:
    """Return the distinct reasons why the recorders of a run dropped values, as they wrote them."""
    if REASONS_TAG not in run.tags(Kind.TEXT):
        return ()
    texts = [text for entry in run.texts(REASONS_TAG, overwritten=True) for text in _decoded(entry)]
    lines = [line.removeprefix("- ") for text in texts for line in text.split("\n- ")]
    return tuple(dict.fromkeys(lines))


def _decoded(entry: Any) -> tuple[str, ...]:
    try:
        return entry.value
    except FormatError:  # reported as damage
        return ()


def _file_report(facts: FileFacts) -> FileReport:
    dialect = None if facts.dialect is None else str(facts.dialect)
    rest = facts.size_bytes - facts.read_bytes
    return FileReport(facts.name, dialect, facts.records, facts.size_bytes, rest, len(facts.damages))


def _tag_report(kind: Kind, tag: str, series: ScalarSeries | ReferenceSeries) -> TagReport:
    columns = series.visible()
    first, last = (int(columns.step[0]), int(columns.step[-1])) if len(columns) else (None, None)
    last_value = float(columns.value[-1]) if isinstance(columns, ScalarColumns) and len(columns) else None
    overwritten, repeated = series.hidden()
    return TagReport(str(kind), tag, len(columns), overwritten, repeated, first, last, last_value)


def _graph_report(graph: Graph) -> GraphReport:
    return GraphReport(graph.name, len(graph.operations), graph.edge_count, len(graph.parameters), len(graph.constants))


def _damage_report(damage: Damage) -> DamageReport:
    return DamageReport(
        damage.file, damage.offset, str(damage.kind), damage.detail, damage.resumed_at, text=str(damage)
    )


def _json_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json_value(each) for key, each in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(each) for each in cast(Sequence[Any], value)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
