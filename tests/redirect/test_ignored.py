# SPDX-License-Identifier: Apache-2.0
"""What stands for what is ignored, and charts that become tables."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from mindscope.redirect.ignored import error_class, unknown
from mindscope.redirect.media import Table
from mindscope.redirect.modules import wandb_plots


def test_an_ignored_object_takes_every_use() -> None:
    thing = unknown("wandb.Thing")
    assert not thing
    assert list(thing) == []
    assert len(thing(1, key=2).attribute.method()[3]) == 0
    assert str(thing.path) == "<wandb.Thing.path of mindscope run>"
    with thing() as entered:
        entered["item"] = 1
    assert not isinstance(3, thing)
    assert (thing | None) is thing

    class Mine(thing):
        def __init__(self) -> None:
            super().__init__(1, option=2)

    Mine().anything(3)


def test_as_a_decorator_it_returns_the_function() -> None:
    def function() -> int:
        return 3

    assert unknown("wandb.traced")(function) is function
    assert unknown("weave.op")()(function) is function


def test_private_names_are_no_attributes_and_errors_are_classes() -> None:
    assert not hasattr(unknown("wandb.Thing"), "_private")
    with pytest.raises(AttributeError, match=r"wandb\._attach"):
        unknown("wandb._attach")
    error = unknown("wandb.errors.SomethingError")
    assert error is error_class("wandb", "SomethingError")
    assert issubclass(error, error_class("wandb", "Error"))
    assert not issubclass(error, error_class("swanlab", "Error"))


@pytest.fixture
def scores() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    true = random.integers(0, 3, 50)
    return true, random.random((50, 3)).round(1)  # with ties


def rows_of(table: Table, name: str) -> np.ndarray:
    return np.array([row[1:] for row in table.data if row[0] == name], np.float64)


def test_roc_curves_are_those_of_scikit_learn(scores: tuple[np.ndarray, np.ndarray]) -> None:
    true, probabilities = scores
    table = wandb_plots.roc_curve(true, probabilities, labels=["a", "b", "c"])
    for number, name in enumerate("abc"):
        fpr, tpr, _ = metrics.roc_curve(true == number, probabilities[:, number], drop_intermediate=False)
        assert np.allclose(rows_of(table, name), np.stack([fpr, tpr], 1))


def test_pr_curves_are_those_of_scikit_learn(scores: tuple[np.ndarray, np.ndarray]) -> None:
    true, probabilities = scores
    table = wandb_plots.pr_curve(true, probabilities)
    for number in range(3):
        precision, recall, _ = metrics.precision_recall_curve(true == number, probabilities[:, number])
        expected = np.stack([recall, precision], 1)[-2::-1]  # from the highest threshold, without the point (0, 1)
        assert np.allclose(rows_of(table, f"Class_{number + 1}"), expected)


def test_confusion_matrices_are_those_of_scikit_learn(scores: tuple[np.ndarray, np.ndarray]) -> None:
    true, probabilities = scores
    table = wandb_plots.confusion_matrix(probabilities, true, class_names=["a", "b", "c"])
    expected = metrics.confusion_matrix(true, probabilities.argmax(1))
    assert [row[2] for row in table.data] == expected.ravel().tolist()
    assert wandb_plots.confusion_matrix(y_true=true, preds=probabilities.argmax(1)).data[0][0] == "Class_1"
