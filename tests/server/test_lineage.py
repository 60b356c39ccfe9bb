# SPDX-License-Identifier: Apache-2.0
"""The lineage table over HTTP: rows and changes, filters, importance, pipelines, files."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from pathlib import Path
from shutil import rmtree
from typing import Any, cast, get_args

import pyarrow.parquet
import pytest
from fastapi.testclient import TestClient

from mindscope.errors import ColumnNotFoundError, ExpressionError
from mindscope.ingest import Catalog
from mindscope.lineage.cell import CellKind
from mindscope.lineage.column import Group
from mindscope.reading import open_runs
from mindscope.server.app import create_app
from mindscope.server.http.context import Viewer
from mindscope.server.lineage import schema
from mindscope.server.lineage.importance import answer_importance
from mindscope.server.lineage.pipelines import answer_pipelines
from mindscope.server.lineage.query import answer_table, filter_runs, view_table
from mindscope.server.lineage.routes import query_importance
from mindscope.server.lineage.schema import (
    FilterQuery,
    ImportanceAnswer,
    ImportanceQuery,
    LineageAnswer,
    LineageTableQuery,
    PipelinesAnswer,
    PipelinesQuery,
)
from mindscope.settings import Settings
from tests.event_log import DATA, LINEAGE_NAME, MINDSPORE_NAME, append, scalars, version
from tests.lineage_sweep import SWEEP, expected_rows
from tests.reading.lineage_cache import custom

from .live_viewer import LiveViewer

PREFIX = "mindspore/lineage_sweep/"
Cells = dict[str, dict[str, Any]]


def post(viewer: LiveViewer, path: str, **body: Any) -> dict[str, Any]:
    answer = viewer.http.post(f"/api/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def plain(cell: Any) -> Any:
    """A cell of an answer as Python has it."""
    if isinstance(cell, dict):
        text = cast("dict[str, str]", cell)["number"]
        return int(text) if text.lstrip("-").isdigit() else float(text)
    return [plain(each) for each in cast("list[Any]", cell)] if isinstance(cell, list) else cell


def rows_of(answer: dict[str, Any]) -> Cells:
    """Rows by run, without missing cells."""
    rows: Cells = {run: {} for run in answer["runs"]}
    for column in answer["columns"]:
        assert len(column["cells"]) == len(answer["runs"])
        for run, cell in zip(answer["runs"], column["cells"], strict=True):
            if cell is not None:
                rows[run][column["id"]] = plain(cell)
    return rows


class Client:
    """Keeps a table as new as the answers make it."""

    def __init__(self, viewer: Viewer, **query: Any) -> None:
        self._viewer = viewer
        self._query = query
        self._cursor: str | None = None
        self.rows: Cells = {}
        self.order: list[str] = []

    def ask(self) -> dict[str, Any]:
        text = answer_table(self._viewer, LineageTableQuery(since=self._cursor, **self._query))
        LineageAnswer.model_validate_json(text)
        answer = json.loads(text)
        self._cursor = answer["cursor"]
        self.rows = {} if answer["is_whole"] else self.rows
        for run in answer["gone"]:
            del self.rows[run]
        self.rows |= rows_of(answer)
        self.order = self.order if answer["order"] is None else answer["order"]
        return answer


@pytest.fixture
def local(tmp_path: Path) -> Viewer:
    return viewer_of(tmp_path)


def viewer_of(base: Path) -> Viewer:
    catalog = Catalog(base)
    catalog.refresh()
    return Viewer(Settings(summary_base_dir=base), catalog)


def write(base: Path, run: str, *records: bytes, settings: str | None = None) -> None:
    (base / run).mkdir(parents=True, exist_ok=True)
    append(base / run / LINEAGE_NAME.format(1), b"".join(records))
    if settings is not None:
        (base / run / "params.json").write_text(settings)


def test_the_sweep_is_what_mindspore_finds_in_it(viewer: LiveViewer):
    answer = post(viewer, "lineage")
    LineageAnswer.model_validate(answer)
    assert (answer["is_whole"], answer["gone"], answer["runs"]) == (True, [], answer["order"])
    got = rows_of(answer)
    want = expected_rows()
    for run, row in want.items():
        mine = {
            id: cell for id, cell in got[PREFIX + run].items() if not id.startswith("fact/") and id in {*row, "custom"}
        }
        assert mine == {
            id: pytest.approx(cell, rel=1e-6) if isinstance(cell, float) else cell for id, cell in row.items()
        }
    columns = {column["id"]: column for column in answer["columns"]}
    rate = columns["learning_rate"]
    assert (rate["group"], rate["kind"], rate["low"], rate["high"], rate["differs"]) == (
        "parameter", "float", 0.001, 50.0, True,
    )  # fmt: skip
    assert (columns["metric/Accuracy"]["goal"], columns["algorithm/loss"]["goal"]) == ("max", "min")
    loss = dict(zip(answer["runs"], columns["algorithm/loss"]["cells"], strict=True))
    assert loss[f"{PREFIX}run_12"] == {"number": "Infinity"}


def test_cells_are_what_python_has(local: Viewer, tmp_path: Path):
    settings = {"seed": 2**63 + 1, "n": 2**53 - 1, "betas": [0.9, None, [1]], "on": True, "text": "NaN", "é": "学习率"}
    text = json.dumps(settings)[:-1] + ', "nan": NaN, "low": -Infinity, "half": "\\udc80", "list": [Infinity]}'
    write(tmp_path, "a", custom(x=1.5), settings=text)
    write(tmp_path, "b", custom(x=0.0))
    local.catalog.refresh()
    client = Client(local)
    client.ask()
    row = client.rows["a"]
    assert {name: row[name] for name in settings} == settings
    assert math.isnan(row["nan"])
    assert (row["low"], row["half"], row["list"]) == (-math.inf, "\\udc80", [math.inf])
    assert (client.rows["b"]["custom/x"], "seed" in client.rows["b"]) == (0.0, False)


def test_only_changes_are_sent(local: Viewer, tmp_path: Path):
    for number in range(3):
        write(tmp_path, f"run_{number}", custom(x=float(number)))
    local.catalog.refresh()
    client = Client(local)
    assert client.ask()["is_whole"]
    assert (client.ask()["runs"], client.ask()["order"]) == ([], None)
    append(tmp_path / "run_1" / LINEAGE_NAME.format(1), custom(x=7.0))
    local.catalog.refresh()
    answer = client.ask()
    (column,) = [each for each in answer["columns"] if each["id"] == "custom/x"]
    assert (answer["runs"], answer["order"], answer["is_whole"]) == (["run_1"], None, False)
    assert (column["cells"], column["count"], column["low"], column["high"]) == ([7.0], 3, 0.0, 7.0)
    write(tmp_path, "run_10", custom(y="new"))
    rmtree(tmp_path / "run_0")
    local.catalog.refresh()
    answer = client.ask()
    assert (answer["runs"], answer["gone"]) == (["run_10"], ["run_0"])
    assert client.order == ["run_1", "run_2", "run_10"]
    (tmp_path / "run_2" / "params.json").write_text('{"lr": 0.5}')
    local.catalog.refresh()
    assert client.ask()["runs"] == ["run_2"]
    newcomer = Client(local)
    newcomer.ask()
    assert (client.rows, client.order) == (newcomer.rows, newcomer.order)


def test_a_run_that_comes_again_is_not_gone(local: Viewer, tmp_path: Path):
    write(tmp_path, "a", custom(x=1.0))
    write(tmp_path, "b", custom(x=2.0))
    local.catalog.refresh()
    client = Client(local)
    client.ask()
    rmtree(tmp_path / "a")
    local.catalog.refresh()
    local.catalog.refresh()
    write(tmp_path, "a", custom(x=3.0))
    local.catalog.refresh()
    answer = client.ask()
    assert (answer["gone"], client.rows["a"]["custom/x"]) == ([], 3.0)


def test_a_foreign_cursor_gets_the_whole_table(viewer: LiveViewer):
    whole = post(viewer, "lineage")
    other = post(viewer, "lineage", scalars=["*loss*"])
    for since in ("", "soup", "0-0", f"{whole['cursor']}9", whole["cursor"].replace("-", "-0"), other["cursor"]):
        answer = post(viewer, "lineage", since=since)
        assert (answer["is_whole"], answer["runs"]) == (True, whole["runs"])
    same = post(viewer, "lineage", since=whole["cursor"])
    assert (same["is_whole"], same["runs"], same["order"], same["cursor"]) == (False, [], None, whole["cursor"])
    described: list[dict[str, Any]] = [{**column, "cells": []} for column in whole["columns"]]
    assert same["columns"] == described


def test_chosen_scalars_are_columns(local: Viewer, tmp_path: Path):
    (tmp_path / "a").mkdir()
    values = [scalars(step, {"loss": float(step), "acc": 0.0}) for step in range(4)]
    append(tmp_path / "a" / MINDSPORE_NAME.format(1), version() + b"".join(values))
    local.catalog.refresh()
    client = Client(local, scalars=["lo*"], mean_of=2)
    client.ask()
    got = {id: cell for id, cell in client.rows["a"].items() if id.startswith("scalar/")}
    want = {"last": 3.0, "min": 0.0, "min_step": 0, "max": 3.0, "max_step": 3, "mean": 2.5}
    assert got == {f"scalar/loss:{name}": value for name, value in want.items()}
    append(tmp_path / "a" / MINDSPORE_NAME.format(1), scalars(4, {"loss": -1.0}))
    local.catalog.refresh()
    assert client.ask()["runs"] == ["a"]
    assert client.rows["a"]["scalar/loss:min_step"] == 4


def test_a_settings_file_that_cannot_be_used_is_told_by_code(local: Viewer, tmp_path: Path):
    write(tmp_path, "a", custom(x=1.0), settings="[1]")
    local.catalog.refresh()
    client = Client(local)
    (problem,) = client.ask()["problems"]
    assert (problem["code"], problem["values"]["type"]) == ("settings_without_names", "list")
    assert problem["values"]["file"] == str(tmp_path / "a" / "params.json")


WHERE = "optimizer in ['Adam', 'SGD'] and metric[\"Accuracy\"] > 0.5"


def test_a_filter_is_that_of_python(viewer: LiveViewer):
    got = post(viewer, "lineage/filter", where=WHERE)
    want = open_runs(SWEEP).lineage().filter(WHERE).runs
    assert got["runs"] == [PREFIX + run for run in want]
    assert len(want) > 1
    assert got["cursor"] == post(viewer, "lineage")["cursor"]


@pytest.mark.parametrize(
    ("where", "code", "position"),
    [
        ("learning_rate < ", "expression_ends_before_operand", 16),
        ("learning_rate = 1", "expression_assignment", 14),
        ("batch_size > 16 and learning_rat < 1", "expression_column_near", 20),
        ("(batch_size > 16", "expression_ends_before_word", 16),
    ],
)
def test_the_error_of_a_filter_has_its_place(viewer: LiveViewer, where: str, code: str, position: int):
    for path in ("filter", "pipelines"):
        answer = viewer.http.post(f"/api/lineage/{path}", json={"where": where})
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (422, code)
        assert (error["values"]["position"], error["values"]["character"]) == (position, position + 1)


def sweep(base: Path, runs: int = 40) -> None:
    """``score`` depends on ``lr`` only; ``one`` is constant; ``verdict``, noted afterwards, follows from the score."""
    for number in range(runs):
        rate = (number * 7 % runs) / runs
        kind = ("a", "b")[number % 2]
        text = json.dumps({"lr": rate, "noise": number * 13 % 17 / 17, "kind": kind, "one": 1.0})
        write(base, f"run_{number}", custom(score=3 * rate, verdict=6 * rate), settings=text)


def importance(viewer: Viewer, query: ImportanceQuery) -> ImportanceAnswer:
    return answer_importance(view_table(viewer, query).table, query)


def test_importance_finds_the_cause(local: Viewer, tmp_path: Path):
    sweep(tmp_path)
    local.catalog.refresh()
    answer = importance(local, ImportanceQuery(target="custom/score"))
    assert (answer.target, answer.sample_size) == ("custom/score", 40)
    first = answer.features[0]
    assert (first.id, first.kind, set(first.measures)) == (
        "lr", "number", {"linear", "rank", "information", "forest"},
    )  # fmt: skip
    assert first.measures["linear"].value == pytest.approx(1.0)
    assert (first.measures["linear"].size, answer.forest_problem) == (40, None)
    assert {each.id: each.reason.code for each in answer.set_apart} == {
        "one": "column_constant", "custom/verdict": "column_custom",
    }  # fmt: skip
    assert answer.forest_score is not None
    few = importance(local, ImportanceQuery(target="custom/score", where="lr < 0.1"))
    assert few.forest_problem is not None
    assert (few.sample_size, few.features, few.forest_problem.code) == (4, [], "importance_few")
    some = ImportanceQuery(target="custom/score", columns=["noise"], runs=["nix", *[f"run_{n}" for n in range(9)]])
    chosen = importance(local, some)
    assert ([each.id for each in chosen.features], chosen.sample_size) == (["noise"], 9)
    more = importance(local, ImportanceQuery(target="custom/score", also=["custom/verdict"]))
    assert {each.id for each in more.features} == {"lr", "noise", "kind", "custom/verdict"}
    assert [each.id for each in more.set_apart] == ["one"]


def test_importance_of_a_changed_table_is_computed_again(local: Viewer, tmp_path: Path):
    for run in range(3):
        write(tmp_path, f"run_{run}", custom(score=float(run)))
    query = ImportanceQuery(target="custom/score")
    sizes: list[int] = []
    for run in range(3, 5):
        local.catalog.refresh()
        for _ in range(2):
            answer = ImportanceAnswer.model_validate_json(bytes(query_importance(query, local).body))
            sizes.append(answer.sample_size)
        write(tmp_path, f"run_{run}", custom(score=float(run)))
    local.close()
    assert sizes == [3, 3, 4, 4]


def test_an_unknown_column_is_not_found(viewer: LiveViewer):
    answer = viewer.http.post("/api/lineage/importance", json={"target": "metric/Accurac"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (404, "column_near")
    assert "'metric/Accuracy'" in error["values"]["near"]


def test_pipelines_are_those_of_python(viewer: LiveViewer):
    answer = post(viewer, "lineage/pipelines")
    PipelinesAnswer.model_validate(answer)
    want = open_runs(DATA).lineage().pipelines()
    assert answer["marks"] == want.marks
    assert [row["runs"] for row in answer["rows"]] == [list(want.runs(row)) for row in range(want.alignment.height)]
    for got, column in zip(answer["columns"], want.alignment.columns, strict=True):
        names = [None if stage is None else stage.name for stage in column.stages]  # type: ignore[union-attr]
        assert [cell and cell["name"] for cell in got["cells"]] == names
        assert (got["differing"], got["differs"]) == (list(column.differing), column.differs)
    batches = answer["columns"][-1]["cells"]
    mark = answer["marks"][f"{PREFIX}run_01"]
    assert (batches[mark]["parameters"]["batch_size"], batches[mark]["rows"]) == (16, 40)  # 640 samples
    one = post(viewer, "lineage/pipelines", runs=[f"{PREFIX}run_01"])
    assert one["marks"] == {f"{PREFIX}run_01": 0}


def test_files_have_the_chosen_runs_and_columns(viewer: LiveViewer):
    runs = [f"{PREFIX}run_03", f"{PREFIX}run_01"]
    query = {"runs": runs, "columns": ["run", "metric/Accuracy", "learning_rate"]}
    answer = viewer.http.post("/api/lineage/file", json={"format": "csv", **query})
    assert answer.headers["content-disposition"] == 'attachment; filename="lineage.csv"'
    want = io.StringIO()
    table = open_runs(DATA).lineage()
    chosen = table.take([table.runs.index(run) for run in runs]).choose(*query["columns"])
    want.writelines(chosen.csv_lines())
    assert answer.text == want.getvalue()
    assert [row["run"] for row in csv.DictReader(io.StringIO(answer.text))] == runs
    as_json = viewer.http.post("/api/lineage/file", json={"format": "json", **query}).json()
    assert as_json == [dict(row) for row in chosen]
    parquet = viewer.http.post("/api/lineage/file", json={"format": "parquet", **query})
    assert parquet.headers["content-type"] == "application/vnd.apache.parquet"
    assert pyarrow.parquet.read_table(io.BytesIO(parquet.content)).equals(chosen.to_arrow())
    whole = viewer.http.post("/api/lineage/file", json={"format": "csv"}).text
    assert len(whole.splitlines()) == 1 + len(table)
    assert viewer.http.post("/api/lineage/file", json={"format": "csv", "columns": ["nix"]}).status_code == 404


def test_without_pyarrow_a_parquet_file_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=tmp_path)
    with TestClient(
        create_app(settings, Catalog(tmp_path, settings.workspace)), base_url="http://127.0.0.1:8080"
    ) as client:
        answer = client.post("/api/lineage/file", json={"format": "parquet"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (501, "arrow_missing")
        assert "pip install 'mindscope[arrow]'" in answer.json()["error"]["remedy"]
        assert client.post("/api/lineage/file", json={"format": "csv"}).status_code == 200


def test_a_file_has_columns_that_only_the_client_knows(viewer: LiveViewer):
    runs = [f"{PREFIX}run_03", "gone", f"{PREFIX}run_01"]
    ranks = [{"number": "NaN"}, 7, {"number": "-9007199254740993"}]
    notes = ['a "note", =1+1', "of a run that is gone", None]
    further = [{"group": "fact", "name": "rank", "cells": ranks}, {"group": "fact", "name": "notes", "cells": notes}]
    query = {"runs": runs, "columns": ["fact/notes", "run", "learning_rate", "fact/rank"], "further": further}
    as_json = viewer.http.post("/api/lineage/file", json={"format": "json", **query}).json()
    rates = {run: open_runs(DATA).lineage().filter(f'run == "{run}"')[0]["learning_rate"] for run in runs[::2]}
    assert as_json == [
        {"fact/notes": notes[0], "run": runs[0], "learning_rate": rates[runs[0]], "fact/rank": "NaN"},
        {"run": runs[2], "learning_rate": rates[runs[2]], "fact/rank": -9007199254740993},
    ]
    lines = viewer.http.post("/api/lineage/file", json={"format": "csv", **query}).text
    assert [row["fact/rank"] for row in csv.DictReader(io.StringIO(lines))] == ["NaN", "-9007199254740993"]
    parquet = viewer.http.post("/api/lineage/file", json={"format": "parquet", **query})
    assert pyarrow.parquet.read_table(io.BytesIO(parquet.content)).column_names == query["columns"]
    few = {**query, "further": [{**further[0], "cells": [5]}, {**further[1], "cells": [*notes, "beyond"]}]}
    few_rows = viewer.http.post("/api/lineage/file", json={"format": "json", **few}).json()
    assert [row.get("fact/rank") for row in few_rows] == [5, None]
    assert [row.get("fact/notes") for row in few_rows] == [notes[0], None]
    repeated = {**query, "further": [{**further[0], "choices": [None, "A", 2.5], "cells": [2, 1, None]}, further[1]]}
    rows = viewer.http.post("/api/lineage/file", json={"format": "json", **repeated}).json()
    assert [row.get("fact/rank") for row in rows] == [2.5, None]
    for odd in (3, -1, True, "A"):
        odd_cell = {**query, "further": [{**further[0], "choices": [None, "A", 2.5], "cells": [odd, 1, 2]}, further[1]]}
        rows = viewer.http.post("/api/lineage/file", json={"format": "json", **odd_cell}).json()
        assert [row.get("fact/rank") for row in rows] == [None, 2.5]
    refusals: list[dict[str, Any]] = [{"cells": None}, {"cells": [{"number": "1; drop"}] * 3}, {"group": "nix"}]
    for bad in refusals:
        refused = {**query, "further": [{**further[0], **bad}]}
        assert viewer.http.post("/api/lineage/file", json={"format": "csv", **refused}).status_code == 422


def test_groups_and_kinds_of_the_message_are_those_of_the_table():
    assert get_args(schema.Group) == tuple(group.value for group in Group)
    assert get_args(schema.CellKind) == tuple(kind.value for kind in CellKind)


def test_errors_are_raised_before_anything_is_computed(local: Viewer):
    with pytest.raises(ExpressionError, match="the table has no columns"):
        filter_runs(local, FilterQuery(where="a < 1"))
    with pytest.raises(ColumnNotFoundError):
        importance(local, ImportanceQuery(target="a"))
    assert json.loads(answer_pipelines(local, PipelinesQuery())) == {"marks": {}, "rows": [], "columns": []}
