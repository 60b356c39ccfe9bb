# SPDX-License-Identifier: Apache-2.0
"""MindscopeCallback in Keras 3 on the backends of PyTorch and JAX, beside the history that Keras returns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope

pytestmark = [
    pytest.mark.framework,
    pytest.mark.skipif(find_spec("keras") is None, reason="keras is not there; importing it wants a backend"),
]
SCRIPT = Path(__file__).parent / "keras_training.py"
EVERYTHING = {"histogram_freq": 1, "write_images": True, "write_steps_per_second": True, "update_freq": 1}


def trained(backend: str, *arguments: str) -> tuple[dict[str, Any], str]:
    environment = {**os.environ, "KERAS_BACKEND": backend, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def numbers(values: list[float]) -> list[float]:
    return [float(np.float32(value)) for value in values]


@pytest.mark.parametrize("backend", ["torch", "jax"])
def test_curves_equal_the_history_and_the_training_stays(tmp_path: Path, backend: str) -> None:
    pytest.importorskip(backend)
    ours, _ = trained(backend, str(tmp_path), json.dumps(EVERYTHING))
    plain, _ = trained(backend)
    assert (ours["history"], ours["batches"], ours["digest"]) == (plain["history"], plain["batches"], plain["digest"])
    assert ours["modules"] == []
    train, validation = mindscope.open_run(tmp_path / "train"), mindscope.open_run(tmp_path / "validation")
    for name in ("loss", "accuracy"):
        assert train.scalars(f"epoch_{name}").value.tolist() == numbers(ours["history"][name])
        assert validation.scalars(f"epoch_{name}").value.tolist() == numbers(ours["history"][f"val_{name}"])
    assert train.scalars("epoch_loss").step.tolist() == [0, 1]
    assert train.scalars("epoch_learning_rate").value.tolist() == numbers([0.05, 0.05])
    assert train.scalars("batch_loss").value.tolist() == numbers(ours["batches"])
    assert train.scalars("batch_loss").step.tolist() == [1, 2, 3, 4, 5, 6]
    assert validation.scalars("evaluation_loss_vs_iterations").step.tolist() == [3, 6]
    weights = {f"sequential/{layer}/{weight}" for layer in ("conv", "dense") for weight in ("kernel", "bias")}
    assert set(train.tags("histogram")) == {f"{name}/histogram" for name in weights}
    assert set(train.tags("image")) == {f"{name}/image" for name in weights}
    assert {"epoch_steps_per_second", "batch_steps_per_second"} <= set(train.tags("scalar"))
    assert len(train.graphs()) == 1
    assert not train.damages
    assert not validation.damages


def test_defaults_record_epochs_only(tmp_path: Path) -> None:
    trained("torch", str(tmp_path), "{}")
    assert sorted(mindscope.open_run(tmp_path / "train").tags("scalar")) == [
        "epoch_accuracy", "epoch_learning_rate", "epoch_loss",
    ]  # fmt: skip


def test_a_directory_that_can_not_be_made_stops_no_training(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ours, errors = trained("torch", str(tmp_path / "file" / "below"), json.dumps({"profile_batch": 2}))
    plain, _ = trained("torch")
    assert ours["digest"] == plain["digest"]
    assert "the training continues" in errors
    assert "profile_batch has no effect" in errors
