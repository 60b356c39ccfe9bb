# SPDX-License-Identifier: Apache-2.0
"""Methods of search on a function with a known minimum."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import pytest

from mindscope.sweep.config import SweepConfig, config_of
from mindscope.sweep.directory import SweepDirectory
from mindscope.sweep.study import SweepStudy
from mindscope.sweep.workers import Worker

TRIALS = 40


def best_of(folder: Path, config: SweepConfig) -> float:
    """Return the best value of a study over x² + y², or of its negative if that is to be high."""
    directory = SweepDirectory(folder / config.name)
    directory.create()
    study = SweepStudy(config, directory, Worker(directory.workers))
    sign = -1 if config.metric and config.metric.is_maximized else 1
    while trial := study.claim():
        study.complete(trial, sign * sum((value - 3) ** 2 for value in trial.values.values()))
    status = study.status()
    assert (status.complete, status.total) == (TRIALS, TRIALS)
    assert status.best is not None
    return status.best


def config(goal: str) -> SweepConfig:
    axis = {"min": -10.0, "max": 10.0}
    return config_of(
        {"program": "t.py", "method": "random", "metric": {"name": "loss", "goal": goal}, "run_cap": TRIALS,
         "parameters": {"x": axis, "y": axis}}, Path("s.yaml"),
    )  # fmt: skip


NEEDS_CMAES = pytest.mark.skipif(find_spec("cmaes") is None, reason="cmaes is not installed")


@pytest.mark.parametrize(
    ("method", "goal"),
    [("bayes", "minimize"), ("bayes", "maximize"), pytest.param("cmaes", "minimize", marks=NEEDS_CMAES)],
)
def test_a_search_beats_a_random_one(tmp_path: Path, method: str, goal: str) -> None:
    results: dict[str, list[float]] = {"random": [], method: []}
    for name, values in results.items():
        for seed in range(7):
            one = replace(config(goal), name=f"{name}-{seed}", method=name, seed=seed)
            values.append(abs(best_of(tmp_path, one)))
    assert median(results[method]) < 0.5 * median(results["random"])
