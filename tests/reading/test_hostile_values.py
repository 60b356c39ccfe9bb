# SPDX-License-Identifier: Apache-2.0
"""Hostile values: each is a damage with its place, and hides neither what is beside it nor another run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindscope.alerts import CHECKS, check_rule, find_alerts
from mindscope.errors import FormatError
from mindscope.ingest.file_segment import FileSegment
from mindscope.lineage import read_eval_lineage
from mindscope.reading import ExportOptions, export_runs, inspect_run, open_runs
from mindscope.types import DamageKind, Image
from tests.event_log import MINDSPORE_NAME, append, scalars, steps, version
from tests.hostile_values import PICTURES, nested_json, write_good_run, write_hostile_run


@pytest.fixture
def base(tmp_path: Path) -> Path:
    write_good_run(tmp_path / "good")
    write_hostile_run(tmp_path / "hostile")
    return tmp_path


def test_every_run_is_opened_and_every_hostile_value_has_a_place(base: Path) -> None:
    runs = open_runs(base)
    assert list(runs) == ["good", "hostile"]
    assert runs["good"].scalars("loss").step.tolist() == [0, 1, 2, 3, 4]
    hostile = runs["hostile"]
    assert hostile.scalars("good").value.tolist() == [0.5, 1.5]
    assert hostile.scalars("hostile").step.tolist() == [4]
    assert hostile.scalars("loss").step.tolist() == [1, 2, 3]
    report = inspect_run(hostile)
    assert json.loads(json.dumps(report.to_json()))
    by_file = [damage.file.rpartition("_")[2] for damage in hostile.damages]
    assert {damage.kind for damage in hostile.damages} == {DamageKind.MESSAGE}
    assert by_file.count("lineage") == 2
    assert len([each for each in by_file if "tfevents" in each]) == 4
    assert all(damage.resumed_at for damage in hostile.store.damages)


def test_lineage_and_landscapes_keep_what_is_intact(base: Path) -> None:
    hostile = open_runs(base)["hostile"]
    assert hostile.lineage.row()["metric/acc"] == 0.5
    assert hostile.lineage.row()["metric/half \\ud800"] == "\\udfff"
    assert list(hostile.landscapes()) == ["no point"]
    assert hostile.landscapes()["no point"].convergence_point is None


def test_export_goes_on_with_the_next_value(base: Path, tmp_path: Path) -> None:
    report = export_runs(open_runs(base), tmp_path / "out", ExportOptions(histogram_format="csv"))
    (failure,) = report.failures
    assert failure.startswith("tensor 'deep' at step 9: This tensor has 71 dimensions")
    names = {path.relative_to(tmp_path / "out").as_posix() for path in report.files}
    assert {"good/scalars.csv", "hostile/scalars.csv", "hostile/tensors/deep/10.npy"} <= names


def test_the_watch_goes_on_with_the_next_run(base: Path) -> None:
    (base / "diverged").mkdir()
    nan = scalars(1, {"loss": float("nan")})
    append(base / "diverged" / MINDSPORE_NAME.format(1), version() + nan)
    assert {alert.run for alert in find_alerts(base, [check_rule(name) for name in CHECKS])} == {"diverged"}


@pytest.mark.parametrize("picture", PICTURES)
def test_pixels_raise_our_error_only(picture: str) -> None:
    with pytest.raises(FormatError, match="This value is no valid image: "):
        Image(1, 1, 3, PICTURES[picture]).pixels()


@pytest.mark.parametrize("depth", [99, 100, 101, 5000])
def test_json_is_as_deep_as_programs_walk(depth: int) -> None:
    if depth <= 100:
        assert read_eval_lineage({"metric": nested_json(depth)}).metric is not None
        return
    with pytest.raises(FormatError, match="nested deeper than 100"):
        read_eval_lineage({"metric": nested_json(depth)})


def test_a_file_on_which_reading_fails_costs_that_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is raised: here an error that no byte is known to raise, in the middle of one of three files."""
    (tmp_path / "run").mkdir()
    for number in range(3):
        data = version() + steps(range(number * 100, number * 100 + 100))
        append(tmp_path / "run" / MINDSPORE_NAME.format(number), data)
    read = FileSegment.read

    def failing(stretch: FileSegment, stop: int, end: int) -> None:
        read(stretch, stop, end)
        if stretch.reader.file == MINDSPORE_NAME.format(1):
            raise ZeroDivisionError("of the test")

    monkeypatch.setattr(FileSegment, "read", failing)
    run = open_runs(tmp_path)["run"]
    (damage,) = run.damages
    assert (damage.file, damage.kind) == (MINDSPORE_NAME.format(1), DamageKind.UNREADABLE)
    assert "ZeroDivisionError: of the test" in str(damage)
    assert run.scalars("loss").step.tolist() == list(range(300))
