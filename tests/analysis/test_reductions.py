# SPDX-License-Identifier: Apache-2.0
"""Merged histograms, heat maps, PR curves and statistics of scalars in Python, against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindscope import Run, SummaryRecord, open_run
from mindscope.analysis.slices import SliceError
from tests.event_log import DATA, TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version

RNG = np.random.default_rng(5)
STEPS = 40
WEIGHTS = RNG.normal(size=(STEPS, 200)).astype(np.float32)
TENSOR = RNG.normal(size=(90, 130)).astype(np.float32)
TENSOR[41, 77], TENSOR[8, 3], TENSOR[60, 129], TENSOR[5, 5] = 50.0, -50.0, np.nan, np.inf
BAD = {"tag": "w", "histo": {"num": 3.0, "bucket_limit": [1.0, 2.0], "bucket": [3.0]}}
GOOD = {"tag": "w", "histo": {"num": 3.0, "min": 0.0, "max": 1.0, "bucket_limit": [1.0], "bucket": [3.0]}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    directory = tmp_path_factory.mktemp("run")
    with SummaryRecord(str(directory)) as record:
        for step, weights in enumerate(WEIGHTS):
            record.add_value("histogram", "weights", weights)
            record.add_value("scalar", "loss", np.nan if step == 0 else step)
            if step == 0:
                record.add_value("tensor", "map", TENSOR)
                record.add_value("tensor", "cube", TENSOR.reshape(2, 45, 130))
            record.record(step)
    return open_run(directory)


def test_merged_histograms_lose_no_count(run: Run):
    rows = run.histograms("weights").merged(rows=6, buckets=20)
    assert [(row.step, row.last_step, row.steps) for row in rows] == [
        (start, start + 7, 8) for start in range(0, 40, 8)
    ]
    for row in rows:
        assert row.histogram is not None
        values = WEIGHTS[row.step : row.last_step + 1]
        assert row.histogram.count.size <= 20
        assert row.histogram.count.sum() == pytest.approx(values.size)
        assert (row.histogram.minimum, row.histogram.maximum) == (values.min(), values.max())


def test_a_part_of_the_histograms_is_merged_alone(run: Run):
    every = run.histograms("weights")
    (row,) = every[10:11].merged()
    assert (row.step, row.last_step, row.wall_time) == (10, 10, every.wall_time[10])
    assert row.histogram is not None
    np.testing.assert_array_equal(row.histogram.count, every[10].value.count)


def test_a_histogram_that_can_not_be_read_is_counted(tmp_path: Path):
    log = tmp_path / TENSORBOARD_NAME.format(1)
    append(
        log, tensorboard_version() + b"".join(tensorboard_event(step, each) for step, each in enumerate([GOOD, BAD]))
    )
    row, other = open_run(tmp_path).histograms("w").merged()
    assert (row.unreadable, row.problem) == (0, None)
    assert (other.unreadable, other.histogram) == (1, None)
    assert other.problem


def test_a_heat_map_keeps_each_spike_and_nan(run: Run):
    got = run.tensor("map").heat_map(rows=7, columns=11)
    assert (got.shape, got.value.shape, got.is_reduced) == ((90, 130), (7, 11), True)
    assert got.value[41 * 7 // 90, 77 * 11 // 130] == got.maximum == 50.0
    assert got.value[8 * 7 // 90, 3 * 11 // 130] == got.minimum == -50.0
    assert (got.non_finite[60 * 7 // 90, 129 * 11 // 130], got.non_finite[0, 0], got.non_finite.sum()) == (1, 2, 3)


def test_a_heat_map_that_fits_is_the_slice(run: Run):
    got = run.tensor("map")[8, ::2].heat_map()
    assert not got.is_reduced
    np.testing.assert_array_equal(got.value, TENSOR[8:9, ::2])
    assert not got.non_finite.any()


def test_a_heat_map_has_two_dimensions(run: Run):
    with pytest.raises(SliceError):
        run.tensor("cube").heat_map()
    np.testing.assert_array_equal(run.tensor("cube")[0, 10:20].heat_map().value, TENSOR[10:20])


def test_statistics_of_scalars_skip_what_is_not_finite(run: Run):
    got = run.scalars("loss").statistics()
    assert np.isnan(got.first)
    assert (got.points, got.last_step, got.last, got.minimum, got.maximum, got.mean) == (40, 39, 39.0, 1.0, 39.0, 20.0)


def test_a_pr_curve_has_thresholds():
    run = open_run(DATA / "tensorboard" / "tb_all" / "run_a")
    got, want = run.pr_curve("pr"), run.pr_curves("pr")[-1]
    assert (got.step, got.wall_time) == (want.step, want.wall_time)
    np.testing.assert_array_equal(got.precision, want.value.value[4])
    np.testing.assert_allclose(got.threshold, np.linspace(0, 1, got.recall.size))
    assert run.pr_curve("pr", step=-1).step == run.pr_curves("pr").step[0]
