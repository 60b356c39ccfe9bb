# SPDX-License-Identifier: Apache-2.0
"""Small networks of many kinds, with batches for them."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.classifier = nn.Sequential(
            nn.Linear(16, 12), nn.ReLU(), nn.Dropout(0.5), nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 4)
        )

    def forward(self, images: Tensor) -> Tensor:
        return self.classifier(self.features(images).flatten(1))


class ResidualNet(nn.Module):
    """Normalizes by running statistics, or by each batch."""

    def __init__(self, tracks: bool = True) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width, track_running_stats=tracks) for width in (4, 8, 8)])
        self.first = nn.Conv2d(4, 8, 3, stride=2, padding=1)
        self.shortcut = nn.Conv2d(4, 8, 1, stride=2)
        self.second = nn.Conv2d(8, 8, 3, padding=1, groups=2, bias=False)
        self.gate = nn.Linear(8, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, images: Tensor) -> Tensor:
        x = F.relu_(self.norms[0](self.stem(images)))
        y = self.norms[2](self.second(F.silu(self.norms[1](self.first(x)))))
        y = y * torch.sigmoid(self.gate(y.mean((2, 3))))[:, :, None, None]  # as in squeeze and excitation
        y = F.relu(y + self.shortcut(x))
        return self.head(torch.cat([F.avg_pool2d(y, 2)[:, :4], F.max_pool2d(y, 2)[:, 4:]], 1).mean((2, 3)))


class OtherNorms(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3, padding="same", padding_mode="reflect")
        self.group_norm = nn.GroupNorm(2, 4)
        self.instance_norm = nn.InstanceNorm2d(4, affine=True, track_running_stats=True)
        self.up = nn.ConvTranspose2d(4, 2, 2, stride=2)
        self.one = nn.Conv1d(2, 3, 3)
        self.norm = nn.BatchNorm1d(3)
        self.rms = nn.RMSNorm(62)
        self.head = nn.Linear(62, 4)

    def forward(self, images: Tensor) -> Tensor:
        x = F.gelu(self.instance_norm(self.group_norm(self.convolution(images))))
        x = F.interpolate(self.up(x), size=(8, 8)).flatten(2)
        return self.head(self.rms(F.elu(self.norm(self.one(x))))).mean(1)


class Transformer(nn.Module):
    """Word by word; the last layer shares the table of words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 8)
        self.places = nn.Parameter(torch.randn(6, 8) * 0.1)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True, activation="gelu")
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 11)
        self.head.weight = self.words.weight

    def forward(self, words: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1], device=words.device)
        x = self.layers(self.words(words) + self.places, mask=mask, is_causal=True)
        return self.head(x).transpose(1, 2)


class BagOfWords(nn.Module):
    """Called with a dict; gives its loss."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 8, padding_idx=0)
        self.head = nn.Linear(8, 3)

    def forward(self, words: Tensor, labels: Tensor, name: str = "") -> dict[str, Any] | tuple[Tensor, Tensor]:
        logits = self.head(self.words(words).mean(1))
        return F.cross_entropy(logits, labels), logits


class TwoInputs(nn.Module):
    """Called with two columns; one of its layers is frozen."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(5, 4), nn.Linear(3, 4)
        self.left.requires_grad_(False)
        self.head = nn.Linear(4, 2)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return self.head(torch.tanh(self.left(left)) * self.right(right))


class DecidesByValue(nn.Module):
    """Its operators depend on values, so that it has no graph."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        return y * 2 if y.sum() > 0 else y - 1


class UnknownOperator(nn.Module):
    """Has an operator that neither a rule nor ``vmap`` knows."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.mindscope_tests.twice(self.layer(x))


class Diverges(nn.Module):
    """Its loss is NaN or infinite far from its weights."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sqrt(1 - self.layer(x).square().mean()) + torch.log(1 - 64 * self.layer.bias.square()).sum()


if not hasattr(torch.ops.mindscope_tests, "twice"):
    torch.library.define("mindscope_tests::twice", "(Tensor x) -> Tensor")
    torch.library.impl("mindscope_tests::twice", "CPU", lambda x: x * 2)
    torch.library.register_fake("mindscope_tests::twice", torch.empty_like)


def classified(inputs: Any, classes: int, rows: int, *shape: int) -> tuple[Any, Tensor]:
    """Inputs with random labels."""
    return inputs, torch.randint(0, classes, (rows, *shape))


def examples() -> dict[str, tuple[nn.Module, Any, Any]]:
    """Network, loss function and batch of each kind of network that can be computed in groups."""
    torch.manual_seed(0)
    loss = F.cross_entropy
    made = {
        "lenet": (LeNet(), loss, classified(torch.randn(12, 1, 12, 12), 4, 12)),
        "residual": (ResidualNet(), loss, classified(torch.randn(12, 3, 8, 8), 4, 12)),
        "residual, by batch": (ResidualNet(tracks=False), loss, classified(torch.randn(12, 3, 8, 8), 4, 12)),
        "other normalizations": (OtherNorms(), loss, classified(torch.randn(6, 3, 4, 4), 4, 6)),
        "transformer with tied weights": (Transformer(), loss, classified(torch.randint(0, 11, (6, 6)), 11, 6, 6)),
        "dict": (
            BagOfWords(), None,
            {"words": torch.randint(0, 11, (9, 5)), "labels": torch.randint(0, 3, (9,)), "name": "a"},
        ),
        "two columns, frozen": (
            TwoInputs(), loss, (torch.randn(8, 5), torch.randn(8, 3), torch.randint(0, 2, (8,))),
        ),
        "float64": (TwoInputs().double(), nn.MSELoss(), tuple(torch.randn(8, n).double() for n in (5, 3, 2))),
    }  # fmt: skip
    for network, _, _ in made.values():
        _warm_up(network)
    return made


def _warm_up(network: nn.Module) -> None:
    """Running statistics as after a training."""
    for module in network.modules():
        if getattr(module, "running_mean", None) is not None:
            module.running_mean.uniform_(-0.3, 0.3)
            module.running_var.uniform_(0.5, 2.0)
