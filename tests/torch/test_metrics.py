# SPDX-License-Identifier: Apache-2.0
"""Metrics against the documented values, and against scikit-learn's."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
import sklearn.metrics
import torch
import torchmetrics

from mindscope.errors import MissingPackageError
from mindscope.torch import (
    F1,
    MAE,
    MSE,
    ROC,
    Accuracy,
    BleuScore,
    ConfusionMatrix,
    CosineSimilarity,
    Fbeta,
    Loss,
    Metric,
    Model,
    Perplexity,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
    auc,
    get_metric_fn,
    names,
)
from mindscope.torch.metrics.collection import Metrics, check_metrics

pytestmark = pytest.mark.framework
X = torch.tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])
Y = torch.tensor([1, 0, 1])


def value_of(metric: Any, *inputs: Any) -> Any:
    metric.clear()
    metric.update(*inputs)
    return metric.eval()


@pytest.mark.parametrize(("metric", "want"), [
    (Accuracy(), 2 / 3), (Precision(), [0.5, 1.0]), (Recall(), [1.0, 0.5]), (F1(), [2 / 3, 2 / 3]),
    (Fbeta(1), [2 / 3, 2 / 3]), (Perplexity(), 2.231443166940565), (Top1CategoricalAccuracy(), 2 / 3),
    (Top5CategoricalAccuracy(), 1.0),
])  # fmt: skip
def test_documented_batch_gives_the_documented_value(metric: Any, want: Any) -> None:
    np.testing.assert_allclose(value_of(metric, X, Y), want, rtol=1e-6)


def test_documented_accuracy_is_0_6667(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor(np.array([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]))
    y = torch.tensor(np.array([1, 0, 1]))
    accuracy = value_of(Accuracy(), x, y)
    print("Accuracy is", round(accuracy, 4))
    assert capsys.readouterr().out == "Accuracy is 0.6667\n"


def test_lists_and_arrays_serve_as_tensors_do() -> None:
    assert value_of(Accuracy(), X.numpy(), Y.tolist()) == value_of(Accuracy(), X, Y.float())


def test_one_hot_labels_count_as_classes() -> None:
    assert value_of(Accuracy(), X, torch.nn.functional.one_hot(Y)) == value_of(Accuracy(), X, Y)


def test_batches_add_up_as_scikit_learn_counts_them() -> None:
    generator = torch.Generator().manual_seed(1)
    scores, labels = torch.rand(90, 5, generator=generator), torch.randint(5, (90,), generator=generator)
    guessed, true = scores.argmax(1).numpy(), labels.numpy()
    for metric, want in [
        (Accuracy(), sklearn.metrics.accuracy_score(true, guessed)),
        (Precision(), sklearn.metrics.precision_score(true, guessed, average=None, zero_division=0)),
        (Recall(), sklearn.metrics.recall_score(true, guessed, average=None)),
        (Fbeta(2), sklearn.metrics.fbeta_score(true, guessed, beta=2, average=None)),
        (ConfusionMatrix(5), sklearn.metrics.confusion_matrix(true, guessed)),
        (ConfusionMatrix(5, normalize="target"), sklearn.metrics.confusion_matrix(true, guessed, normalize="true")),
        (TopKCategoricalAccuracy(3), sklearn.metrics.top_k_accuracy_score(true, scores.numpy(), k=3)),
    ]:
        metric.clear()
        for part in range(0, 90, 30):
            metric.update(scores[part : part + 30], labels[part : part + 30])
        np.testing.assert_allclose(metric.eval(), want, rtol=1e-5)


def test_average_is_the_mean_over_classes() -> None:
    precision = Precision()
    precision.update(X, Y)
    assert precision.eval(True) == pytest.approx(0.75)


def test_multilabel_counts_the_labels_of_each_sample_and_only_whole_hits() -> None:
    prediction, label = torch.tensor([[0, 1, 1], [1, 0, 1]]), torch.tensor([[0, 1, 1], [1, 1, 0]])
    assert value_of(Accuracy("multilabel"), prediction, label) == 0.5
    np.testing.assert_allclose(value_of(Recall("multilabel"), prediction, label), [1, 0.5])


def test_errors_are_means_over_samples() -> None:
    x, y = torch.tensor([0.1, 0.2, 0.6, 0.9]), torch.tensor([0.1, 0.25, 0.7, 0.9])
    assert value_of(MAE(), x, y) == pytest.approx(0.0375)
    assert value_of(MSE(), x, y) == pytest.approx(0.003125)
    assert value_of(MAE(), torch.ones(2, 3), torch.zeros(2, 3)) == pytest.approx(3)


def test_loss_is_the_mean_over_batches_and_keeps_nan() -> None:
    loss = Loss()
    loss.update(torch.tensor(1.0))
    loss.update(torch.tensor([2.0, 4.0]))
    assert loss.eval() == 2.0
    loss.update(torch.tensor(float("nan")))
    assert math.isnan(loss.eval())


def test_roc_keeps_the_scores_as_thresholds() -> None:
    scores, labels = np.array([0.28, 0.55, 0.15, 0.05]), np.array([0, 1, 2, 3])
    rates, found, thresholds = value_of(ROC(pos_label=2), scores, labels)
    np.testing.assert_allclose(rates, [0, 1 / 3, 2 / 3, 2 / 3, 1], rtol=1e-6)
    np.testing.assert_allclose(found, [0, 0, 0, 1, 1])
    np.testing.assert_allclose(thresholds, [1.55, 0.55, 0.28, 0.15, 0.05])


def test_area_under_the_curve_is_the_documented_one() -> None:
    scores, labels = np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]), np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]])
    rates, found, _ = value_of(ROC(pos_label=2), scores, labels)
    assert auc(rates, found) == pytest.approx(0.5357142857142857)


def test_roc_of_many_classes_is_scikit_learns_for_each() -> None:
    generator = torch.Generator().manual_seed(2)
    scores, labels = torch.randn(60, 3, generator=generator), torch.randint(3, (60,), generator=generator)
    rates, found, _ = value_of(ROC(), scores, labels)
    for each in range(3):
        want = sklearn.metrics.roc_auc_score(labels.numpy() == each, scores[:, each].numpy())
        assert auc(rates[each], found[each]) == pytest.approx(want, rel=1e-5)


def test_bleu_is_the_documented_one() -> None:
    references = [["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]]
    got = value_of(BleuScore(), [["i", "have", "a", "pen", "on", "my", "desk"]], [references])
    assert got == pytest.approx(0.5946035575013605, rel=1e-6)


def test_perplexity_leaves_the_ignored_label_out() -> None:
    assert value_of(Perplexity(ignore_label=1), X, Y) == pytest.approx(1 / 0.3, rel=1e-6)


def test_cosine_similarity_is_the_documented_one() -> None:
    got = value_of(CosineSimilarity(), np.array([[1, 3, 4, 7], [2, 4, 2, 5], [3, 1, 5, 8]]))
    np.testing.assert_allclose(got[0], [0, 0.94025615, 0.95162452], rtol=1e-6)


def test_names_make_metrics() -> None:
    assert {"accuracy", "loss", "precision", "recall", "F1"} <= set(names())
    assert isinstance(get_metric_fn("precision", eval_type="multilabel"), Precision)
    with pytest.raises(KeyError, match="'accurcy', want one of"):
        get_metric_fn("accurcy")


@pytest.mark.parametrize("metric", [Accuracy(), Precision(), MAE(), Loss(), ROC(), BleuScore(), CosineSimilarity()])
def test_a_value_before_any_batch_is_an_error(metric: Metric) -> None:
    with pytest.raises(RuntimeError, match=r"before any update\(\)"):
        metric.eval()


@pytest.mark.parametrize("make", [
    lambda: Accuracy("regression"), lambda: Fbeta(0), lambda: TopKCategoricalAccuracy(0), lambda: BleuScore(5),
    lambda: ConfusionMatrix(3, normalize="rows"), lambda: check_metrics("accuracy"), lambda: check_metrics({"a": 1}),
    lambda: Accuracy().update(X), lambda: Accuracy().update(X, X[:, :1]), lambda: Accuracy().set_indexes("12"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(make: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="want"):
        make()


def test_objects_of_torchmetrics_and_own_subclasses_are_fed_alike() -> None:
    class Wrong(Metric):
        def __init__(self) -> None:
            self.clear()

        def clear(self) -> None:
            self.count = 0

        def update(self, *inputs: Any) -> None:
            prediction, label = (self._convert_data(each) for each in inputs)
            self.count += int((prediction.argmax(1) != label).sum())

        def eval(self) -> int:
            return self.count

    theirs = torchmetrics.classification.MulticlassAccuracy(2, average="micro")
    metrics = Metrics(check_metrics({"wrong": Wrong(), "theirs": theirs}), None, torch.device("cpu"))
    for _ in range(2):
        metrics.clear()
        metrics.update((torch.tensor(0.5), X, Y), is_ours=True)
        assert metrics.eval() == {"wrong": 1, "theirs": pytest.approx(2 / 3)}


NEEDING = {
    "torchmetrics": "accuracy acc recall F1 roc cosine_similarity mae mse loss bleu_score perplexity",
    "scipy": "hausdorff_distance mean_surface_distance root_mean_square_distance",
}


@pytest.mark.parametrize("package", NEEDING)
def test_missing_package_is_found_when_the_model_is_made(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [each for each in sys.modules if each.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    network = torch.nn.Linear(2, 2)
    for name in NEEDING[package].split():
        with pytest.raises(MissingPackageError, match=f"{package} is not installed, and the metric '{name}' needs it"):
            Model(network, metrics={name})
        with pytest.raises(MissingPackageError, match="the metric 'mine' needs it"):
            Model(network, metrics={"mine": get_metric_fn(name)})
    others = {"dice", *(name for other in NEEDING if other != package for name in NEEDING[other].split())}
    Model(network, metrics=others)
