# SPDX-License-Identifier: Apache-2.0
"""What is dropped is named once for each tag and reason, in the log and in the report of a run, up to a bound."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mindscope
from mindscope.capture import SummaryRecord
from mindscope.capture.deferred_array import DeferredArray
from mindscope.capture.drop_counter import MAX_REASONS
from mindscope.reading import inspect_run

if TYPE_CHECKING:
    from conftest import Log


class Figure:
    """What a figure of matplotlib offers."""

    canvas = object()

    def savefig(self) -> None: ...


def _late_complex() -> DeferredArray:
    return DeferredArray(8, lambda: np.zeros(2, np.complex64))


def _late_failure() -> DeferredArray:
    def fetch() -> Any:
        raise RuntimeError("the device is gone")

    return DeferredArray(8, fetch)


BAD: dict[str, tuple[str, Callable[[], Any]]] = {
    "figure": ("image", Figure),
    "shape": ("image", lambda: np.zeros((2, 2, 5, 5))),
    "pair": ("scalar", lambda: np.zeros(2)),
    "triple": ("scalar", lambda: np.zeros(3)),
    "words": ("tensor", lambda: ["a", "b"]),
    "dates": ("tensor", lambda: np.zeros(2, "datetime64[s]")),
    "ragged": ("tensor", lambda: [[1], [1, 2]]),
    "masked": ("histogram", lambda: np.ma.masked_array([1.0], [True])),
    "late": ("histogram", _late_complex),
    "gone": ("tensor", _late_failure),
}


def test_each_dropped_value_is_named_in_the_log_and_in_the_report(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), SummaryRecord(tmp_path) as record:
        for step in range(3):
            for tag, (plugin, make) in BAD.items():
                record.add_value(plugin, tag, make())
            record.add_value("scalar", "good", 1.0)
            record.record(step)
    report = inspect_run(mindscope.open_run(tmp_path))
    assert report.dropped == 3 * len(BAD)
    assert len(report.dropped_reasons) == len(caplog.records) == len(BAD)
    for tag, (plugin, _) in BAD.items():
        assert sum(f"{plugin} {tag!r}" in reason for reason in report.dropped_reasons) == 1
    assert "buffer_rgba" in " ".join(report.dropped_reasons)
    assert report.damages == ()


def test_reasons_that_differ_in_numbers_only_are_one_and_others_are_not(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as record:
        for size in range(2, 20):
            record.add_value("scalar", "a", np.zeros(size))
        record.add_value("scalar", "a", "text")
        record.record(1)
    run = mindscope.open_run(tmp_path)
    assert run.dropped == 19
    assert len(inspect_run(run).dropped_reasons) == 2


def test_reasons_are_bounded_and_all_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SummaryRecord(tmp_path) as record:
        for name in ("".join(map(chr, (97 + n // 26, 97 + n % 26))) for n in range(3 * MAX_REASONS)):
            record.add_value("scalar", name, "text")
        record.record(1)
    run = mindscope.open_run(tmp_path)
    assert run.dropped == 3 * MAX_REASONS
    assert len(inspect_run(run).dropped_reasons) == MAX_REASONS
    assert len(caplog.records) == MAX_REASONS + 1


@pytest.mark.parametrize("tag", ["a\nb", "\udcff", "x" * 10_000, "- list"])
def test_any_tag_can_be_named(tmp_path: Path, tag: str) -> None:
    with SummaryRecord(tmp_path) as record:
        record.add_value("scalar", tag, "text")
        record.record(1)
    assert len(inspect_run(mindscope.open_run(tmp_path)).dropped_reasons) == 1


def test_a_full_disk_names_the_directory(
    run_program: Callable[..., subprocess.CompletedProcess[str]], log: Log
) -> None:
    code = """
import resource, sys
from mindscope.capture import SummaryRecord
record = SummaryRecord(sys.argv[1], raise_exception=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    for step in range(100):
        record.add_value("scalar", "a", 1.0)
        record.record(step)
    record.flush()
except OSError as error:
    print(type(error).__name__, error.errno, error)
"""
    said = run_program(code).stdout
    assert str(log.directory) in said
    assert "free space" in said


def test_a_directory_that_cannot_be_made_says_why_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path, remedy in ((tmp_path / "file" / "run", "choose another path"), (tmp_path / ("x" * 300), "shorter path")):
        with pytest.raises(OSError, match=remedy) as raised:
            SummaryRecord(path)
        assert str(path) in str(raised.value)
