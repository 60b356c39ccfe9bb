# SPDX-License-Identifier: Apache-2.0
"""Restarts of a training that replaced points: where they are named, and where they are not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.analysis.restarts import restart_steps
from tests.server.live_viewer import DATA


def record(run: Path, steps: Iterable[int], max_file_size: int | None = None) -> None:
    with mindscope.SummaryRecord(run, max_file_size=max_file_size) as recorder:
        for step in steps:
            recorder.add_value("scalar", "loss", 1 / (step + 1))
            recorder.add_value("scalar", "lr", 0.1)
            recorder.record(step)


def restarts(run: Path) -> list[int]:
    return restart_steps(mindscope.open_run(run).store)


def test_a_restart_is_named_by_the_step_from_which_it_recorded_again(tmp_path: Path):
    record(tmp_path, range(60))
    record(tmp_path, range(40, 80))
    assert restarts(tmp_path) == [40]
    record(tmp_path, range(30, 90))
    assert restarts(tmp_path) == [40, 30]


def test_a_training_in_several_files_has_no_restart(tmp_path: Path):
    record(tmp_path, range(20_000), max_file_size=64 * 1024)
    assert len(list(tmp_path.iterdir())) > 2
    assert restarts(tmp_path) == []
    record(tmp_path, range(20_000, 20_010))
    assert restarts(tmp_path) == []


def test_writers_at_the_same_time_are_no_restarts(tmp_path: Path):
    with mindscope.SummaryRecord(tmp_path) as one, mindscope.SummaryRecord(tmp_path, file_suffix="_b") as other:
        for step in range(50):
            for recorder in (one, other):
                recorder.add_value("scalar", "loss", 0.5)
                recorder.record(step)
    assert restarts(tmp_path) == []


@pytest.mark.parametrize("run", ["mindspore/ops", "mindspore/lineage_sweep/run_01", "tensorboard/tb_all/run_a/multi_a"])
def test_a_training_that_ran_through_has_no_restart(run: str):
    assert restarts(DATA / run) == []


def test_a_run_without_scalars_has_no_restart(tmp_path: Path):
    with mindscope.SummaryRecord(tmp_path) as recorder:
        recorder.add_value("histogram", "weight", np.ones(3, np.float32))
        recorder.record(1)
    assert restarts(tmp_path) == []
