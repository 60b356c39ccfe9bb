# SPDX-License-Identifier: Apache-2.0
"""Landscapes of unusual networks, checkpoints and arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from mindscope.errors import FormatError
from mindscope.torch import landscape as typed_landscape
from mindscope.torch import sharpness

pytestmark = pytest.mark.framework

landscape: Any = typed_landscape  # its results have optional parts

torch.manual_seed(0)
ROWS, LABELS = torch.randn(16, 6), torch.randint(0, 3, (16,))


class TwoNames(nn.Module):
    """One of its layers has two names, and two layers have one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        self.second.weight = self.first.weight
        self.same_head = self.head

    def forward(self, rows: Tensor) -> Tensor:
        return self.same_head(torch.tanh(self.second(torch.tanh(self.first(rows)))))


class Counting(nn.Module):
    """Counts its calls; its output depends on it."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 3)
        self.calls: Any
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, rows: Tensor) -> Tensor:
        self.calls += 1
        return self.layer(rows) * self.calls


class OwnLoss(nn.Module):
    """Returns a dict with its loss, as Transformers do."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def forward(self, rows: Tensor, labels: Tensor) -> dict[str, Tensor]:
        output = self.layer(rows)
        return {"output": output, "loss": F.cross_entropy(output, labels)}


class Line(nn.Module):
    """y = weight * x + bias: two parameters of one number."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(0.5))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x + self.bias


def random(network: Any, loss_fn: Any = F.cross_entropy, data: Any = ((ROWS, LABELS),), **given: Any) -> Any:
    return landscape(network, loss_fn, data, **({"method": "random", "size": 4} | given))


def no_tensor(*_: Any) -> float:
    return 0.5


@pytest.mark.parametrize("evaluation", ["loop", "grouped"])
def test_a_layer_with_two_names_keeps_its_parameters(evaluation: str) -> None:
    network = TwoNames()
    before = dict(network.named_parameters(remove_duplicate=False))
    want = F.cross_entropy(network(ROWS), LABELS).item()
    found = random(network, evaluation=evaluation)
    after = dict(network.named_parameters(remove_duplicate=False))
    assert set(after) == set(before)
    assert all(after[name] is before[name] for name in before)
    assert found.convergence_point[2] == pytest.approx(want, rel=1e-5)


def test_buffers_that_count_calls_do_not_change_the_loss() -> None:
    network: Any = Counting()
    found = random(network)
    assert int(network.calls) == 0
    network.calls.fill_(0)
    assert found.convergence_point[2] == pytest.approx(F.cross_entropy(network(ROWS), LABELS).item(), rel=1e-5)


def test_the_loss_of_a_dict() -> None:
    network = OwnLoss()
    found = random(network, None, [{"rows": ROWS, "labels": LABELS}])
    assert found.convergence_point[2] == pytest.approx(network(ROWS, LABELS)["loss"].item(), rel=1e-5)


def test_the_path_of_two_numbers() -> None:
    path = [{"weight": torch.tensor(2.0 - n), "bias": torch.tensor((n - 1.0) ** 2 + 0.5)} for n in range(4)]
    x = torch.linspace(-1, 1, 8)
    found = landscape(Line(), F.mse_loss, [(x, 3 * x)], path, size=5)
    assert found.facts.degenerate == ""
    np.testing.assert_allclose(found.facts.path_distances, 0, atol=1e-6)
    want = [float(F.mse_loss(each["weight"] * x + each["bias"], 3 * x)) for each in path]
    np.testing.assert_allclose(found.path_z, want, rtol=1e-5)


@pytest.mark.parametrize(
    ("network", "given", "error", "text"),
    [
        (torch.jit.ScriptModule(), {}, TypeError, "is a TorchScript module"),
        (nn.Linear(6, 3).requires_grad_(False), {}, ValueError, "no trainable parameters"),
        (nn.Linear(6, 3), {"loss_fn": no_tensor}, TypeError, "loss_fn returned float, want its loss as a tensor"),
        (nn.Linear(6, 3), {"data": [{"rows": ROWS, "y": LABELS}]}, ValueError, "a dict of rows, y, want an entry lab"),
        (nn.Linear(6, 3), {"num_samples": 0}, ValueError, "num_samples is 0, want a whole number from 1"),
        (nn.Linear(6, 3), {"num_samples": "5"}, TypeError, "num_samples is str '5'"),
        (nn.Linear(6, 3), {"seed": -1}, ValueError, "seed is -1, want a whole number from 0"),
        (nn.Linear(6, 3), {"size": 2.5}, TypeError, "size is float 2.5"),
        (nn.Linear(6, 3), {"executor": "process"}, TypeError, "executor is 'process', want one of concurrent.futures"),
    ],
)
def test_what_can_not_be_used_is_said(network: Any, given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        random(network, **given)


def test_checkpoints_that_can_not_be_used_are_named(tmp_path: Path) -> None:
    no_checkpoint, tensor = tmp_path / "text.pt", tmp_path / "tensor.pt"
    no_checkpoint.write_text("weights")
    torch.save(torch.ones(3), tensor)
    for file, text in ((no_checkpoint, "want a state dict"), (tensor, "Tensor; want a state dict")):
        with pytest.raises(FormatError, match=f"{file.name}: .*{text}"):
            sharpness(nn.Linear(6, 3), F.cross_entropy, [(ROWS, LABELS)], file)
    weights = {"weight": torch.ones(3, 6, dtype=torch.complex64), "bias": torch.zeros(3)}
    with pytest.raises(ValueError, match="has complex parameters"):
        random(nn.Linear(6, 3), checkpoints=weights)
