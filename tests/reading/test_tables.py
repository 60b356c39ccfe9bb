# SPDX-License-Identifier: Apache-2.0
"""Runs as tables of pandas and Arrow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pytest

from mindscope.errors import MissingPackageError
from mindscope.reading import open_run, open_runs
from mindscope.reading.export import ExportOptions, export_run
from tests.event_log import DATA, LINEAGE_NAME, MINDSPORE_NAME, append, lineage, scalars, steps, version


def test_scalars_keep_every_bit_in_both(tmp_path: Path) -> None:
    values = [0.1, float("nan"), float("inf"), -0.0, 1e-45]
    append(tmp_path / MINDSPORE_NAME.format(1), version())
    for step, value in enumerate(values):
        append(tmp_path / MINDSPORE_NAME.format(1), scalars((1 << 60) + step, {"a": value}, wall_time=1e9 + step / 3))
    a = open_run(tmp_path).scalars("a")
    table = a.to_arrow()
    assert table.schema == pyarrow.schema(
        [("step", pyarrow.int64()), ("wall_time", pyarrow.float64()), ("value", pyarrow.float32())]
    )
    frame = a.to_pandas()
    for name in ("step", "wall_time", "value"):
        want = getattr(a, name)
        for got in (table[name].to_numpy(), frame[name].to_numpy()):
            assert got.dtype == want.dtype
            assert got.tobytes() == want.tobytes()


def test_a_data_frame_is_its_owners_to_change(tmp_path: Path) -> None:
    append(tmp_path / MINDSPORE_NAME.format(1), version() + steps([1, 2]))
    loss = open_run(tmp_path).scalars("loss")
    frame = loss.to_pandas()
    frame.loc[0, "value"] = 7.0
    assert loss.value.tolist() == [0.0, 1.0]


def test_one_row_a_run() -> None:
    runs = open_runs(DATA)
    table = runs.to_arrow()
    assert table.num_rows == len(runs) == 21
    rows = {row["run"]: row for row in table.to_pylist()}
    row = rows["mindspore/ops"]
    assert (row["files"], row["scalar_tags"], row["image_tags"], row["text_tags"], row["last_step"]) == (2, 3, 2, 0, 60)
    assert rows["tensorboard/tb_all/run_a"]["text_tags"] == 1
    frame = runs.to_pandas()
    assert list(frame.columns) == table.column_names
    assert frame["size_bytes"].tolist() == table["size_bytes"].to_pylist()


def test_lineage_is_one_row_a_run() -> None:
    table = open_runs(DATA / "mindspore").lineage()
    assert len(table) == 17
    row = next(row for row in table if row["run"] == "lineage_sweep/run_06")
    assert (row["optimizer"], row["batch_size"], row["metric/Accuracy"]) == ("Adam", 32, 0.90234375)
    assert (row["custom/only_here"], row["custom/hidden"], row["dataset/eval_size"]) == ("x", 16, 256)
    assert "model/path" not in row
    arrow, frame = table.to_arrow(), table.to_pandas()
    assert arrow.num_rows == len(frame) == 17
    assert arrow["learning_rate"].type == pyarrow.float64()
    assert arrow["custom/only_here"].null_count == 16
    assert frame.loc[frame["run"] == "lineage_sweep/run_12", "algorithm/loss"].tolist() == [np.inf]


def test_a_column_of_numbers_here_and_texts_there_becomes_text(tmp_path: Path) -> None:
    for name, info in (("a", {"map_int32": {"size": 3}}), ("b", {"map_str": {"size": "large"}})):
        (tmp_path / name).mkdir()
        append(tmp_path / name / LINEAGE_NAME.format(1), lineage({"user_defined_info": {"user_info": [info]}}))
    table = open_runs(tmp_path).lineage().to_arrow()
    assert table["custom/size"].to_pylist() == ["3", "large"]


def test_without_pandas_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(tmp_path / MINDSPORE_NAME.format(1), version() + steps([1]))
    monkeypatch.setitem(sys.modules, "pandas", None)
    loss = open_run(tmp_path).scalars("loss")
    with pytest.raises(MissingPackageError, match=r"pip install pandas, or use to_arrow"):
        loss.to_pandas()
    assert loss.to_arrow().num_rows == 1


def test_without_pyarrow_the_extra_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    append(run / MINDSPORE_NAME.format(1), version() + steps([1]))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    runs = open_runs(tmp_path)
    for make in (runs.to_arrow, runs.lineage().to_arrow, runs["run"].scalars("loss").to_arrow):
        with pytest.raises(MissingPackageError, match=r"pip install 'mindscope\[arrow\]'"):
            make()
    with pytest.raises(MissingPackageError, match="Parquet files need pyarrow"):
        ExportOptions(scalar_formats=("csv", "parquet"))
    (path,) = export_run(runs["run"], tmp_path / "out").files
    assert path.name == "scalars.csv"
    assert len(runs.to_pandas()) == 1


def test_neither_library_is_imported_before_a_table_is_asked_for() -> None:
    program = (
        "import sys; from mindscope.reading import open_runs; open_runs(sys.argv[1]).lineage()\n"
        "print(sorted({'pandas', 'pyarrow', 'fastapi', 'torch', 'mindspore'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(DATA)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
