# SPDX-License-Identifier: Apache-2.0
"""Callbacks of XGBoost and LightGBM beside the results that the libraries return."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from tests.lineage_row import status_of

pytestmark = pytest.mark.framework
ROUNDS = 5
GENERATOR = np.random.default_rng(0)
ROWS, LABELS = GENERATOR.random((80, 4)), GENERATOR.integers(0, 2, 80)


def numbers(values: Any) -> list[float]:
    return [float(np.float32(value)) for value in values]


@pytest.fixture
def unusable(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / "below"


XGBOOST: dict[str, Any] = {
    "objective": "binary:logistic", "max_depth": 2, "eval_metric": ["logloss", "auc"], "nthread": 1, "seed": 0,
    "subsample": 0.5,
}  # fmt: skip
LIGHTGBM: dict[str, Any] = {
    "objective": "binary", "metric": ["binary_logloss", "auc"], "num_threads": 1, "seed": 0, "verbose": -1,
    "min_data_in_leaf": 5, "bagging_fraction": 0.5, "bagging_freq": 1,
}  # fmt: skip


def test_xgboost(tmp_path: Path, unusable: Path) -> None:
    import xgboost

    from mindscope.integrations.xgboost import MindscopeCallback

    train, test = xgboost.DMatrix(ROWS[:60], LABELS[:60]), xgboost.DMatrix(ROWS[60:], LABELS[60:])

    def trained(*callbacks: Any) -> tuple[Any, bytes]:
        results: dict[str, Any] = {}
        booster = xgboost.train(
            XGBOOST, train, ROUNDS, evals=[(train, "train"), (test, "test")], evals_result=results, verbose_eval=False,
            callbacks=list(callbacks),
        )  # fmt: skip
        return results, bytes(booster.save_raw())

    results, model = trained(MindscopeCallback(tmp_path / "run"))
    assert (results, model) == trained()
    assert (results, model) == trained(MindscopeCallback(unusable))
    run = mindscope.open_run(tmp_path / "run")
    assert sorted(run.tags("scalar")) == ["test/auc", "test/logloss", "train/auc", "train/logloss"]
    for data, metrics in results.items():
        for metric, values in metrics.items():
            assert run.scalars(f"{data}/{metric}").value.tolist() == numbers(values)
            assert run.scalars(f"{data}/{metric}").step.tolist() == [*range(ROUNDS)]
    assert run.hparams["objective.name"] == "binary:logistic"
    assert status_of(tmp_path / "run") == "success"


def test_a_failed_training_of_xgboost_is_a_failed_run(tmp_path: Path) -> None:
    import xgboost

    from mindscope.integrations.xgboost import MindscopeCallback

    def objective(predictions: Any, data: Any) -> Any:
        raise ValueError("planted")

    callback = MindscopeCallback(tmp_path)
    with pytest.raises(ValueError, match="planted"), callback.run:
        xgboost.train({"nthread": 1}, xgboost.DMatrix(ROWS, LABELS), ROUNDS, obj=objective, callbacks=[callback])
    assert status_of(tmp_path) == "failure"


def test_xgboost_cross_validation(tmp_path: Path) -> None:
    import xgboost

    from mindscope.integrations.xgboost import MindscopeCallback

    callback = MindscopeCallback(tmp_path)
    table = xgboost.cv(
        XGBOOST, xgboost.DMatrix(ROWS, LABELS), ROUNDS, nfold=3, as_pandas=False, callbacks=[callback], seed=0
    )
    run = mindscope.open_run(tmp_path)
    assert run.scalars("test/logloss").value.tolist() == numbers(table["test-logloss-mean"])
    assert run.scalars("test/logloss-std").value.tolist() == numbers(table["test-logloss-std"])


def test_lightgbm(tmp_path: Path, unusable: Path) -> None:
    import lightgbm

    from mindscope.integrations.lightgbm import MindscopeCallback

    def trained(*callbacks: Any) -> tuple[Any, str]:
        results: dict[str, Any] = {}
        train = lightgbm.Dataset(ROWS[:60], LABELS[:60])
        test = lightgbm.Dataset(ROWS[60:], LABELS[60:], reference=train)
        booster = lightgbm.train(
            LIGHTGBM, train, ROUNDS, valid_sets=[train, test], valid_names=["train", "test"],
            callbacks=[lightgbm.record_evaluation(results), *callbacks],
        )  # fmt: skip
        return results, booster.model_to_string()

    results, model = trained(MindscopeCallback(tmp_path / "run"))
    assert (results, model) == trained()
    assert (results, model) == trained(MindscopeCallback(unusable))
    run = mindscope.open_run(tmp_path / "run")
    assert len(run.tags("scalar")) == 4
    for data, metrics in results.items():
        for metric, values in metrics.items():
            assert run.scalars(f"{data}/{metric}").value.tolist() == numbers(values)
            assert run.scalars(f"{data}/{metric}").step.tolist() == [*range(ROUNDS)]
    assert run.hparams["objective"] == "binary"


def test_lightgbm_cross_validation(tmp_path: Path) -> None:
    import lightgbm

    from mindscope.integrations.lightgbm import MindscopeCallback

    callback = MindscopeCallback(tmp_path)
    table = lightgbm.cv(LIGHTGBM, lightgbm.Dataset(ROWS, LABELS), ROUNDS, nfold=3, callbacks=[callback], seed=0)
    run = mindscope.open_run(tmp_path)
    assert run.scalars("valid/auc").value.tolist() == numbers(table["valid auc-mean"])
    assert run.scalars("valid/auc-std").value.tolist() == numbers(table["valid auc-stdv"])


def test_lightgbm_that_stops_early(tmp_path: Path) -> None:
    import lightgbm

    from mindscope.integrations.lightgbm import MindscopeCallback

    results: dict[str, Any] = {}
    callback = MindscopeCallback(tmp_path / "first")

    def trained() -> Any:
        train = lightgbm.Dataset(ROWS[:60], LABELS[:60])
        test = lightgbm.Dataset(ROWS[60:], LABELS[60:], reference=train)
        callbacks = [lightgbm.record_evaluation(results), lightgbm.early_stopping(2, verbose=False), callback]
        return lightgbm.train(LIGHTGBM, train, 100, valid_sets=[test], valid_names=["test"], callbacks=callbacks)

    with callback.run:
        booster = trained()
    losses = results["test"]["binary_logloss"]
    assert booster.best_iteration < len(losses) < 100
    run = mindscope.open_run(tmp_path / "first")
    assert run.scalars("test/binary_logloss").value.tolist() == numbers(losses)
    assert status_of(tmp_path / "first") == "success"
    trained()  # which nothing ends
    callback.run.writer.flush()
    assert mindscope.open_run(tmp_path / "first").scalars("test/binary_logloss").value.tolist() == numbers(losses)
    assert status_of(tmp_path / "first") != "failure"
    callback.run.end()
    assert status_of(tmp_path / "first") == "success"


def test_what_goes_wrong_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    import lightgbm

    from mindscope.integrations.lightgbm import MindscopeCallback

    (tmp_path / "file").write_text("")
    callback = MindscopeCallback(tmp_path / "file" / "below")
    lightgbm.train(LIGHTGBM, lightgbm.Dataset(ROWS, LABELS), ROUNDS, callbacks=[callback])
    assert len([record for record in caplog.records if "below" in record.getMessage()]) == 1


def test_a_full_disk_changes_no_training_and_is_logged(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    import lightgbm

    from mindscope.integrations.lightgbm import MindscopeCallback

    (small_disk / "run").mkdir()
    with pytest.raises(OSError, match="No space"):
        (small_disk / "filler").write_bytes(bytes(1 << 20))

    def trained(*callbacks: Any) -> str:
        train = lightgbm.Dataset(ROWS, LABELS)
        booster = lightgbm.train(LIGHTGBM, train, ROUNDS, valid_sets=[train], callbacks=list(callbacks))
        return booster.model_to_string()

    assert trained(MindscopeCallback(small_disk / "run")) == trained()
    assert len([record for record in caplog.records if "No space" in record.getMessage()]) == 1
