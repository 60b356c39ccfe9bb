# SPDX-License-Identifier: Apache-2.0
"""Exported files hold exactly what the run holds, stand where they should, and replace nothing unasked."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import ml_dtypes
import numpy as np
import pyarrow.parquet
import pytest

from mindscope.errors import ExportError, RunNotFoundError, SettingsError, TagNotFoundError
from mindscope.formats.portable_array import portable_array
from mindscope.reading import ExportOptions, Run, export_run, export_runs, open_run, open_runs
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
from tests.formats.test_videos import PICTURES

NAME = MINDSPORE_NAME.format(1)
HOSTILE = ["../../escape", "/abs/olute", "..", "a\nb", 'q"u,o;te', "Case", "case", "x" * 300, "名前", "=1+2"]


def run_of(directory: Path, *records: bytes, name: str = NAME) -> Run:
    directory.mkdir(parents=True, exist_ok=True)
    append(directory / name, b"".join(records))
    return open_run(directory)


def written(target: Path) -> set[str]:
    return {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}


def test_scalars_come_back_from_csv_to_the_bit(tmp_path: Path) -> None:
    values = [0.1, math.nan, math.inf, -math.inf, -0.0, 1e-45, 3.4e38, 1 / 3]
    records = [scalars((1 << 62) + step, {"a,b": value}, 1e9 + step / 7) for step, value in enumerate(values)]
    run = run_of(tmp_path / "run", version(), *records)
    report = export_run(run, tmp_path / "out")
    assert report.files == (tmp_path / "out" / "scalars.csv",)
    with report.files[0].open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["tag", "step", "wall_time", "value"]
    assert {row[0] for row in rows} == {"a,b"}
    want = run.scalars("a,b")
    assert [int(row[1]) for row in rows] == want.step.tolist()
    assert [float(row[2]) for row in rows] == want.wall_time.tolist()
    got = np.array([float(row[3]) for row in rows], np.float32)
    np.testing.assert_array_equal(got, want.value)
    assert np.signbit(got[4])
    assert [row[3] for row in rows[1:4]] == ["NaN", "Infinity", "-Infinity"]


def test_scalars_come_back_from_parquet_to_the_bit(tmp_path: Path) -> None:
    runs = open_runs(DATA)
    run = runs["tensorboard/tb_all/run_a"]
    (path,) = export_run(run, tmp_path, ExportOptions(kinds=(Kind.SCALAR,), scalar_formats=("parquet",))).files
    table = pyarrow.parquet.read_table(path)
    assert [str(field.type) for field in table.schema] == ["string", "int64", "double", "float"]
    rows = table["tag"].to_numpy(zero_copy_only=False)
    for tag in run.tags("scalar"):
        want, mine = run.scalars(tag), rows == tag
        for name in ("step", "wall_time", "value"):
            assert table[name].to_numpy()[mine].tobytes() == getattr(want, name).tobytes()
    assert table.num_rows == sum(len(run.scalars(tag)) for tag in run.tags("scalar"))


def test_images_are_their_files(tmp_path: Path) -> None:
    run = open_run(DATA / "mindspore" / "ops")
    report = export_run(run, tmp_path, ExportOptions(kinds=(Kind.IMAGE,), tags=("input_image",)))
    assert len(report.files) == 13
    for sample in run.images("input_image"):
        path = tmp_path / "images" / "input_image" / f"{sample.step}.png"
        assert path.read_bytes() == sample.value[0].encoded


def test_videos_are_their_files(tmp_path: Path) -> None:
    image = {"height": 6, "width": 8, "colorspace": 3}
    gifs = [PICTURES["animated"], PICTURES["looping"], PICTURES["still"]]
    records = [
        tensorboard_event(step, {"tag": "a/b", "image": {**image, "encoded_image_string": gif}})
        for step, gif in enumerate(gifs)
    ]
    run = run_of(tmp_path / "run", tensorboard_version(), *records, name=TENSORBOARD_NAME.format(1))
    assert [sample.value.encoded for sample in run.videos("a/b")] == gifs[:2]
    assert len(list(run.videos("a/b")[1].value.frames())) == 3
    export_run(run, tmp_path / "out")
    files = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_bytes() for path in (tmp_path / "out").rglob("*.gif")
    }
    assert files == dict(zip(("videos/a%2Fb/0.gif", "videos/a%2Fb/1.gif", "images/a%2Fb/2.gif"), gifs, strict=True))


def test_several_images_of_a_step_are_numbered(tmp_path: Path) -> None:
    metadata = {"plugin_data": {"plugin_name": "images"}}
    pictures = {"dtype": 7, "string_val": [b"1", b"1", b"\x89PNG one", b"\xff\xd8\xff two", b"what"]}
    record = tensorboard_event(3, {"tag": "batch", "metadata": metadata, "tensor": pictures})
    run = run_of(tmp_path / "run", tensorboard_version(), record, name=TENSORBOARD_NAME.format(1))
    export_run(run, tmp_path / "out")
    assert written(tmp_path / "out") == {f"images/batch/3_{end}" for end in ("1.png", "2.jpg", "3.bin")}


def test_tensors_come_back_from_npy(tmp_path: Path) -> None:
    run = open_run(DATA / "mindspore" / "ops")
    export_run(run, tmp_path, ExportOptions(kinds=(Kind.TENSOR,)))
    for tag in run.tags("tensor"):
        for sample in run.tensors(tag):
            got = np.load(tmp_path / "tensors" / tag / f"{sample.step}.npy", allow_pickle=False)
            np.testing.assert_array_equal(got, sample.value.value)
            assert got.dtype == sample.value.value.dtype


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "float8_e4m3fn", "int4"])
def test_dtypes_beyond_numpy_are_widened_exactly(name: str) -> None:
    array = np.array([[0, 1, -2]]).astype(getattr(ml_dtypes, name))
    portable = portable_array(array)
    assert portable.dtype in (np.float32, np.int8)
    np.testing.assert_array_equal(portable.astype(array.dtype), array)


def test_texts_in_a_tensor_become_one_dtype() -> None:
    assert portable_array(np.array([[b"a"], ["名".encode()]], dtype=object)).tolist() == [["a"], ["名"]]


@pytest.mark.parametrize("format", ["npz", "csv"])
def test_histograms_come_back(tmp_path: Path, format: str) -> None:
    empty = {"tag": "w", "histogram": {"count": 2, "nan_count": 2}}
    run = run_of(
        tmp_path / "run", version(), event(1, histogram("w", [4, 0, 2])), event(2, empty), event(3, histogram("w", [7]))
    )
    (path,) = export_run(run, tmp_path / "out", ExportOptions(histogram_format=format)).files
    assert path == tmp_path / "out" / "histograms" / f"w.{format}"
    if format == "csv":
        rows = list(csv.reader(path.read_text().splitlines()))
        assert rows[0] == ["step", "wall_time", "left", "right", "count"]
        assert [[float(cell) for cell in row] for row in rows[1:]] == [
            [1, 1, 0, 1, 4],
            [1, 1, 1, 2, 0],
            [1, 1, 2, 3, 2],
            [3, 3, 0, 1, 7],
        ]
        return
    with np.load(path, allow_pickle=False) as arrays:
        assert arrays["step"].tolist() == [1, 2, 3]
        assert arrays["bucket_start"].tolist() == [0, 3, 3, 4]
        assert arrays["count"].tolist() == [4, 0, 2, 7]
        assert arrays["right"].tolist() == [1, 2, 3, 1]
        assert arrays["nan_count"].tolist() == [0, 2, 0]
        assert arrays["total"].tolist() == [6, 2, 7]
        assert arrays["wall_time"].tolist() == [1, 2, 3]


def test_texts_and_sounds(tmp_path: Path) -> None:
    run = open_run(DATA / "tensorboard" / "tb_all" / "run_a")
    export_run(run, tmp_path, ExportOptions(kinds=(Kind.TEXT, Kind.AUDIO)))
    assert (tmp_path / "texts" / "note%2Ftext_summary" / "30.txt").read_text() == "step **30** text"
    assert (tmp_path / "audio" / "tone" / "0.wav").read_bytes() == run.audio("tone")[0].value.encoded
    assert len(written(tmp_path)) == 11


def test_hostile_tags_stay_below_the_target_and_apart(tmp_path: Path) -> None:
    picture = {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b"\x89PNG"}
    values = [{"tag": tag, "image": {**picture, "encoded_image": b"\x89PNG" + tag.encode()}} for tag in HOSTILE]
    run = run_of(tmp_path / "run", version(), event(1, *values), scalars(1, dict.fromkeys(HOSTILE, 1.0)))
    before = written(tmp_path)
    report = export_run(run, tmp_path / "deep" / "out")
    assert len(report.files) == len(HOSTILE) + 1
    paths = {path.relative_to(tmp_path).as_posix() for path in report.files}
    assert written(tmp_path) - before == paths
    assert all(path.is_relative_to(tmp_path / "deep" / "out") for path in report.files)
    contents = {path.read_bytes() for path in report.files[1:]}
    assert contents == {b"\x89PNG" + tag.encode() for tag in HOSTILE}
    with report.files[0].open(newline="", encoding="utf-8") as file:
        assert [row[0] for row in csv.reader(file)][1:] == [*HOSTILE[:-1], "'=1+2"]


def test_existing_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", version(), steps([1]), event(1, histogram("w", [1])))
    out = tmp_path / "out"
    out.mkdir()
    (out / "scalars.csv").write_text("mine")
    with pytest.raises(ExportError, match=r"scalars.csv exist already: choose another target, or allow overwriting"):
        export_run(run, out)
    assert written(out) == {"scalars.csv"}
    assert (out / "scalars.csv").read_text() == "mine"
    export_run(run, out, ExportOptions(overwrite=True))
    assert written(out) == {"scalars.csv", "histograms/w.npz"}
    assert (out / "scalars.csv").read_text().startswith("tag,step")


def test_a_link_in_the_way_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", version(), steps([1]))
    (tmp_path / "out").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out" / "scalars.csv").symlink_to(tmp_path / "mine")
    with pytest.raises(ExportError):
        export_run(run, tmp_path / "out")
    export_run(run, tmp_path / "out", ExportOptions(overwrite=True))
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "out" / "scalars.csv").is_symlink()


def test_several_runs_go_to_directories_of_their_own(tmp_path: Path) -> None:
    run_of(tmp_path / "logs" / "a" / "b", version(), steps([1]))
    run_of(tmp_path / "logs" / "c", version(), steps([1]))
    report = export_runs(open_runs(tmp_path / "logs"), tmp_path / "out")
    assert written(tmp_path / "out") == {"a%2Fb/scalars.csv", "c/scalars.csv"}
    assert len(report.files) == 2
    (tmp_path / "out" / "a%2Fb" / "scalars.csv").unlink()
    with pytest.raises(ExportError):
        export_runs(open_runs(tmp_path / "logs"), tmp_path / "out")
    assert written(tmp_path / "out") == {"c/scalars.csv"}


def test_a_choice_of_tags_and_kinds(tmp_path: Path) -> None:
    run = run_of(
        tmp_path / "run", version(), scalars(1, {"train/a": 1.0, "test/a": 1.0}), event(1, histogram("train/w", [1]))
    )
    (path,) = export_run(run, tmp_path / "one", ExportOptions(kinds=(Kind.SCALAR,), tags=("train/*",))).files
    assert "test/a" not in path.read_text()
    with pytest.raises(TagNotFoundError, match="no tag matches 'nothing'; the tags are train/a, test/a, train/w"):
        export_run(run, tmp_path / "none", ExportOptions(tags=("nothing",)))
    assert not (tmp_path / "none").exists()


def test_overwritten_points_are_exported_when_asked_for(tmp_path: Path) -> None:
    picture = {"tag": "p", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b"\x89PNG"}}
    run = run_of(tmp_path / "run", version(), steps([1, 2, 1]), event(5, picture), event(5, picture))
    export_run(run, tmp_path / "shown")
    export_run(run, tmp_path / "all", ExportOptions(overwritten=True))
    lines = [(tmp_path / name / "scalars.csv").read_text().count("\n") for name in ("shown", "all")]
    assert lines == [3, 4]
    assert written(tmp_path / "all") == {"scalars.csv", "images/p/5.png", "images/p/5~2.png"}


def test_a_value_that_can_not_be_read_is_told_and_the_rest_written(tmp_path: Path) -> None:
    wrong = {"tag": "t", "tensor": {"dims": [3], "data_type": 11, "float_data": [1.0]}}
    right = {"tag": "t", "tensor": {"dims": [1], "data_type": 11, "float_data": [1.0]}}
    run = run_of(tmp_path / "run", version(), event(1, wrong), event(2, right))
    report = export_run(run, tmp_path / "out")
    assert written(tmp_path / "out") == {"tensors/t/2.npy"}
    (failure,) = report.failures
    assert failure.startswith("tensor 't' at step 1: ")


def test_names_that_are_no_options_are_refused() -> None:
    with pytest.raises(SettingsError, match="scalar format is 'xlsx', want one of csv, parquet"):
        ExportOptions(scalar_formats=("xlsx",))
    with pytest.raises(SettingsError, match="histogram format is 'png', want one of npz, csv"):
        ExportOptions(histogram_format="png")
    with pytest.raises(SettingsError, match="kind to export is 'graph', want one of scalar, image"):
        ExportOptions(kinds=(Kind.GRAPH,))


def test_every_real_run_is_exported_without_loss(tmp_path: Path) -> None:
    runs = open_runs(DATA)
    report = export_runs(runs, tmp_path, ExportOptions(scalar_formats=("csv", "parquet")))
    assert report.failures == ()
    want = sum(len(run.images(tag)) for run in runs.values() for tag in run.tags("image"))
    assert len([path for path in report.files if path.suffix == ".png"]) == want


def test_runs_with_long_paths_are_exported_under_readable_names(tmp_path: Path) -> None:
    ids = [
        "图像分类实验第三组残差网络五十层/学习率零点一批大小六十四随机种子七",
        "train_2026/batch_size=64,dropout=0.1,hidden_size=256,learning_rate=0.0005,max_steps=1000,num_layers=3,seed=3"
        + "/lightning_logs_of_a_long_experiment_name" * 3,
        "a",
    ]
    for id in ids:
        run_of(tmp_path / "logs" / id, version(), steps([1]))
    report = export_runs(open_runs(tmp_path / "logs"), tmp_path / "out")
    assert not report.failures
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names[0] == "a"
    assert names[1].startswith("train_2026%2Fbatch_size=64,dropout=0.1,hidden_size=256")
    assert names[2] == "图像分类实验第三组残差网络五十层%2F学习率零点一批大小六十四随机种子七"
    assert all((tmp_path / "out" / name / "scalars.csv").exists() for name in names)


def test_an_unknown_run_is_none_for_get(tmp_path: Path) -> None:
    run_of(tmp_path / "logs" / "a", version(), steps([1]))
    runs = open_runs(tmp_path / "logs")
    assert runs.get("x") is None
    assert runs.get("a") is not None
    with pytest.raises(RunNotFoundError, match=r"run 'x' is not below .*: did you mean 'a'"):
        runs["x"]
