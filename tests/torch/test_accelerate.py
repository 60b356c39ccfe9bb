# SPDX-License-Identifier: Apache-2.0
"""A loop of Accelerate with ``log_with="mindscope"``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import SmallNet, batches
from torch import nn

import mindscope

accelerate = pytest.importorskip("accelerate")
import mindscope.torch.integrations.accelerate  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


class Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")


def trained(directory: Path, is_logging: bool, extra: Any = None) -> tuple[list[float], list[torch.Tensor]]:
    """The losses and weights of four steps."""
    torch.manual_seed(0)
    accelerator = accelerate.Accelerator(
        log_with="mindscope" if is_logging else None, project_dir=str(directory), cpu=True
    )
    if is_logging:
        accelerator.init_trackers("mine", {"lr": 0.1, "net": {"sizes": [2, 3], "deep": {"bias": True}}, "none": None})
    network = SmallNet()
    network, optimizer, loader = accelerator.prepare(
        network, torch.optim.SGD(network.parameters(), lr=0.1), batches(shuffle=True)
    )
    losses: list[float] = []
    for step, (images, labels) in enumerate(loader):
        loss = nn.functional.cross_entropy(network(images), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(float(loss))
        accelerator.log({"loss": loss, "of": {"rate": 0.5}, "note": "text", **(extra or {})}, step=step)
    if is_logging:
        accelerator.get_tracker("mindscope").log_images({"digits": np.zeros((2, 8, 8, 1), np.uint8)}, 3)
    accelerator.end_training()
    return losses, [value.detach().clone() for value in network.parameters()]


def test_losses_and_configuration_are_recorded_and_weights_stay(tmp_path: Path) -> None:
    losses, weights = trained(tmp_path, is_logging=True)
    plain_losses, plain_weights = trained(tmp_path / "plain", is_logging=False)
    run = mindscope.open_run(tmp_path / "mine")
    assert run.scalars("loss").value.tolist() == losses == plain_losses
    assert all(torch.equal(ours, plain) for ours, plain in zip(weights, plain_weights, strict=True))
    assert run.scalars("loss").step.tolist() == [0, 1, 2, 3]
    assert run.scalars("of/rate").value.tolist() == [0.5] * 4
    assert run.hparams == {"lr": 0.1, "net.sizes": "[2, 3]", "net.deep.bias": True}
    assert {"digits", "note/text_summary"} <= set(run.tags())
    assert not run.damages


def test_a_bad_value_stops_no_training(tmp_path: Path) -> None:
    trained(tmp_path, is_logging=True, extra={"bad": Unprintable(), "list": [1, 2]})
    assert mindscope.open_run(tmp_path / "mine").scalars("loss").step.tolist() == [0, 1, 2, 3]
