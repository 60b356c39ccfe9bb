# SPDX-License-Identifier: Apache-2.0
"""Logs of W&B are runs like any other: every value as wandb itself stored it, whatever happened to the file."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope import open_runs
from mindscope.ingest import Catalog
from mindscope.reading import Run
from mindscope.trackers.record_log import BLOCK, HEAD
from mindscope.types import Kind

DATA = Path(__file__).parent / "data"
EXPECTED: dict[str, list[dict[str, str]]] = json.loads((DATA / "wandb.expected.json").read_text())
FIRST, SECOND, FAILED = sorted(EXPECTED)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "wandb", tmp_path / "wandb")
    return tmp_path


def opened(base: Path) -> dict[str, Run]:
    return {run.store.name: run for run in open_runs(base).values()}


def scalars(run: Run, tag: str) -> dict[int, float]:
    points = run.scalars(tag)
    return dict(zip(points.step.tolist(), points.value.tolist(), strict=True))


def rows_of(log: str) -> list[dict[str, Any]]:
    return [{name: json.loads(text) for name, text in row.items()} for row in EXPECTED[log]]


def test_every_number_is_the_one_of_wandb(base: Path) -> None:
    run = opened(base)["wandb/sunny-dew-3"]
    first, second = rows_of(FIRST), rows_of(SECOND)
    rows = {**{row["_step"]: row for row in first}, **{len(first) + row["_step"]: row for row in second}}
    assert len(rows) == 17
    numbers = {name for row in first for name, value in row.items() if isinstance(value, (int, float))}
    tags = {name for name in numbers if not name.startswith("_") and name.split("/")[0] not in MEDIA}
    assert tags == {"loss", "val/acc", "nested/a", "nested/b/c", "large", "odd", "flag"}
    for tag in tags:
        points = scalars(run, tag)
        np.testing.assert_array_equal(list(points.values()), [float(row[tag]) for row in rows.values()])
        assert list(points) == list(rows)
    times = run.scalars("loss").wall_time
    np.testing.assert_array_equal(times, [row["_timestamp"] for row in rows.values()])


MEDIA = ("picture", "pictures", "weights", "cells", "page", "sound", "points", "words")


def test_values_of_other_kinds_have_their_files(base: Path) -> None:
    run = opened(base)["wandb/sunny-dew-3"]
    files = base / Path(FIRST).parent / "files" / "media"
    assert {kind for kind, count in run.store.tag_counts().items() if count} >= {
        Kind.IMAGE, Kind.HISTOGRAM, Kind.TABLE, Kind.HTML, Kind.AUDIO, Kind.TEXT,
    }  # fmt: skip
    picture, pictures = run.images("picture"), run.images("pictures")
    assert picture.step.tolist() == pictures.step.tolist() == [0, 4, 8]
    (image,) = picture[1].value
    assert (image.width, image.height) == (6, 4)
    assert image.encoded == next((files / "images").glob("picture_4_*")).read_bytes()
    assert np.all(image.pixels() == 4)
    assert [int(each.pixels().max()) for each in pictures[2].value] == [0, 255]
    histogram = run.histograms("weights")[0].value
    assert (histogram.left.tolist(), histogram.count.tolist()) == ([0.0, 0.5, 1.0], [1, 2, 3])
    assert histogram.right.tolist() == [0.5, 1.0, 2.0]
    table = run.values(Kind.TABLE, "cells")[0].value
    assert [(column.name, column.values) for column in table.columns] == [("text", ("x", "y")), ("number", (1, 2.5))]
    assert "<b>8</b>" in run.values(Kind.HTML, "page")[2].value
    assert (run.audio("sound")[0].value.sample_rate, run.audio("sound")[0].value.frames) == (8000, 80)
    assert run.values(Kind.TEXT, "words")[1].value == ("words of 4",)
    assert "Low accuracy" in run.values(Kind.TEXT, "alerts")[0].value[0]


def test_configuration_facts_and_state_come_along(base: Path) -> None:
    runs = opened(base)
    run, failed = runs["wandb/sunny-dew-3"], runs["wandb/red-sky-4"]
    values = run.hparams
    assert values["lr"] == 0.1
    assert (values["model.width"], values["model.act"]) == (64, "relu")
    assert values["env/notes"] == "the first try"
    assert values["env/tags"] == "a, b"
    assert values["env/host"] == "laptop"
    assert (run.store.state(time.time()), failed.store.state(time.time())) == ("finished", "finished")
    assert scalars(run, "summary/best") == {11: 0.25, 16: 0.25}
    assert any(tag.startswith("system/") for tag in run.tags(Kind.SCALAR))


def test_a_run_that_was_resumed_offline_is_one_and_says_so(base: Path) -> None:
    runs = open_runs(base)
    assert len(runs) == 2
    run = opened(base)["wandb/sunny-dew-3"]
    assert [note.code for note in run.store.notes] == ["tracker_left_out", "tracker_joined"]
    assert run.store.notes[1].values["step"] == 12
    assert [note.code for note in opened(base)["wandb/red-sky-4"].store.notes] == []


def test_copies_and_links_of_a_run_are_one(base: Path) -> None:
    (base / "wandb" / "latest-run").symlink_to((base / FAILED).parent.name)
    shutil.copytree(base / "wandb", base / "backup" / "wandb", symlinks=True)
    assert len(open_runs(base)) == 2
    assert not open_runs(base).problems


def test_one_directory_opens_alone(base: Path) -> None:
    directory = (base / FAILED).parent
    (run,) = open_runs(directory).values()
    assert scalars(run, "nested/a") == {0: 0.0, 1: 1.0, 2: 2.0}


def test_a_log_that_grows_is_followed(base: Path) -> None:
    """Each cut may be anywhere, as a training that is written has it; no value comes twice or too late."""
    log = base / FIRST
    whole = log.read_bytes()
    shutil.rmtree((base / SECOND).parent)
    log.write_bytes(whole[: HEAD.size])
    catalog = Catalog(base, base / "workspace")
    catalog.refresh()
    for stop in range(HEAD.size, len(whole), 997):
        with log.open("r+b") as file:
            file.write(whole[:stop])
        catalog.poll()
    log.write_bytes(whole)
    catalog.refresh()
    store = next(store for store in catalog.runs.values() if "first1" in store.id)
    series = store.scalars("loss")
    assert series is not None
    assert series.visible().step.tolist()[:12] == list(range(12))
    assert not store.damages
    catalog.close()


def test_the_cache_continues_where_it_ended(base: Path, tmp_path: Path) -> None:
    def read() -> tuple[int, dict[str, list[float]], list[str]]:
        catalog = Catalog(base, tmp_path / "workspace")
        catalog.refresh()
        losses = {
            id: series.visible().value.tolist()
            for id, store in catalog.runs.items()
            if (series := store.scalars("loss"))
        }
        notes = [note.code for store in catalog.runs.values() for note in store.notes]
        catalog.wait_until_saved()
        catalog.close()
        return catalog.scanned_bytes, losses, notes

    first, second = read(), read()
    assert first[0] > 0
    assert second == (0, *first[1:])
    assert sorted(map(len, first[1].values())) == [3, 17]
    assert "tracker_joined" in first[2]


def test_a_replaced_log_is_read_again(base: Path) -> None:
    log = base / FAILED
    other = base / FIRST
    catalog = Catalog(log.parent)
    catalog.refresh()
    log.write_bytes(other.read_bytes())
    catalog.refresh()
    (store,) = catalog.runs.values()
    series = store.scalars("loss")
    assert series is not None
    assert len(series.visible()) == 12
    assert [damage.detail.code for damage in store.damages] == ["file_exchanged"]  # pyright: ignore[reportAttributeAccessIssue]


def test_damage_is_named_and_the_rest_is_read(base: Path) -> None:
    log = base / FIRST
    data = bytearray(log.read_bytes())
    data += bytes(-len(data) % BLOCK)  # whole blocks, so that a damaged one is known to be complete
    data[5000] ^= 255
    log.write_bytes(data)
    (run,) = open_runs(log.parent).values()
    assert run.store.damages
    assert all(str(damage).startswith("record at byte") for damage in run.store.damages)


def test_a_name_that_leads_out_of_the_run_is_refused(base: Path) -> None:
    run = opened(base)["wandb/sunny-dew-3"]
    picture = base / Path(FIRST).parent / "files" / "media" / "images"
    (base / "secret.png").write_bytes(b"secret")
    file = next(picture.glob("picture_4_*"))
    file.unlink()
    file.symlink_to(base / "secret.png")
    with pytest.raises(Exception, match="not in the directory of the run"):
        _ = run.images("picture")[1].value
    assert len(run.images("picture")[0].value) == 1


@given(st.data())
def test_no_bytes_of_a_log_end_the_reader(data: st.DataObject) -> None:
    import tempfile

    log = bytearray((DATA / FIRST).read_bytes())
    for at in data.draw(st.lists(st.integers(0, len(log) - 1), max_size=20)):
        log[at] = data.draw(st.integers(0, 255))
    del log[data.draw(st.integers(0, len(log))) :]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "run-first1.wandb")
        path.write_bytes(log)
        for run in open_runs(directory).values():
            for kind, tag in run.store.series:
                if kind is not Kind.SCALAR:
                    for value in run.values(kind, tag):
                        try:
                            _ = value.value
                        except Exception as error:
                            assert type(error).__name__ in ("FormatError",), repr(error)  # noqa: PT017
