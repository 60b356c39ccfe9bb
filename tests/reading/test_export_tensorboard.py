# SPDX-License-Identifier: Apache-2.0
"""An export as TensorBoard's logs holds what a run shows, in one file for sample run, and mixes with nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mindscope import SummaryRecord, SummaryWriter
from mindscope.cli.app import app
from mindscope.errors import ExportError, TagNotFoundError
from mindscope.reading import ExportOptions, Run, export_tensorboard, open_runs
from mindscope.types import Kind
from tests.event_log import (
    DATA,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    event,
    histogram,
    scalars,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
)


def exported(tmp_path: Path, **options: Any) -> Run:
    """The run ``run`` of an export of ``tmp_path/logs``."""
    export_tensorboard(open_runs(tmp_path / "logs"), tmp_path / "out", ExportOptions(**options))
    return open_runs(tmp_path / "out")["run"]


def write(tmp_path: Path, *records: bytes, name: str = MINDSPORE_NAME.format(1)) -> None:
    directory = tmp_path / "logs" / "run"
    directory.mkdir(parents=True, exist_ok=True)
    append(directory / name, b"".join(records))


def test_mindscope_reads_all_values_back(tmp_path: Path) -> None:
    runs = open_runs(DATA / "mindspore")
    export_tensorboard(runs, tmp_path)
    again = open_runs(tmp_path)
    assert set(again) == set(runs)
    for id, run in runs.items():
        got = again[id]
        assert got.damages == ()
        for tag in run.tags("scalar"):
            want, mine = run.scalars(tag), got.scalars(tag)
            for name in ("step", "wall_time", "value"):
                np.testing.assert_array_equal(getattr(mine, name), getattr(want, name))
        for kind in (Kind.IMAGE, Kind.TENSOR, Kind.HISTOGRAM):
            assert set(run.tags(kind)) == set(got.tags(kind))
            for tag in run.tags(kind):
                for one, other in zip(run.values(kind, tag), got.values(kind, tag), strict=True):
                    assert (one.step, one.wall_time) == (other.step, other.wall_time)
                    check_value(kind, other.value, one.value)


def check_value(kind: Kind, got: Any, want: Any) -> None:
    if kind is Kind.TENSOR:
        assert got.value.dtype == want.value.dtype
        np.testing.assert_array_equal(got.value, want.value)
    elif kind is Kind.HISTOGRAM:
        assert (got.minimum, got.maximum, got.sum, got.total) == (want.minimum, want.maximum, want.sum, want.total)
        np.testing.assert_array_equal(got.count[got.count > 0], want.count[want.count > 0])
    else:
        assert got == want


def test_numbers_beyond_float32_are_exact(tmp_path: Path) -> None:
    numbers = [1e300, 1e-300, 2.0**53 - 1, 0.5, math.nan, -math.inf]
    with SummaryRecord(str(tmp_path / "logs" / "run")) as record:
        for step, number in enumerate(numbers):
            record.add_value("scalar", "wide", number)
            record.add_value("scalar", "narrow", 0.5)
            record.record(step)
    run = exported(tmp_path)
    assert run.scalars("wide").value.dtype == np.float64
    np.testing.assert_array_equal(run.scalars("wide").value, numbers)
    assert run.scalars("narrow").value.dtype == np.float32


def test_what_a_restart_replaced_stays_hidden(tmp_path: Path) -> None:
    write(tmp_path, version(), steps(range(10)))
    write(tmp_path, version(), steps(range(5, 8), first_value=100, begun=1000), name=MINDSPORE_NAME.format(2))
    visible = exported(tmp_path).scalars("loss", overwritten=True)
    assert visible.step.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert visible.value.tolist() == [0, 1, 2, 3, 4, 100, 101, 102]
    everything = exported(tmp_path, overwritten=True, overwrite=True)
    assert everything.scalars("loss", overwritten=True).step.tolist() == [*range(10), *range(5, 8)]


def test_a_tag_of_two_kinds_gets_two_names(tmp_path: Path) -> None:
    write(tmp_path, version(), scalars(1, {"same": 2.0}), event(1, histogram("same", [1, 2])))
    run = exported(tmp_path)
    assert run.tags("scalar") == ("same",)
    assert run.tags("histogram") == ("same (histogram)",)


def test_the_first_value_of_a_tag_names_its_plugin(tmp_path: Path) -> None:
    """Later values rely on the metadata of one that a restart has hidden."""
    text = {"dtype": 7, "string_val": [b"old"], "tensor_shape": {"dim": [{"size": 1}]}}
    named = {"tag": "note", "metadata": {"plugin_data": {"plugin_name": "text"}}, "tensor": text}
    plain = {"tag": "note", "tensor": {**text, "string_val": [b"new"]}}
    write(tmp_path, tensorboard_version(), tensorboard_event(5, named), tensorboard_event(6, plain),
          name=TENSORBOARD_NAME.format(1))  # fmt: skip
    late = [tensorboard_event(step, {**plain, "tensor": {**text, "string_val": [b"newer"]}}, wall_time=100.0 + step)
            for step in (1, 2)]  # fmt: skip
    write(tmp_path, tensorboard_version(), *late, name=TENSORBOARD_NAME.format(2))
    assert open_runs(tmp_path / "logs")["run"].texts("note").step.tolist() == [1, 2]
    run = exported(tmp_path)
    assert [(sample.step, sample.value) for sample in run.texts("note")] == [(1, ("newer",)), (2, ("newer",))]


def test_parameters_of_all_calls_are_one_session(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "logs" / "run")) as writer:
        writer.add_hparams({"lr": 0.1, "name": "x"}, {"best": 1.0}, run_name=".")
        writer.add_hparams({"lr": 0.2, "deep": True}, {"best": 2.0}, run_name=".")
    run = exported(tmp_path)
    assert run.hparams == {"lr": 0.2, "name": "x", "deep": True}
    assert len(run.values("hparams", "_hparams_/session_start_info")) == 1


def test_a_cut_log_is_exported_up_to_the_cut(tmp_path: Path) -> None:
    sparse = {"tag": "weights", "histogram": {"buckets": [{"left": 0.0, "width": 1.0, "count": 1}]}}
    cut = event(2, {"tag": "image", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b""}})
    write(tmp_path, version(), scalars(1, {"loss": 1.0}), event(1, sparse), cut, scalars(2, {"loss": 2.0}))
    path = tmp_path / "logs" / "run" / MINDSPORE_NAME.format(1)
    path.write_bytes(path.read_bytes()[:-7])  # the last record is cut
    result = CliRunner().invoke(
        app, ["export", str(tmp_path / "logs"), "--format", "tensorboard", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 0, result.output
    run = open_runs(tmp_path / "out")["run"]
    assert run.scalars("loss").value.tolist() == [1.0]
    assert run.histograms("weights")[0].value.count.tolist() == [1.0]
    assert run.damages == ()


def test_undecodable_tensors_fail_alone(tmp_path: Path) -> None:
    bad = {"tag": "t", "tensor": {"dims": [3], "data_type": 12, "float_data": np.ones(2, np.float32)}}
    good = {"tag": "t", "tensor": {"dims": [2], "data_type": 12, "float_data": np.ones(2, np.float32)}}
    write(tmp_path, version(), event(1, bad), event(2, good))
    report = export_tensorboard(open_runs(tmp_path / "logs"), tmp_path / "out")
    assert len(report.failures) == 1
    assert "tensor 't' at step 1" in report.failures[0]
    assert open_runs(tmp_path / "out")["run"].tensors("t").step.tolist() == [2]


def test_what_has_no_form_is_counted(tmp_path: Path) -> None:
    report = export_tensorboard(open_runs(DATA / "mindspore" / "landscape"), tmp_path / "out")
    assert any("of kind landscape" in sample for sample in report.skipped)
    assert export_tensorboard(open_runs(DATA / "tensorboard"), tmp_path / "tb").skipped == ()


def test_kinds_and_tags_choose(tmp_path: Path) -> None:
    runs = open_runs(DATA / "tensorboard")
    export_tensorboard(runs, tmp_path, ExportOptions(kinds=(Kind.SCALAR,), tags=("l*",)))
    run = open_runs(tmp_path)["tb_all/run_a"]
    assert run.kinds == (Kind.SCALAR,)
    assert run.tags("scalar") == tuple(tag for tag in runs["tb_all/run_a"].tags("scalar") if tag.startswith("l"))
    with pytest.raises(TagNotFoundError, match="nothing"):
        export_tensorboard(runs, tmp_path / "none", ExportOptions(tags=("nothing",)))
    assert not (tmp_path / "none").exists()


def test_nothing_is_replaced_or_mixed_unasked(tmp_path: Path) -> None:
    write(tmp_path, version(), steps(range(3)))
    runs = open_runs(tmp_path / "logs")
    export_tensorboard(runs, tmp_path / "out")
    (file,) = (tmp_path / "out" / "run").iterdir()
    before = file.read_bytes()
    with pytest.raises(ExportError, match="exist already"):
        export_tensorboard(runs, tmp_path / "out")
    export_tensorboard(runs, tmp_path / "out", ExportOptions(overwrite=True))
    assert [path.name for path in (tmp_path / "out" / "run").iterdir()] == [file.name]
    assert len(file.read_bytes()) == len(before)
    (tmp_path / "out" / "run" / TENSORBOARD_NAME.format(7)).write_bytes(tensorboard_version())
    with pytest.raises(ExportError, match="would mix"):
        export_tensorboard(runs, tmp_path / "out", ExportOptions(overwrite=True))
    for target in (tmp_path / "logs", tmp_path / "logs" / "run", tmp_path / "logs" / "new"):
        with pytest.raises(ExportError, match="within the runs"):
            export_tensorboard(runs, target)
    assert sorted(path.name for path in (tmp_path / "logs").rglob("*")) == [MINDSPORE_NAME.format(1), "run"]


def test_odd_names_of_runs_stay_below_the_target(tmp_path: Path) -> None:
    for name in ("a b", "名前", "x" * 200, "-rf", "%2e%2e", "a\nb"):
        directory = tmp_path / "logs" / name / "deep"
        directory.mkdir(parents=True)
        append(directory / MINDSPORE_NAME.format(1), version() + steps(range(2)))
    runs = open_runs(tmp_path / "logs")
    export_tensorboard(runs, tmp_path / "out")
    assert set(open_runs(tmp_path / "out")) == set(runs)
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "out"}


def test_the_command_refuses_two_kinds_of_formats(tmp_path: Path) -> None:
    write(tmp_path, version(), steps(range(3)))
    given = [
        "export",
        str(tmp_path / "logs"),
        "--format",
        "tensorboard",
        "--format",
        "csv",
        "--out",
        str(tmp_path / "o"),
    ]
    result = CliRunner().invoke(app, given)
    assert result.exit_code != 0
    assert not (tmp_path / "o").exists()
