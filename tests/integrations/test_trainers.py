# SPDX-License-Identifier: Apache-2.0
"""Trainings of real libraries with and without a callback, each library in a process of its own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import mindscope
from tests.lineage_row import status_of

SCRIPTS = Path(__file__).parent / "trainings"
PARAMETERS: dict[str, dict[str, Any]] = {
    "sklearn": {"estimator": "Pipeline", "mlpclassifier__alpha": 0.01, "standardscaler__with_mean": True},
    "stable_baselines3": {"algorithm": "PPO", "policy": "ActorCriticPolicy", "n_steps": 32, "depth": 3},
    "ignite": {"lr": 0.1, "net.width": 2},
    "skorch": {"module": "Net", "module__width": 5, "lr": 0.1, "max_epochs": 3, "optimizer": "SGD"},
    "fastai": {"epochs": 2, "batch_size": 8, "model": "Sequential", "loss_func": "CrossEntropyLoss", "lr": 0.1},
    "catboost": {"iterations": 5, "depth": 2},
    "clu": {"lr": 0.1, "width": 3},
    "ultralytics": {"epochs": 3, "lr0": 0.1, "imgsz": 32},
}
"""What each script gives its library, by the name of the script."""
pytestmark = pytest.mark.framework


class Trained(NamedTuple):
    library: str
    directory: Path
    facts: dict[str, dict[str, Any]]
    errors: str

    def run(self, name: str = "run") -> mindscope.Run:
        return mindscope.open_run(self.directory / name)

    def status(self, name: str) -> str | None:
        return status_of(self.directory / name)


def trained(library: str, directory: Path) -> Trained:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPTS), os.environ.get("PYTHONPATH", "")])}
    environment |= {"JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, str(SCRIPTS / f"{library}_training.py"), str(directory)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 1, done.stderr
    assert "Planted" in done.stderr, done.stderr
    facts = next(json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"plain"'))
    return Trained(library, directory, facts, done.stderr)


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Trained]:
    """Each library trains once for all tests."""
    return functools.cache(lambda library: trained(library, tmp_path_factory.mktemp(library)))


@pytest.fixture(params=PARAMETERS)
def training(request: pytest.FixtureRequest, train: Callable[[str], Trained]) -> Trained:
    return train(request.param)


def test_the_training_stays_as_without_a_callback(training: Trained) -> None:
    """Weights and predictions, results and random numbers are the same, also if nothing can be recorded."""
    assert training.facts["ours"] == training.facts["plain"]
    assert training.facts["unusable"] == training.facts["plain"]
    warned = [line for line in training.errors.splitlines() if line.endswith("continues without what it records")]
    assert len([line for line in warned if "below failed" in line]) == 1
    expected = 2 if training.library == "sklearn" else 1  # it records an object that is no estimator too
    assert len(warned) == expected, warned


def test_curves_equal_those_of_the_library(training: Trained) -> None:
    run = training.run()
    for tag, curve in training.facts["ours"]["curves"].items():
        assert run.scalars(tag).step.tolist() == curve["step"], tag
        assert run.scalars(tag).value.tolist() == [float(np.float32(value)) for value in curve["value"]], tag
    assert not run.damages


def test_parameters_are_hyperparameters(training: Trained) -> None:
    expected = PARAMETERS[training.library]
    assert {name: training.run().hparams.get(name) for name in expected} == expected


def test_runs_tell_a_training_that_ended_from_one_that_failed(training: Trained) -> None:
    assert training.status("run") == "success"
    assert training.status("failed") == "failure"


def test_iterations_before_the_first_and_searches_of_scikit_learn(train: Callable[[str], Trained]) -> None:
    training = train("sklearn")
    boosted, search = training.run("boosted"), training.run("search")
    assert boosted.scalars("train_score_").step.tolist() == [0, 1, 2, 3]
    assert search.hparams["best_params_.C"] in (0.1, 1.0)
    (point,) = search.values("table", "cv_results_")
    columns = {column.name: column.values for column in point.value.columns}
    assert len(columns["mean_test_score"]) == 2
    assert list(columns["param_C"]) == [0.1, 1.0]
    assert max(columns["mean_test_score"]) == pytest.approx(search.scalars("best_score_").value[0])
    assert training.status("search") == "success"


def test_media_and_a_logger_of_stable_baselines3(train: Callable[[str], Trained]) -> None:
    training = train("stable_baselines3")
    run = training.run()
    kinds = {"image": "media/image", "video": "media/video", "histogram": "media/weights"}
    assert all(tag in run.tags(kind) for kind, tag in kinds.items())
    assert {"media/figure", "media/image"} <= set(run.tags("image"))
    assert run.scalars("score").value.tolist() == [1.5]
    assert "hidden" not in run.tags()
    assert "media/text/text_summary" in run.tags()
    assert training.run("writer").scalars("rollout/ep_rew_mean").step.tolist() == [32, 64]


def test_histograms_of_ignite(train: Callable[[str], Trained]) -> None:
    training = train("ignite")
    run = training.run()
    assert {"weights/0/weight", "weights/2/bias"} <= set(run.tags("histogram"))
    assert run.histograms("weights/0/weight").step.tolist() == [1, 2, 3]


def test_catboost_that_stops_early(train: Callable[[str], Trained]) -> None:
    training = train("catboost")
    count = int((training.directory / "count").read_text())
    assert count < 200
    assert training.run("stopped").scalars("validation/Logloss").step.tolist() == [*range(1, count + 1)]
    assert training.status("stopped") == "success"


def test_media_of_clu(train: Callable[[str], Trained]) -> None:
    training = train("clu")
    run = training.run()
    assert {"image", "single"} <= {tag.split("/")[0] for tag in run.tags("image")}
    assert set(run.tags("histogram")) == {"weights", "few"}
    assert run.tags("video") == ("video",)
    assert set(run.tags("audio")) == {"sound/0", "sound/1"}
    assert run.values("tensor", "tensor")[0].value.value.shape == (4, 3)
    assert "note/text_summary" in run.tags()
