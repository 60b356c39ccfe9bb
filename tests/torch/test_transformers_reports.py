# SPDX-License-Identifier: Apache-2.0
"""``report_to="mindscope"`` in the Trainer of Transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import digits

import mindscope

transformers = pytest.importorskip("transformers")
import mindscope.torch.integrations.transformers  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


def trained(directory: Path, report_to: Any, **options: Any) -> tuple[list[dict[str, Any]], list[torch.Tensor]]:
    """What the trainer logs in three steps, and the weights."""
    torch.manual_seed(0)
    config = transformers.ViTConfig(
        image_size=8, patch_size=4, num_channels=1, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, num_labels=10,
    )  # fmt: skip
    model = transformers.ViTForImageClassification(config)
    arguments = transformers.TrainingArguments(
        str(directory), num_train_epochs=1, per_device_train_batch_size=16, use_cpu=True, report_to=report_to,
        disable_tqdm=True, save_strategy="no", logging_steps=1, **options,
    )  # fmt: skip
    samples = [{"pixel_values": image, "labels": label} for image, label in list(digits(48))]
    trainer = transformers.Trainer(model=model, args=arguments, train_dataset=samples)
    trainer.train()
    return trainer.state.log_history, [value.detach().clone() for value in model.parameters()]


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
