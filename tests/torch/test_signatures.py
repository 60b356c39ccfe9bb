# SPDX-License-Identifier: Apache-2.0
"""Arguments and their defaults are those of MindSpore."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest

from mindscope import torch as ours

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    mindspore = pytest.importorskip("mindspore")
    theirs = pytest.importorskip("mindspore.train")

NAMES = """Callback LossMonitor TimeMonitor ModelCheckpoint EarlyStopping LambdaCallback History LearningRateScheduler
    ReduceLROnPlateau SummaryCollector SummaryRecord RunContext""".split()
OURS = (inspect.Parameter.KEYWORD_ONLY, "queue_timeout")
"""What MindSpore does not have."""
METHODS = "train fit eval".split()


def arguments(made: Any) -> list[tuple[str, Any]]:
    parameters = inspect.signature(made).parameters.items()
    return [(name, each.default) for name, each in parameters if (each.kind, name) != OURS]


@pytest.mark.parametrize("name", NAMES)
def test_class_is_made_alike(name: str) -> None:
    assert arguments(getattr(ours, name)) == arguments(getattr(theirs, name))


@pytest.mark.parametrize("name", METHODS)
def test_model_is_called_alike(name: str) -> None:
    assert arguments(getattr(ours.Model, name)) == arguments(getattr(theirs.Model, name))


def test_model_is_made_alike() -> None:
    want = arguments(theirs.Model)[:-1]  # the last are further keywords
    assert arguments(ours.Model)[: len(want)] == want


def test_turns_of_callbacks_are_the_same() -> None:
    turns = {name for name in vars(theirs.Callback) if not name.startswith("_")}
    assert turns <= {name for name in vars(ours.Callback) if not name.startswith("_")}


@pytest.mark.parametrize("name", ["ModelCheckpoint", "LossMonitor", "EarlyStopping", "History"])
def test_documented_properties_are_there(name: str) -> None:
    public = {each for each in vars(getattr(theirs, name)) if not each.startswith("_")}
    assert public <= set(dir(getattr(ours, name)))
