# SPDX-License-Identifier: Apache-2.0
"""``report_to="mindscope"`` in the Trainer of Transformers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindscope

pytest.importorskip("transformers")
from recorded_row import row_of
from small_transformers import small_trainer

import mindscope.torch.integrations.transformers

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


def trained(directory: Path, report_to: Any, **options: Any) -> tuple[list[dict[str, Any]], list[torch.Tensor]]:
    """What the trainer logs in three steps, and the weights."""
    trainer = small_trainer(directory, 48, report_to=report_to, logging_steps=1, **options)
    trainer.train()
    return trainer.state.log_history, [value.detach().clone() for value in trainer.model.parameters()]


def test_it_records_what_the_trainer_logs_and_changes_nothing(tmp_path: Path) -> None:
    logged, weights = trained(tmp_path / "out", "mindscope")
    plain, plain_weights = trained(tmp_path / "plain", [])
    losses = [row["loss"] for row in logged if "loss" in row]
    assert losses == [row["loss"] for row in plain if "loss" in row]
    assert all(torch.equal(ours, other) for ours, other in zip(weights, plain_weights, strict=True))
    (directory,) = (tmp_path / "out" / "runs").iterdir()
    run = mindscope.open_run(directory)
    assert run.scalars("train/loss").value.tolist() == [float(np.float32(loss)) for loss in losses]
    assert run.scalars("train/loss").step.tolist() == [1, 2, 3]
    assert len(run.scalars("loss/auto").value) > 0
    assert not run.damages
    assert not (tmp_path / "plain").exists() or not list((tmp_path / "plain").rglob("*events*"))


def test_the_directory_is_that_of_tensorboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "chosen"))
    trained(tmp_path / "out", ["mindscope"])
    assert mindscope.open_run(tmp_path / "chosen").scalars("train/loss").step.tolist() == [1, 2, 3]


def test_the_name_works_in_the_trainers_of_trl(tmp_path: Path) -> None:
    script = Path(__file__).parent / "trl_training.py"
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path / "hub"),
    }
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(next(line for line in done.stdout.splitlines() if line.startswith('{"ours"')))
    assert facts["ours"]["weights"] == facts["plain"]["weights"]
    losses = [row["loss"] for row in facts["ours"]["log"]]
    assert losses == [row["loss"] for row in facts["plain"]["log"]]
    (directory,) = (tmp_path / "ours" / "runs").iterdir()
    run = mindscope.open_run(directory)
    assert run.scalars("train/loss").value.tolist() == [float(np.float32(loss)) for loss in losses]
    assert run.scalars("train/loss").step.tolist() == [1, 2, 3]
    assert run.scalars("train/mean_token_accuracy").step.tolist() == [1, 2, 3]
    assert row_of(directory)["args.max_steps"] == 3
