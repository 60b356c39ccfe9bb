# SPDX-License-Identifier: Apache-2.0
"""Logs of Trackio: what its own storage reads in them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.ingest import Catalog
from mindscope.reading import Run, open_runs
from mindscope.reading.hparams_sessions import read_hparams
from mindscope.reading.whole_values import WholeValues
from mindscope.types import Kind

from .packed_logs import expected, rows, unpack

FIRST = next(id for id, run in expected("trackio").items() if run["name"] == "first")
NUMBERS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Run]:
    return {id.rpartition("/")[2]: run for id, run in open_runs(unpack("trackio", tmp_path)).items()}


def leaves(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict) and "_type" not in value:
            yield from leaves(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def test_numbers_are_those_of_its_storage(runs: dict[str, Run]) -> None:
    count = 0
    for id, want in expected("trackio").items():
        series: dict[str, list[tuple[int, float, str]]] = {}
        for row in want["logs"]:
            time = round(datetime.fromisoformat(row.pop("timestamp")).timestamp(), 3)
            step = row.pop("step")
            for name, value in leaves(row):
                if isinstance(value, (int, float)):
                    series.setdefault(name, []).append((step, time, repr(float(value))))
        assert set(runs[id].tags(Kind.SCALAR)) - {"system/gpu/0/utilization"} == series.keys()
        for name, points in series.items():
            assert rows(runs[id], name) == points
            count += len(points)
    assert count == 69


def test_metrics_of_the_machine_are_numbered(runs: dict[str, Run]) -> None:
    points = rows(runs[FIRST], "system/gpu/0/utilization")
    want = expected("trackio")[FIRST]["system"]
    assert [(step, value) for step, _, value in points] == [(0, "50.0"), (1, "75.0")]
    assert [time for _, time, _ in points] == [
        round(datetime.fromisoformat(row["timestamp"]).timestamp(), 3) for row in want
    ]


def test_configuration_and_group(runs: dict[str, Run]) -> None:
    want = expected("trackio")[FIRST]["config"]
    got = {name: value for name, value in runs[FIRST].hparams.items() if not name.startswith("env/")}
    assert got == {"lr": want["lr"], "layers": json.dumps(want["layers"]), "net.depth": want["net"]["depth"]}
    assert read_hparams(WholeValues(runs[FIRST].store).all_of).group == want["_Group"]
    assert runs[FIRST].name == "digits.db/first"


def test_media_tables_and_alerts(runs: dict[str, Run]) -> None:
    run, log = runs[FIRST], expected("trackio")[FIRST]
    row = next(row for row in log["logs"] if row["step"] == 50)
    assert np.array_equal(run.images("image")[0].value[0].pixels()[..., :3], np.full((6, 8, 3), 80, np.uint8))
    (table,) = run.tables("table")
    assert {column.name: list(column.values) for column in table.value.columns} == {
        name: [cells[name] for cells in row["table"]["_value"]] for name in ("word", "score")
    }
    histograms = run.histograms("weights")
    assert histograms.step.tolist() == [50]
    assert run.texts("report")[0].value == (row["report"]["_value"],)
    assert run.texts("note")[0].value == (row["note"],)
    (alert,) = log["alerts"]
    assert run.texts("alerts")[0].step == alert["step"]
    assert run.texts("alerts")[0].value == (f"**WARN: {alert['title']}**\n\n{alert['text']}",)
    (facts,) = run.store.files
    assert [(note.code, dict(note.values)) for note in facts.notes] == [
        ("tracker_left_out", {"what": "lists", "count": 1})
    ]


def test_a_database_without_ids_of_runs_is_read(runs: dict[str, Run]) -> None:
    run = runs["quiet-sun-0"]
    assert [value for _, _, value in rows(run, "loss")] == ["0.5", "1.5", "2.5"]
    assert run.hparams["lr"] == 0.5


def test_new_rows_and_new_runs_are_seen_and_deleted_ones_go(tmp_path: Path) -> None:
    unpack("trackio", tmp_path)
    catalog = Catalog(tmp_path)
    catalog.refresh()
    database = sqlite3.connect(tmp_path / "digits.db")
    time = "2026-12-01T00:00:00+00:00"
    insert = "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)"
    for number in range(6):  # with several runs, rows are found by an index
        database.execute(insert, (f"new-{number}", time, f"name {number}", 0, b'{"loss": 1}'))
    database.execute(insert, (FIRST, time, "first", 60, b'{"loss": 9.5}'))
    database.commit()
    catalog.refresh()
    assert {f"digits.db/new-{number}" for number in range(6)} <= catalog.runs.keys()
    assert last_loss(catalog, FIRST) == 9.5
    database.execute("DELETE FROM metrics WHERE run_id = 'new-3' OR step = 60")
    database.execute(insert, (FIRST, time, "first", 61, b'{"loss": "NaN", "torn'))
    database.commit()
    database.close()
    catalog.refresh()
    assert "digits.db/new-3" not in catalog.runs
    assert last_loss(catalog, FIRST) == 0.03125
    (facts,) = catalog.runs[f"digits.db/{FIRST}"].files
    assert [damage.detail.code for damage in facts.damages] == ["file_exchanged", "tracker_rows_damaged"]


def test_rows_of_other_values_stay_between_the_numbers(tmp_path: Path) -> None:
    unpack("trackio", tmp_path)
    with sqlite3.connect(tmp_path / "older.db") as database:
        insert = (
            "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('2025-09-01T10:00:00Z', 'mixed', ?, ?)"
        )
        for step, value in enumerate(["1", '"NaN"', "2", '"Infinity"', "true", '"text"', "3"]):
            database.execute(insert, (step, f'{{"a": {value}}}'))
    database.close()
    run = open_runs(tmp_path)["older.db/mixed"]
    points = [(step, value) for step, _, value in rows(run, "a")]
    assert points == [(0, "1.0"), (1, "nan"), (2, "2.0"), (3, "inf"), (4, "1.0"), (6, "3.0")]
    assert [text.value for text in run.texts("a")] == [("text",)]


def last_loss(catalog: Catalog, id: str) -> float:
    series = catalog.runs[f"digits.db/{id}"].scalars("loss")
    assert series is not None
    return float(series.visible().value[-1])
