# SPDX-License-Identifier: Apache-2.0
"""Logs of MLflow, from its database and from its file store: what its own client reads in them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from mindscope.reading import Run, open_runs
from mindscope.reading.hparams_sessions import read_hparams
from mindscope.reading.whole_values import WholeValues
from mindscope.types import Kind

from .packed_logs import expected, rows, unpack

STORES = ("mlflow", "mlflow_files")
LARGEST = "1.7976931348623157e+308"
each_store = pytest.mark.parametrize("store", STORES)


def ids(base: Path) -> dict[str, Run]:
    """The runs by their id of MLflow."""
    return {id.rpartition("/")[2]: run for id, run in open_runs(base).items()}


@pytest.fixture
def first(tmp_path: Path) -> Run:
    unpack("mlflow", tmp_path)
    return named(tmp_path, "first")


def named(base: Path, name: str) -> Run:
    return next(run for run in open_runs(base).values() if run.name.endswith(f"/{name}"))


@each_store
def test_numbers_are_those_of_the_client(tmp_path: Path, store: str) -> None:
    runs, oracle = ids(unpack(store, tmp_path)), expected(store)
    assert runs.keys() == oracle.keys()
    count = 0
    for id, want in oracle.items():
        assert set(runs[id].tags(Kind.SCALAR)) == want["metrics"].keys()
        for key, points in want["metrics"].items():
            values = [(step, round(time / 1000, 3), value.replace(LARGEST, "inf")) for step, time, value in points]
            assert sorted(rows(runs[id], key)) == sorted(values)
            count += len(values)
    assert count == 54


@each_store
def test_parameters_and_facts_are_those_of_the_client(tmp_path: Path, store: str) -> None:
    runs = ids(unpack(store, tmp_path))
    for id, want in expected(store).items():
        got = runs[id].hparams
        params = {name: value for name, value in got.items() if not name.startswith("env/")}
        assert {name: text(value) for name, value in params.items()} == want["params"]
        facts = {name.removeprefix("env/"): value for name, value in got.items() if name.startswith("env/")}
        assert facts["name"] == want["name"]
        assert facts["experiment"] == want["experiment"]
        tags = want["tags"]
        assert facts.get("notes") == tags.get("mlflow.note.content")
        assert facts.get("parent_run") == tags.get("mlflow.parentRunId")
        assert facts.get("tag/team") == tags.get("team")
        assert facts.get("program") == tags.get("mlflow.source.name")
        assert runs[id].name.endswith(f"{want['experiment']}/{want['name']}")


def text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


@each_store
def test_states_are_those_of_the_client(tmp_path: Path, store: str) -> None:
    runs = ids(unpack(store, tmp_path))
    statuses = {"FINISHED": "success", "FAILED": "failure", "RUNNING": None}
    for id, want in expected(store).items():
        data = read_hparams(WholeValues(runs[id].store).all_of)
        assert (data.start, data.end) == (want["start_time"] / 1000, want["end_time"] and want["end_time"] / 1000)
        assert data.status == statuses[want["status"]]
        assert data.group == want["experiment"]
        (facts,) = runs[id].store.files
        assert facts.is_closed == (want["status"] != "RUNNING")


@each_store
def test_artifacts_are_shown_and_the_others_counted(tmp_path: Path, store: str) -> None:
    run = named(unpack(store, tmp_path), "first")
    images = run.images("val/samples")
    assert [image.step for image in images] == [0, 4]
    assert [int(image.value[0].pixels().max()) for image in images] == [0, 80]
    assert run.images("chart.png")[0].value[0].pixels().shape == (6, 8, 3)
    (table,) = run.tables("eval/table.json")
    assert [(column.name, column.values) for column in table.value.columns] == [
        ("question", ("a", "b")),
        ("score", (1, 2.5)),
    ]
    assert run.texts("note.txt")[0].value == ("hello\n",)
    (facts,) = run.store.files
    assert {note.values["what"]: note.values["count"] for note in facts.notes} == {"models": 1, "artifacts": 1}


def test_a_migrated_run_is_one_run(tmp_path: Path) -> None:
    unpack("mlflow_files", tmp_path)
    unpack("mlflow", tmp_path / "database")
    before = set(ids(tmp_path))
    id = next(iter(expected("mlflow_files")))
    with sqlite3.connect(tmp_path / "database" / "mlflow.db") as database:
        database.execute("UPDATE runs SET run_uuid = ? WHERE name = 'first'", (id,))
    database.close()
    shutil.copytree(tmp_path / "database", tmp_path / "copies" / "of" / "it")
    runs = open_runs(tmp_path)
    assert len(runs) == len(before) - 1
    (run,) = [run for run in runs if run.endswith(id)]
    assert run.startswith("mlruns/")


def test_artifacts_are_found_beside_a_database_of_another_machine(first: Run) -> None:
    assert first.images("chart.png")[0].value[0].height == 6


def test_a_database_names_no_other_directory(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "passwords.txt").write_text("hunter2")
    base = unpack("mlflow", tmp_path / "base")
    shutil.rmtree(base / "mlruns")
    with sqlite3.connect(base / "mlflow.db") as database:
        database.execute("UPDATE runs SET artifact_uri = ?", (f"file://{secret}",))
    database.close()
    assert not any(run.tags(Kind.TEXT) for run in open_runs(base).values())


def test_runs_of_a_deleted_experiment_are_not_shown(tmp_path: Path) -> None:
    unpack("mlflow", tmp_path)
    with sqlite3.connect(tmp_path / "mlflow.db") as database:
        database.execute("UPDATE experiments SET lifecycle_stage = 'deleted' WHERE name = 'Default'")
    database.close()
    assert {run.name.rpartition("/")[2] for run in open_runs(tmp_path).values()} == {"first", "child", "failing"}


def test_a_run_without_an_end_is_not_growing_because_its_copy_is_new(tmp_path: Path) -> None:
    unpack("mlflow", tmp_path)
    os.utime(tmp_path / "mlflow.db")
    (facts,) = named(tmp_path, "running").store.files
    assert not facts.is_growing(time.time())
