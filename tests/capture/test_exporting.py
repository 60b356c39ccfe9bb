# SPDX-License-Identifier: Apache-2.0
"""Tensors as NPY files beside the event files."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mindscope.capture import SummaryRecord

if TYPE_CHECKING:
    from conftest import Log


def test_tensors_are_exported_as_npy(log: Log) -> None:
    array = np.arange(6, dtype=np.int64).reshape(2, 3) + (1 << 60)
    with SummaryRecord(log.directory, export_options={"tensor_format": "npy"}) as record:
        record.add_value("tensor", "group/logits", array)
        record.add_value("tensor", "weight:fc1", array.astype(np.complex64))
        record.add_value("scalar", "a", 1.0)
        record.record(12)
    (directory,) = log.directory.glob("export_*")
    second = log.paths()[0].name.split(".")[4]
    assert directory.name == f"export_{second}"
    files = sorted((directory / "tensor").iterdir())
    assert [file.name for file in files] == ["group%2Flogits_12.npy", "weight%3Afc1_12.npy"]
    np.testing.assert_array_equal(np.load(files[0]), array)
    assert np.load(files[1]).dtype == np.complex64
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o400
    assert len(log.values("group/logits")) == 1


def test_no_tag_leads_out_of_the_export(log: Log, tmp_path: Path) -> None:
    long = "x" * 5000
    tags = ["../../out", "/out", "..", ".", "a\0b", "\ud800", "损失" * 99, long, long + "y", "C:\\x", "-rf *"]
    with SummaryRecord(log.directory, export_options={"tensor_format": "npy"}) as record:
        for number, tag in enumerate(tags):
            record.add_value("tensor", tag, np.full(2, number))
        record.record(1)
    assert [*tmp_path.iterdir()] == [log.directory]
    assert len(log.paths()) == 1
    (directory,) = log.directory.glob("export_*")
    files = [each for each in directory.rglob("*") if each.is_file()]
    assert {file.parent for file in files} == {directory / "tensor"}
    assert sorted(np.load(file)[0] for file in files) == list(range(len(tags)))
    assert not log.scalars("mindscope/dropped")
