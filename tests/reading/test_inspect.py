# SPDX-License-Identifier: Apache-2.0
"""Reports of what a run holds."""

from __future__ import annotations

import json
import math
from pathlib import Path

from typer.testing import CliRunner

import mindscope
from mindscope.cli import app
from mindscope.reading import inspect_run, open_run, open_runs
from tests.event_log import (
    DATA,
    LINEAGE_NAME,
    MINDSPORE_NAME,
    append,
    event,
    histogram,
    lineage,
    scalars,
    steps,
    version,
)
from tests.formats.test_videos import PICTURES

NAME = MINDSPORE_NAME.format(1)


def test_files_tags_and_damages(tmp_path: Path) -> None:
    bad = bytearray(steps([9]))
    bad[-1] ^= 1
    data = version() + steps([1, 2, 3, 2]) + event(5, histogram("w", [1])) + bytes(bad) + scalars(4, {"b": math.nan})
    append(tmp_path / NAME, data + b"\x00\x01\x02")
    report = inspect_run(open_run(tmp_path))
    (file,) = report.files
    assert (file.name, file.dialect, file.records, file.rest_bytes, file.damages) == (NAME, "mindspore", 7, 3, 1)
    tags = {(tag.kind, tag.tag): tag for tag in report.tags}
    loss, w, b = tags["scalar", "loss"], tags["histogram", "w"], tags["scalar", "b"]
    assert (loss.points, loss.overwritten, loss.repeated) == (3, 0, 1)
    assert (loss.first_step, loss.last_step, loss.last_value) == (1, 3, 2.0)
    assert (w.points, w.last_step, w.last_value) == (1, 5, None)
    assert b.last_value is not None
    assert math.isnan(b.last_value)
    (damage,) = report.damages
    assert (damage.kind, damage.file, damage.resumed_at) == ("payload_checksum", NAME, damage.offset + len(bad))
    assert damage.text.startswith(f"record at byte {damage.offset} of {NAME}: The checksum of its content is ")
    assert (report.last_step, report.first_wall_time, report.last_wall_time) == (5, 1.0, 5.0)


def test_hidden_points_are_counted_by_cause(tmp_path: Path) -> None:
    append(tmp_path / NAME, version() + steps([1, 2, 3, 4, 4]) + event(4, histogram("w", [1])))
    append(tmp_path / MINDSPORE_NAME.format(2), version() + steps([3, 5], begun=100.0))
    append(tmp_path / MINDSPORE_NAME.format(2), event(4, histogram("w", [2]), wall_time=104.0))
    tags = {tag.tag: (tag.points, tag.overwritten, tag.repeated) for tag in inspect_run(open_run(tmp_path)).tags}
    assert tags == {"loss": (4, 3, 0), "w": (1, 1, 0)}


def test_a_run_without_records(tmp_path: Path) -> None:
    (tmp_path / NAME).touch()
    report = inspect_run(open_run(tmp_path))
    assert (report.state, report.tags, report.first_wall_time, report.files[0].dialect) == ("empty", (), None, None)


def test_graphs_lineage_and_pipeline_of_a_real_run() -> None:
    report = inspect_run(open_runs(DATA / "mindspore")["ops"])
    (graph,) = report.graphs
    assert (graph.operations, graph.edges) == (102, 332)
    assert report.dataset_stages == ("Batch", "Map", "Map", "MnistDataset")
    assert report.lineage["optimizer"] == "Adam"
    assert inspect_run(open_runs(DATA / "tensorboard")["tb_all/run_a/1795227663.2305825"]).hparams["bs"] == 32.0


def test_a_failed_training_is_told_from_one_that_ended(tmp_path: Path) -> None:
    def told(name: str, exit_code: int | None) -> tuple[str | None, str]:
        run = mindscope.init(name=name, dir=tmp_path, system_metrics=False, files=False)
        run.log({"loss": 1.0})
        if exit_code is None:
            run.flush()
        else:
            run.finish(exit_code)
        printed = CliRunner().invoke(app, ["inspect", str(tmp_path / name)]).stdout
        outcome = inspect_run(open_run(tmp_path / name)).outcome
        run.finish()
        return outcome, printed.partition("(")[2].partition(",")[0]

    assert told("bad", 1) == ("failure", "failed")
    assert told("good", 0) == ("success", "finished")
    outcome, state = told("bad", None)  # it is resumed
    assert (outcome, state != "failed") == ("running", True)
    assert told("bad", 0) == ("success", "finished")
    (tmp_path / "other").mkdir()
    append(tmp_path / "other" / NAME, version() + steps([1, 2]))
    assert inspect_run(open_run(tmp_path / "other")).outcome is None


def test_videos_are_counted_as_such(tmp_path: Path) -> None:
    image = {"height": 6, "width": 8, "colorspace": 3, "encoded_image": PICTURES["looping"]}
    append(tmp_path / NAME, version() + event(3, {"tag": "walk", "image": image}) + steps([4]))
    report = inspect_run(open_run(tmp_path)).to_json()
    assert [(tag["kind"], tag["tag"], tag["points"], tag["last_step"]) for tag in report["tags"]] == [
        ("scalar", "loss", 1, 4),
        ("video", "walk", 1, 3),
    ]


def test_json_is_strict_and_says_not_finite_numbers_in_words(tmp_path: Path) -> None:
    append(tmp_path / NAME, version() + scalars(1, {"a": math.nan, "b": -math.inf, "名/x": math.inf}))
    train = {"algorithm": {"loss": math.inf}}
    append(tmp_path / LINEAGE_NAME.format(1), lineage({"train_lineage": train}))
    report = inspect_run(open_run(tmp_path)).to_json()
    again = json.loads(json.dumps(report, allow_nan=False))
    assert again == report
    assert {tag["tag"]: tag["last_value"] for tag in again["tags"] if tag["kind"] == "scalar"} == {
        "a": "NaN",
        "b": "-Infinity",
        "名/x": "Infinity",
    }
    assert again["lineage"]["loss"] == "Infinity"


def test_every_real_run_can_be_reported() -> None:
    for run in open_runs(DATA).values():
        report = json.loads(json.dumps(inspect_run(run).to_json(), allow_nan=False))
        assert report["tags"]
        assert report["damages"] == []


def test_damage_in_a_graph_is_reported(tmp_path: Path) -> None:
    from mindscope.formats import wire
    from mindscope.formats.frames import frame
    from mindscope.formats.mindspore_schemas import EVENT

    payload = bytearray(wire.encode(EVENT, {"wall_time": 1.0, "graph_def": {"name": "Broken"}}))
    payload[payload.index(b"Broken") - 1] = 0x7F
    append(tmp_path / NAME, version() + frame(bytes(payload)))
    report = inspect_run(open_run(tmp_path))
    assert report.graphs == ()
    assert [damage.kind for damage in report.damages] == ["message"]
