# SPDX-License-Identifier: Apache-2.0
"""Directories of DVCLive, against what pandas reads in their files of rows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindscope import open_run
from mindscope.ingest.catalog import Catalog
from mindscope.store import RunStore
from mindscope.types import DialectName

from .checking import DATA, expected, only_run, points, read_with_damage


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A copy, in a directory of runs."""
    return Path(shutil.copytree(DATA / "dvclive", tmp_path / "run"))


def test_values_are_those_of_pandas(log: Path) -> None:
    store = only_run(log.parent)
    assert points(store) == {tag: [(step, value) for step, value in rows] for tag, rows in expected("dvclive").items()}
    assert store.dialects == (DialectName.DVCLIVE,)
    assert not store.damages
    assert [Path(file.path).name for file in store.settings] == ["params.yaml"]
    assert [note.values["what"] for note in store.files[0].notes if note.code == "tracker_left_out"] == [
        "sklearn/confusion_matrix.json"
    ]


def test_images_in_a_folder_of_steps_have_these_steps(log: Path) -> None:
    run = open_run(log)
    assert [sample.step for sample in run.images("samples")] == [0, 2, 4]
    (last,) = run.images("last.png")
    assert last.step == 5
    assert last.value[0].encoded == (log / "plots" / "images" / "last.png").read_bytes()


def test_new_rows_and_metrics_are_read_on(log: Path) -> None:
    catalog = Catalog(log.parent)
    catalog.refresh()
    metrics = log / "plots" / "metrics"
    with (metrics / "train" / "loss.tsv").open("a") as file:
        file.write("6\t0.5\n7\t0.2")
    (metrics / "new.tsv").write_text("step\tnew\n6\t1\n")
    while not catalog.poll():
        pass
    (store,) = catalog.runs.values()
    assert points(store)["train/loss"][-1] == (6, "0.5")
    catalog.refresh()
    assert points(store)["new"] == [(6, "1.0")]


def test_a_run_that_begins_again_replaces_the_values(log: Path) -> None:
    catalog = Catalog(log.parent)
    catalog.refresh()
    shutil.rmtree(log / "plots" / "metrics")
    (log / "plots" / "metrics").mkdir()
    (log / "plots" / "metrics" / "loss.tsv").write_text("step\tloss\n0\t9\n")
    catalog.refresh()
    (store,) = catalog.runs.values()
    assert points(store) == {"loss": [(0, "9.0")]}
    assert not store.damages


def test_damage_never_breaks_the_list(log: Path) -> None:
    def check(store: RunStore) -> None:
        assert all(damage.kind.value != "unreadable" for damage in store.damages)

    file = log / "plots" / "metrics" / "train" / "loss.tsv"
    assert set(read_with_damage(log.parent, file, range(100), check)) == {1}
