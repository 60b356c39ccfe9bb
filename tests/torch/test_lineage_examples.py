# SPDX-License-Identifier: Apache-2.0
"""The lineage table of the example of a sweep."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import mindscope
from mindscope.lineage.cell import CellKind
from mindscope.lineage.table import Table

pytestmark = pytest.mark.framework
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


def imported(name: str) -> ModuleType:
    return __import__(name)


@pytest.fixture
def sweep(examples: None) -> ModuleType:
    return imported("lineage_sweep")


def table_of(directory: Path) -> Table:
    return mindscope.open_runs(directory).lineage()


def trial(sweep: ModuleType, **settings: Any) -> Any:
    default: dict[str, Any] = {
        "learning_rate": 0.01, "batch_size": 64, "optimizer": "Adam", "weight_decay": 0.0, "network": "perceptron",
        "width": 16, "dropout": 0.1, "augmentation": "none", "is_annealed": False, "seed": 1, "note": "x",
    }  # fmt: skip
    return sweep.Trial(**(default | settings))


def test_columns_kinds_and_values_of_three_trainings(sweep: ModuleType, tmp_path: Path) -> None:
    groups = [
        trial(sweep, weight_decay=0.001, is_annealed=True, augmentation="shift"),
        trial(sweep, optimizer="SGD", dropout=None, network="convolutions", batch_size=32, width=8),
        trial(sweep, optimizer="SGD", learning_rate=30.0, augmentation="extra shifted copy", note="too fast"),
    ]
    outcomes = [sweep.train(tmp_path / f"run_{place}", each, 2) for place, each in enumerate(groups)]
    assert outcomes == ["finished", "finished", "diverged"]
    table = table_of(tmp_path)
    want: dict[str, tuple[CellKind, list[Any]]] = {
        "learning_rate": (CellKind.FLOAT, [0.01, 0.01, 30.0]),
        "batch_size": (CellKind.INT, [64, 32, 64]),
        "optimizer": (CellKind.TEXT, ["Adam", "SGD", "SGD"]),
        "seed": (CellKind.INT, [1, 1, 1]),
        "optimizer.weight_decay": (CellKind.FLOAT, [0.001, 0.0, 0.0]),
        "optimizer.momentum": (CellKind.FLOAT, [None, 0.9, 0.9]),
        "optimizer.betas": (CellKind.LIST, [(0.9, 0.999), None, None]),
        "optimizer.nesterov": (CellKind.BOOL, [None, False, False]),
        "scheduler": (CellKind.TEXT, ["CosineAnnealingLR", None, None]),
        "scheduler.T_max": (CellKind.INT, [38, None, None]),
        "dataset/train_size": (CellKind.INT, [1200, 1200, 2400]),
        "dataset/eval_size": (CellKind.INT, [597, 597, 597]),
        "algorithm/network": (CellKind.TEXT, ["Perceptron", "Convolutions", "Perceptron"]),
        "model/parameters": (CellKind.INT, [1210, 1410, 1210]),
        "custom/width": (CellKind.INT, [16, 8, 16]),
        "custom/dropout": (CellKind.FLOAT, [0.1, None, 0.1]),
        "custom/augmentation": (CellKind.TEXT, ["shift", "none", "extra shifted copy"]),
        "custom/note": (CellKind.TEXT, ["x", "x", "too fast"]),
        "custom/outcome": (CellKind.TEXT, outcomes),
    }
    assert {id: (table.columns[id].kind, table.columns[id].cells.tolist()) for id in want} == want
    losses, accuracies = table.columns["metric/loss"], table.columns["metric/accuracy"]
    assert (losses.kind, losses.count, accuracies.kind) == (CellKind.FLOAT, 3, CellKind.FLOAT)
    assert [math.isnan(loss) for loss in losses.cells] == [False, False, True]
    assert 0.2 < accuracies.numbers[0] <= 1
    marks = table.pipelines().marks
    assert len(set(marks.values())) == 3


def test_equal_pipelines_share_a_row(sweep: ModuleType, tmp_path: Path) -> None:
    for place, augmentation in enumerate(["noise", "noise", "shift and noise"]):
        sweep.train(tmp_path / str(place), trial(sweep, augmentation=augmentation), 1)
    marks = table_of(tmp_path).pipelines().marks
    assert (marks["0"], marks["1"], marks["2"]) == (0, 0, 1)


def test_settings_vary_and_are_repeatable(sweep: ModuleType) -> None:
    first, again = sweep.trials(0), sweep.trials(0)
    trials = [next(first) for _ in range(48)]
    assert trials == [next(again) for _ in range(48)]
    for name, least in {
        "optimizer": 4,
        "batch_size": 4,
        "augmentation": 5,
        "width": 4,
        "seed": 5,
        "network": 2,
    }.items():
        assert len({getattr(each, name) for each in trials}) == least
    rates = [each.learning_rate for each in trials]
    assert max(rates) / min(rates) > 1000
    assert {each.dropout is None for each in trials} == {True, False}


def test_sweep_from_the_command_line_continues(
    sweep: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        monkeypatch.setattr(sys, "argv", ["x", "--directory", str(tmp_path), "--runs", "1", "--epochs", "1"])
        sweep.main()
    assert table_of(tmp_path).runs == ("run_01", "run_02")
    shown = capsys.readouterr().out
    assert shown.count("best: run_0") == 2
