# SPDX-License-Identifier: Apache-2.0
"""Trials of Optuna as runs, beside the study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from tests.lineage_row import status_of

optuna = pytest.importorskip("optuna")
from mindscope.integrations.optuna import MindscopeCallback  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def objective(trial: Any) -> float:
    rate = trial.suggest_float("rate", 0, 1)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    trial.set_user_attr("note", "mine")
    for step in range(3):
        trial.report(rate / (step + 1), step)
        if trial.number == 2 and step == 1:
            raise optuna.TrialPruned
    return rate if kind == "a" else -rate


def optimized(*callbacks: Any) -> Any:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=4, callbacks=list(callbacks))
    return study


def test_trials_are_runs_and_the_study_stays(tmp_path: Path) -> None:
    study, plain = optimized(MindscopeCallback(tmp_path)), optimized()
    assert [(t.params, t.values, t.state) for t in study.trials] == [
        (t.params, t.values, t.state) for t in plain.trials
    ]
    for trial in study.trials:
        run = mindscope.open_run(tmp_path / f"trial_{trial.number}")
        expected = {**trial.params, "state": trial.state.name, "user.note": "mine"}
        assert run.hparams == expected
        reported = trial.intermediate_values
        assert run.scalars("intermediate").step.tolist() == sorted(reported)
        assert run.scalars("intermediate").value.tolist() == [float(np.float32(reported[s])) for s in sorted(reported)]
        if trial.state.name == "COMPLETE":
            assert run.scalars("value").value.tolist() == [float(np.float32(trial.value))]


def test_several_objectives_and_a_directory_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    callbacks = [MindscopeCallback(tmp_path / "file" / "below"), MindscopeCallback(tmp_path / "runs")]
    study = optuna.create_study(directions=["minimize", "maximize"])
    study.optimize(lambda trial: (1.5, 2.5), n_trials=1, callbacks=callbacks)
    run = mindscope.open_run(tmp_path / "runs" / "trial_0")
    assert [run.scalars(f"value_{number}").value.tolist() for number in range(2)] == [[1.5], [2.5]]
    assert status_of(tmp_path / "runs" / "trial_0") == "success"


def test_a_trial_that_raises_is_a_failed_run(tmp_path: Path) -> None:
    def fails(trial: Any) -> float:
        raise ValueError("planted")

    study = optuna.create_study()
    study.optimize(fails, n_trials=1, catch=ValueError, callbacks=[MindscopeCallback(tmp_path)])
    assert status_of(tmp_path / "trial_0") == "failure"
