# SPDX-License-Identifier: Apache-2.0
"""Offline sessions of ClearML, as directories and as ZIP files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindscope import open_runs
from mindscope.ingest.catalog import Catalog
from mindscope.store import RunStore
from mindscope.types import DialectName, Kind

from .checking import DATA, expected, only_run, points, read_with_damage

SESSION = next((DATA / "clearml").glob("offline-*"))


@pytest.fixture(params=["directory", "zip"])
def base(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A directory with the session."""
    if request.param == "zip":
        shutil.make_archive(str(tmp_path / SESSION.name), "zip", SESSION)
    else:
        shutil.copytree(SESSION, tmp_path / SESSION.name)
    return tmp_path


def test_scalars_are_those_that_were_reported(base: Path) -> None:
    store = only_run(base)
    reported = expected("clearml")
    reported["Summary/best"][0][0] = 5  # a value that a task has once is at its last step
    assert points(store) == {tag: [(step, value) for step, _, value in rows] for tag, rows in reported.items()}
    for tag, rows in reported.items():
        columns = store.scalars(tag).all()  # pyright: ignore[reportOptionalMemberAccess]
        assert columns.wall_time.tolist() == pytest.approx([time / 1e3 for _, time, _ in rows])
    assert (store.dialects, store.files[0].run_name) == ((DialectName.CLEARML,), "first")
    assert [note.values["what"] for note in store.files[0].notes] == ["plot"]
    assert not store.damages


def test_configuration_and_output_come_along(base: Path) -> None:
    (run,) = open_runs(base).values()
    params = run.hparams
    assert (params["lr"], params["width"], params["optimizer.name"], params["layers"]) == (0.1, 8, "sgd", "[1, 2]")
    assert (params["env/name"], params["env/notes"], params["env/tags"]) == ("first", "a note", "a, b")
    assert "a line of the script" in run.texts("output")[0].value[0]


def test_a_directory_and_its_zip_are_one_run_that_has_ended(tmp_path: Path) -> None:
    shutil.copytree(SESSION, tmp_path / SESSION.name)
    assert only_run(tmp_path).files[0].stopped_at is None
    shutil.make_archive(str(tmp_path / SESSION.name), "zip", SESSION)
    (facts,) = only_run(tmp_path).files
    assert facts.stopped_at == facts.size_bytes


def test_new_lines_are_read_on(tmp_path: Path) -> None:
    shutil.copytree(SESSION, tmp_path / SESSION.name)
    file = tmp_path / SESSION.name / "metrics.jsonl"
    lines = file.read_bytes()
    type = b'"type": "training_stats_scalar", "metric": "loss", "variant": "train"'
    event = b'{"timestamp": 1, "iter": 9, "value": 3, ' + type + b"}"
    catalog = Catalog(tmp_path)
    catalog.refresh()
    file.write_bytes(lines + b"[" + event)
    catalog.refresh()
    file.write_bytes(lines + b"[" + event + b"]\n")
    catalog.refresh()
    (store,) = catalog.runs.values()
    assert points(store)["loss/train"][-1] == (9, "3.0")
    assert len(points(store)["loss/train"]) == 7


def test_a_link_out_of_the_session_is_not_read(tmp_path: Path) -> None:
    shutil.copytree(SESSION, tmp_path / "base" / SESSION.name)
    (tmp_path / "secret.jsonl").write_text('[{"msg": "secret"}]\n')
    output = tmp_path / "base" / SESSION.name / "log.jsonl"
    output.unlink()
    output.symlink_to(tmp_path / "secret.jsonl")
    store = only_run(tmp_path / "base")
    assert [damage.kind.value for damage in store.damages] == ["unreadable"]
    assert store.references(Kind.TEXT, "output") is None


def test_damage_never_breaks_the_list(base: Path) -> None:
    def check(store: RunStore) -> None:
        assert len(store.files) == 1

    file = next(path for path in base.rglob("*") if path.name == "metrics.jsonl" or path.suffix == ".zip")
    assert set(read_with_damage(base, file, range(60), check)) <= {0, 1}
