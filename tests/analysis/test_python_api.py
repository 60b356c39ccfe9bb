# SPDX-License-Identifier: Apache-2.0
"""Expressions, groups and slices of tensors in Python, against NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope import Run, Runs, SummaryRecord, open_runs
from mindscope.errors import ExpressionError, TagNotFoundError
from mindscope.reading import Alignment, Smoothing
from tests.event_log import MINDSPORE_NAME, append, scalars, version

STEPS = 12
TENSOR = np.random.default_rng(3).normal(size=(4, 5, 6)).astype(np.float32)
LOSSES = {f"ddp/rank_{rank}": np.random.default_rng(rank).random(STEPS).astype(np.float32) for rank in range(4)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    base = tmp_path_factory.mktemp("logs")
    for id, losses in LOSSES.items():
        write(base / id, losses)
    write(base / "alone", LOSSES["ddp/rank_0"])
    return open_runs(base)


def write(directory: Path, losses: np.ndarray[Any, Any]) -> None:
    with SummaryRecord(str(directory)) as record:
        for step, loss in enumerate(losses):
            record.add_value("scalar", "loss/train", loss)
            if step % 2 == 0:
                record.add_value("scalar", "loss/test", loss * np.float32(2))
            if step in (3, 7):
                record.add_value("tensor", "weights", TENSOR * np.float32(step))
            record.record(step)


@pytest.fixture
def run(runs: Runs) -> Run:
    return runs["alone"]


def test_an_expression_has_the_steps_of_all_its_tags(run: Run):
    got = run.expression("`loss/train` - `loss/test`")
    losses = LOSSES["ddp/rank_0"].astype(np.float64)[::2]
    assert got.step.tolist() == list(range(0, STEPS, 2))
    assert got.step.dtype == np.int64
    np.testing.assert_allclose(got.value, losses - 2 * losses, rtol=1e-6)
    np.testing.assert_array_equal(got.wall_time, run.scalars("loss/test").wall_time)


def test_an_expression_is_smoothed_over_all_points(run: Run):
    weight, average, want = 0.6, 0.0, []
    for number, loss in enumerate(LOSSES["ddp/rank_0"].astype(np.float64), 1):
        average = weight * average + (1 - weight) * loss
        want.append(average / (1 - weight**number))
    got = run.expression("`loss/train`", smoothing=Smoothing(weight=weight))
    np.testing.assert_allclose(got.value, want, rtol=1e-5)


@pytest.mark.parametrize("text", ["1 + 2", "`loss/train` -", "`no such tag`"])
def test_an_expression_without_values_is_refused(run: Run, text: str):
    with pytest.raises(ExpressionError):
        run.expression(text)


def test_ranks_are_a_group(runs: Runs):
    groups = runs.groups("`loss/train`")
    assert list(groups) == ["alone", "ddp/rank_*"]
    got, want = groups["ddp/rank_*"], np.stack([*LOSSES.values()]).astype(np.float64)
    assert got.runs == tuple(LOSSES)
    assert got.x.tolist() == list(range(STEPS))
    np.testing.assert_allclose(got.mean, want.mean(axis=0))
    np.testing.assert_allclose(got.median, np.median(want, axis=0))
    np.testing.assert_allclose(got.deviation, want.std(axis=0, ddof=1))
    np.testing.assert_allclose(got.lower_quartile, np.quantile(want, 0.25, axis=0))
    np.testing.assert_array_equal(got.low, want.min(axis=0))
    np.testing.assert_array_equal(got.high, want.max(axis=0))
    assert np.isnan(groups["alone"].deviation).all()
    assert list(got.columns()) == ["x", "count", "mean", "median", "low", "high", "deviation", "lower_quartile",
                                   "upper_quartile", "standard_error", "confidence"]  # fmt: skip
    assert not got.is_interpolated


def test_groups_have_the_names_that_are_given(runs: Runs):
    groups = runs.groups("`loss/train`", by=lambda run: None if run.id == "alone" else run.id[-1:])
    assert list(groups) == ["0", "1", "2", "3"]
    np.testing.assert_allclose(groups["2"].mean, LOSSES["ddp/rank_2"].astype(np.float64))


def test_a_run_without_the_tag_is_a_problem_of_its_group(runs: Runs):
    group = runs.groups("`no such tag`", by=lambda run: "all")["all"]
    assert group.runs == ()
    assert set(group.problems) == set(runs)
    assert group.x.size == 0
    with pytest.raises(ExpressionError):
        runs.groups("`loss/train` -")


INDICES: list[Any] = [
    (),
    2,
    -1,
    slice(1, None),
    (..., slice(None, None, 2)),
    (slice(None, None, -1), 3),
    (1, 2, 3),
    (0, ..., -2),
    (slice(5, 5),),
]


@pytest.mark.parametrize("index", INDICES)
def test_a_part_of_a_tensor_is_numpys(run: Run, index: Any):
    got, want = run.tensor("weights")[index], (TENSOR * np.float32(7))[index]
    assert got.shape == want.shape
    np.testing.assert_array_equal(np.asarray(got), want)


def test_a_part_of_a_part_is_numpys(run: Run):
    got = run.tensor("weights", step=3)[1:, ::-2][..., 1:5][0]
    np.testing.assert_array_equal(np.asarray(got), (TENSOR * np.float32(3))[1:, ::-2][..., 1:5][0])
    assert (got.step, got.ndim, len(got), got.dtype, got.is_exact) == (3, 2, 3, np.float32, True)


def test_statistics_of_a_part_are_numpys(run: Run):
    got, want = run.tensor("weights")[..., ::2].statistics(bins=8), (TENSOR * np.float32(7))[..., ::2]
    assert (got.shape, got.count, got.zeros, got.nan) == (want.shape, want.size, 0, 0)
    assert (got.minimum, got.maximum) == (want.min(), want.max())
    np.testing.assert_allclose([got.mean, got.deviation], [want.mean(dtype=float), want.astype(float).std()])
    counts, edges = np.histogram(want.astype(float), 8)
    np.testing.assert_array_equal(got.counts, counts)
    np.testing.assert_allclose(got.edges, edges)


def test_what_is_no_part_of_a_tensor_is_refused(run: Run):
    tensor = run.tensor("weights")
    for index in (9, (0, 0, 0, 0), (..., ...), 1.5, None, True, [0, 1]):
        with pytest.raises(IndexError):
            tensor[index]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError):
        len(tensor[0, 0, 0])
    with pytest.raises(ValueError, match="copy=False"):
        np.array(tensor, copy=False)


def test_a_tensor_that_is_not_there_is_refused(run: Run):
    with pytest.raises(IndexError, match="no value at step 4"):
        run.tensor("weights", step=4)
    with pytest.raises(TagNotFoundError):
        run.tensor("no such tag")


def test_a_group_of_constants_that_alternate_is_constant(tmp_path: Path):
    for run, (first, value) in {"a": (0, 1.0), "b": (5, 3.0)}.items():
        (tmp_path / run).mkdir()
        append(tmp_path / run / MINDSPORE_NAME.format(1), version() + b"".join(
            scalars(step, {"acc": value}) for step in range(first, 100, 10)
        ))  # fmt: skip
    both = open_runs(tmp_path).groups("acc", by=lambda _: "both")["both"]
    inside = both.count == 2
    assert both.is_interpolated
    assert both.x[inside].tolist() == [*range(5, 95, 5)]
    assert set(both.mean[inside]) == {2.0}
    assert both.mean[~inside].tolist() == [1.0, 3.0]  # one run has not begun, the other has ended
    exact = open_runs(tmp_path).groups("acc", by=lambda _: "both", alignment=Alignment.EXACT)["both"]
    assert not exact.is_interpolated
    assert set(exact.count) == {1.0}
