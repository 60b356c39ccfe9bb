# SPDX-License-Identifier: Apache-2.0
"""A recorder is made: its arguments, its mode and the names of its files."""

from __future__ import annotations

import copy
import pickle
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mindscope.capture import SummaryRecord

if TYPE_CHECKING:
    from conftest import Log


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("file_prefix", 3, TypeError),
        ("file_prefix", "a/b", ValueError),
        ("file_prefix", "", ValueError),
        ("file_suffix", None, TypeError),
        ("file_suffix", "_lineage", ValueError),
        ("num_process", "2", TypeError),
        ("num_process", None, TypeError),
        ("num_process", float("nan"), TypeError),
        ("max_file_size", "1", TypeError),
        ("max_file_size", True, TypeError),
        ("queue_timeout", -1, ValueError),
        ("queue_timeout", float("nan"), ValueError),
        ("queue_timeout", "1", TypeError),
        ("raise_exception", 1, TypeError),
        ("network", object(), TypeError),
        ("export_options", [], TypeError),
        ("export_options", {"image_format": "png"}, ValueError),
        ("export_options", {"tensor_format": "csv"}, ValueError),
        ("export_options", {"tensor_format": 3}, TypeError),
        ("log_dir", 3, TypeError),
        ("log_dir", "", ValueError),
        ("log_dir", " \t", ValueError),
    ],
)
def test_arguments_are_checked(log: Log, argument: str, value: Any, error: type[Exception]) -> None:
    arguments: dict[str, Any] = {"log_dir": log.directory, argument: value}
    with pytest.raises(error, match=argument):
        SummaryRecord(**arguments)


@pytest.mark.parametrize("number", [0, -1, 1.5, True, 10**30, float("inf"), np.int64(2)])
def test_number_of_threads_may_be_any_as_in_mindspore(log: Log, number: Any) -> None:
    with SummaryRecord(log.directory, num_process=number) as record:
        record.add_value("histogram", "h", np.zeros(1 << 20))
        record.record(1)
    assert len(log.values("h")) == 1


@pytest.mark.parametrize("size", [1, 20, (64 << 10) - 1])
def test_small_max_file_size_is_raised_with_a_warning(log: Log, size: int, caplog: pytest.LogCaptureFixture) -> None:
    with SummaryRecord(log.directory, max_file_size=size) as record:
        for step in range(100):
            record.add_value("scalar", "a", 1.0)
            record.record(step)
    assert f"max_file_size is {size} bytes" in caplog.text
    assert "raised to 65536" in caplog.text
    assert len(log.scalars("a")) == 100
    assert len(list(log.directory.glob("*_MS"))) == 1


def test_mode_is_train_or_eval(log: Log) -> None:
    with SummaryRecord(log.directory) as record:
        assert record.mode == "train"
        record.set_mode("eval")
        assert record.mode == "eval"
        with pytest.raises(ValueError, match="want 'train' or 'eval'"):
            record.set_mode("test")


def test_name_mode_and_log_dir_of_the_file(log: Log) -> None:
    record = SummaryRecord(str(log.directory), file_prefix="train", file_suffix="_mine")
    announced = record.log_dir
    record.add_value("scalar", "a", 1.0)
    record.record(1)
    record.add_value("train_lineage", "", {})
    record.record(2)
    record.flush()
    (path,) = log.paths("_mine")
    (lineage,) = log.paths("_lineage")
    assert record.log_dir == announced == str(path)
    assert path.name.startswith("train.out.events.summary.")
    assert lineage.name == path.name.removesuffix("_mine") + "_lineage"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(lineage.stat().st_mode) == 0o600
    record.close()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(lineage.stat().st_mode) == 0o400


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        ({}, "0"),
        ({"RANK_ID": "3", "RANK_SIZE": "8"}, "3"),
        ({"RANK": "2", "WORLD_SIZE": "4"}, "2"),
        ({"RANK": "2", "WORLD_SIZE": "1"}, "0"),
        ({"RANK": "2"}, "2"),
        ({"RANK": "x", "WORLD_SIZE": "4"}, "0"),
    ],
)
def test_rank_is_in_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], want: str
) -> None:
    for name in ("RANK_ID", "RANK_SIZE", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with SummaryRecord(tmp_path) as record:
        assert Path(record.log_dir).name.split(".")[5] == want


def test_a_recorder_for_another_process_is_refused_by_name(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path / "run") as record:
        for copy_it in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=r"SummaryRecord of .*/run can't be copied .* in the process that"):
                copy_it(record)
