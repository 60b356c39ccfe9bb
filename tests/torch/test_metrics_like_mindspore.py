# SPDX-License-Identifier: Apache-2.0
"""Every metric beside MindSpore's own, on the same arrays."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from mindscope.torch import metrics as ours

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mindspore = pytest.importorskip("mindspore")
    theirs = pytest.importorskip("mindspore.train.metrics")

RANDOM = np.random.default_rng(1)
SCORES = RANDOM.random((40, 4))
LABELS = RANDOM.integers(0, 4, 40)
FLAGS, TRUE_FLAGS = RANDOM.integers(0, 2, (30, 5)), RANDOM.integers(0, 2, (30, 5))
DOCUMENTED = np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]), np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]]), 0
DISKS = tuple(
    (np.hypot(*np.mgrid[-9:9, -12:12] - np.array(center)[:, None, None]) < size).astype(np.int64)
    for center, size in (((0.0, 0.0), 6), ((2.0, 1.0), 4))
)
CUBES = np.zeros((6, 7, 8), np.int64), np.zeros((6, 7, 8), np.int64)
CUBES[0][1:4, 1:5, 2:6] = CUBES[1][2:6, 1:4, 3:8] = 1
ONE_HOT = tuple(np.eye(4)[RANDOM.integers(0, 4, (6, 5))].transpose(0, 2, 1) for _ in range(2))
WORDS = (
    [["i", "have", "a", "pen", "on", "my", "desk"]],
    [[["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]]],
)
SURFACES = ("HausdorffDistance", "MeanSurfaceDistance")
CASES: list[tuple[str, dict[str, Any], tuple[Any, ...]]] = [
    ("Accuracy", {}, (SCORES, LABELS)), ("Accuracy", {"eval_type": "multilabel"}, (FLAGS, TRUE_FLAGS)),
    ("Precision", {}, (SCORES, LABELS)), ("Precision", {"eval_type": "multilabel"}, (FLAGS, TRUE_FLAGS)),
    ("Recall", {}, (SCORES, LABELS)), ("Recall", {"eval_type": "multilabel"}, (FLAGS, TRUE_FLAGS)),
    ("F1", {}, (SCORES, LABELS)), ("Fbeta", {"beta": 0.5}, (SCORES, LABELS)),
    ("TopKCategoricalAccuracy", {"k": 2}, (SCORES, LABELS)), ("Top1CategoricalAccuracy", {}, (SCORES, LABELS)),
    ("Top5CategoricalAccuracy", {}, (RANDOM.random((20, 9)), RANDOM.integers(0, 9, 20))),
    ("MAE", {}, (SCORES, SCORES[::-1])), ("MSE", {}, (SCORES, SCORES[::-1])), ("Loss", {}, ([0.25],)),
    ("Perplexity", {}, (SCORES, LABELS)), ("Perplexity", {"ignore_label": 1}, (SCORES, LABELS)),
    *(("ConfusionMatrix", {"num_classes": 4, "normalize": how}, (SCORES.argmax(1), LABELS))
      for how in ("no_norm", "target", "prediction", "all")),
    ("ConfusionMatrix", {"num_classes": 2, "threshold": 0.4}, (SCORES[:, 0], LABELS % 2)),
    ("BleuScore", {}, WORDS), ("BleuScore", {"n_gram": 2, "smooth": True}, WORDS),
    *(("CosineSimilarity", {"similarity": how, "reduction": less, "zero_diagonal": zero}, (SCORES,))
      for how, less, zero in (("cosine", "none", True), ("dot", "sum", False), ("cosine", "mean", True))),
    ("ROC", {"pos_label": 2}, (SCORES[:, 0], LABELS)),
    ("Dice", {}, (SCORES[:3, :2], np.array([[0, 1], [1, 0], [0, 1]]))),
    *((name, {"distance_metric": how}, data) for name in SURFACES for how in ("euclidean", "chessboard", "taxicab")
      for data in (DOCUMENTED, (*DISKS, 1), (*CUBES, 1))),
    ("HausdorffDistance", {"percentile": 75.0, "directed": True, "crop": False}, (*DISKS, 1)),
    ("MeanSurfaceDistance", {"symmetric": True}, (*DISKS, 1)),
    ("RootMeanSquareDistance", {"symmetric": True}, (*DISKS, 1)),
    ("RootMeanSquareDistance", {"symmetric": True, "distance_metric": "taxicab"}, (*CUBES, 1)),
]  # fmt: skip


def values_of(module: Any, name: str, options: dict[str, Any], data: tuple[Any, ...]) -> Any:
    metric = getattr(module, name)(**options)
    metric.clear()
    metric.update(*data)
    return metric.eval()


@pytest.mark.parametrize(("name", "options", "data"), CASES)
def test_value_is_that_of_mindspore(name: str, options: dict[str, Any], data: tuple[Any, ...]) -> None:
    got, want = (values_of(module, name, options, data) for module in (ours, theirs))
    pairs = zip(got, want, strict=True) if isinstance(want, (list, tuple)) else [(got, want)]
    for one, other in pairs:
        for mine, each in zip(one, other, strict=True) if isinstance(other, list) else [(one, other)]:
            np.testing.assert_allclose(mine, each, rtol=1e-5, atol=1e-7)


RATE_NAMES = """sensitivity specificity precision npv miss_rate fall_out fdr false_omission_rate prevalence_threshold
    threat_score accuracy balanced_accuracy f1_score mcc fm informedness markedness""".split()


@pytest.mark.parametrize("rate", RATE_NAMES)
@pytest.mark.parametrize("is_by_sample", [False, True])
def test_rate_is_that_of_mindspore(rate: str, is_by_sample: bool) -> None:
    options = {"metric_name": rate, "calculation_method": is_by_sample}
    # MindSpore skips the first class where skip_channel is False
    got = values_of(ours, "ConfusionMatrixMetric", {**options, "skip_channel": True}, ONE_HOT)
    want = values_of(theirs, "ConfusionMatrixMetric", {**options, "skip_channel": False}, ONE_HOT)
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_rates_are_reduced_as_asked() -> None:
    shapes = {"none": (6, 4), "mean": (), "sum": (), "mean_batch": (4,), "sum_batch": (4,), "mean_channel": (6,)}
    for how, shape in shapes.items():
        options = {"skip_channel": False, "calculation_method": True, "decrease": how}
        assert np.shape(values_of(ours, "ConfusionMatrixMetric", options, ONE_HOT)) == shape


def test_documented_rate_is_one_half() -> None:
    x, y = np.array([[[0], [1]], [[1], [0]]]), np.array([[[0], [1]], [[0], [1]]])
    assert values_of(ours, "ConfusionMatrixMetric", {"metric_name": "tpr"}, (x, y)).tolist() == [0.5]


def test_one_way_root_mean_square_is_the_root_that_its_formula_has() -> None:
    got, want = (values_of(each, "RootMeanSquareDistance", {}, (*DISKS, 1)) for each in (ours, theirs))
    assert got**2 == pytest.approx(want)  # MindSpore leaves the root out


def test_surface_that_is_empty_is_infinitely_far() -> None:
    empty = np.zeros_like(DISKS[0])
    for name in (*SURFACES, "RootMeanSquareDistance"):
        assert values_of(ours, name, {}, (DISKS[0], empty, 1)) == float("inf")
        assert values_of(ours, name, {}, (empty, DISKS[0], 1)) == float("inf")


def networks() -> tuple[Any, Any]:
    """The same two rows of weights for both frameworks."""
    weight = np.array([[0.1, 0.8, 0.1, 0.1], [1, 1, 1, 1]], np.float32)
    bias = np.array([0.3, 0.6], np.float32)
    mine = nn.Linear(4, 2)
    mine.load_state_dict({"weight": torch.from_numpy(weight), "bias": torch.from_numpy(bias)})
    tensors = mindspore.Tensor(weight), mindspore.Tensor(bias)
    return mine, mindspore.nn.Dense(4, 2, weight_init=tensors[0], bias_init=tensors[1])


@pytest.mark.parametrize("options", [{}, {"margin": 1, "pad_val": 0.5, "n_batch": 3}, {"b_box": [1, 2]}])
def test_occlusion_is_that_of_mindspore(options: dict[str, Any]) -> None:
    mine, other = networks()
    data, label = np.array([[0.1, 0.2, 0.3, 0.4]], np.float32), np.array(1, np.int32)
    got = values_of(ours, "OcclusionSensitivity", options, (mine, data, label))
    want = values_of(theirs, "OcclusionSensitivity", options, (other, data, label))
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_all_names_and_classes_are_there() -> None:
    assert set(ours.names()) == set(theirs.names())
    assert set(theirs.__all__) <= set(ours.__all__)


def test_arguments_are_those_of_mindspore() -> None:
    for name in theirs.__all__:
        own, their = getattr(ours, name), getattr(theirs, name)
        if inspect.isclass(their) and name != "Metric":
            assert _arguments(own) == _arguments(their), name


def _arguments(made: Callable[..., Any]) -> list[tuple[str, Any]]:
    return [(name, each.default) for name, each in inspect.signature(made).parameters.items()]


def test_inputs_are_rearranged() -> None:
    class Example:
        indexes = [1, 0]

        @ours.rearrange_inputs
        def update(self, *inputs: Any) -> Any:
            return inputs

    assert Example().update(5, 9) == (9, 5)


@pytest.mark.parametrize(("name", "options", "data"), [
    ("Dice", {"smooth": 0}, ()), ("Dice", {}, (SCORES, LABELS)),
    ("HausdorffDistance", {"percentile": 101}, ()), ("HausdorffDistance", {"distance_metric": "l2"}, ()),
    ("MeanSurfaceDistance", {}, (*DISKS, 7)), ("MeanSurfaceDistance", {}, DISKS),
    ("MeanSurfaceDistance", {}, (1, 2, "x")),
    ("ConfusionMatrixMetric", {"metric_name": "speed"}, ()), ("ConfusionMatrixMetric", {"decrease": "half"}, ()),
    ("ConfusionMatrixMetric", {}, (SCORES, SCORES)), ("ConfusionMatrixMetric", {}, (LABELS, LABELS)),
    ("OcclusionSensitivity", {"margin": 0}, ()), ("OcclusionSensitivity", {}, (SCORES, SCORES, 1)),
    ("OcclusionSensitivity", {"b_box": [0, 9]}, (nn.Linear(4, 2), torch.ones(1, 4), 1)),
    ("OcclusionSensitivity", {}, (nn.Linear(4, 2), torch.ones(2, 4), 1)),
])  # fmt: skip
def test_what_does_not_fit_is_refused(name: str, options: dict[str, Any], data: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError), match="want"):
        values_of(ours, name, options, data)
