# SPDX-License-Identifier: Apache-2.0
"""Trainings of a few milliseconds a step, healthy ones of many kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

Loss = Callable[[int], Tensor]
"""Of a step."""
STEPS = 6


class Training:
    """A network, its optimizers, and the loss of each step."""

    def __init__(self, network: nn.Module, loss: Callable[[nn.Module, int], Tensor], **facts: Any) -> None:
        self.network, self.loss = network, loss
        trained = [each for each in network.parameters() if each.requires_grad]
        make = facts.get("optimizer", lambda parameters: torch.optim.Adam(parameters, lr=1e-2))
        self.optimizer: torch.optim.Optimizer = make(trained)
        self.accumulated: int = facts.get("accumulated", 1)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=facts.get("scale", 1.0), enabled="scale" in facts)

    def step(self, number: int) -> Tensor:
        loss = self.loss(self.network, number)
        self.scaler.scale(loss / self.accumulated).backward()
        if (number + 1) % self.accumulated == 0:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad()
        return loss.detach()


def numbers(number: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(number))


def classes(number: int, count: int, most: int = 3) -> Tensor:
    return torch.randint(0, most, (count,), generator=torch.Generator().manual_seed(number))


def classify(*shape: int) -> Callable[[nn.Module, int], Tensor]:
    return lambda network, number: F.cross_entropy(network(numbers(number, *shape)), classes(number, shape[0]))


def regress(network: nn.Module, number: int) -> Tensor:
    x = numbers(number, 8, 4)
    return F.mse_loss(network(x), x.sum(1, keepdim=True))


def mlp(act: nn.Module, *more: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Linear(4, 16), *more, act, nn.Linear(16, 3))


class CausalAttention(nn.Module):
    """Attention by hand with a mask of -inf."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.qkv, self.head = nn.Embedding(11, 8), nn.Linear(8, 24), nn.Linear(8, 11)

    def forward(self, tokens: Tensor) -> Tensor:
        q, k, v = self.qkv(self.embedding(tokens)).chunk(3, -1)
        mask = torch.triu(torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool), 1)
        scores = (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(mask, float("-inf"))
        return self.head(scores.softmax(-1) @ v)


class FloatMask(CausalAttention):
    """Adds a mask of -inf to the scores."""

    def forward(self, tokens: Tensor) -> Tensor:
        q, k, v = self.qkv(self.embedding(tokens)).chunk(3, -1)
        mask = torch.full((tokens.shape[1], tokens.shape[1]), float("-inf")).triu(1)
        return self.head(F.scaled_dot_product_attention(q, k, v, attn_mask=mask))


class Recurrent(nn.Module):
    def __init__(self, cell: type[nn.Module]) -> None:
        super().__init__()
        self.cell, self.head = cell(4, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cell(x)[0][:, -1])


class LoRA(nn.Module):
    """A frozen layer with a product of two small matrices, of which one begins at zero."""

    def __init__(self) -> None:
        super().__init__()
        self.base = nn.Linear(4, 3).requires_grad_(False)
        self.down, self.up = nn.Linear(4, 2, bias=False), nn.Linear(2, 3, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.up(self.down(x))


class ZeroResidual(nn.Module):
    """A residual block whose last layer begins at zero."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
        self.head = nn.Linear(4, 3)
        nn.init.zeros_(self.block[2].weight)
        nn.init.zeros_(self.block[2].bias)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(x + self.block(x))


class VAE(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 4), nn.Linear(2, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encoder(x).chunk(2, -1)
        return self.decoder(mean + (log_variance / 2).exp() * torch.randn_like(mean)), mean, log_variance


def vae_loss(network: nn.Module, number: int) -> Tensor:
    x = numbers(number, 8, 4)
    found, mean, log_variance = network(x)
    return F.mse_loss(found, x) + 0.1 * (mean**2 + log_variance.exp() - 1 - log_variance).mean()


class Experts(nn.Module):
    """Each row goes to one of two experts."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.experts = nn.ModuleList([nn.Linear(4, 3) for _ in range(2)])

    def forward(self, x: Tensor) -> Tensor:
        shares = self.gate(x).softmax(-1)
        found = torch.zeros(len(x), 3)
        for number, expert in enumerate(self.experts):
            rows = shares.argmax(-1) == number
            found[rows] = expert(x[rows]) * shares[rows, number, None]
        return found


def language(network: nn.Module, number: int) -> Tensor:
    tokens = classes(number, 4 * 6, 11).view(4, 6)
    return F.cross_entropy(network(tokens).flatten(0, 1), tokens.roll(-1, 1).flatten())


def hinge(network: nn.Module, number: int) -> Tensor:
    x = numbers(number, 16, 4) + 0.01
    return F.relu(1 - 100 * network(x)[:, 0] * x[:, 0].sign()).mean() + 1e-3 * network(x).square().mean()


def ordered_hinge() -> nn.Module:
    network = nn.Linear(4, 1)
    with torch.no_grad():
        network.weight.copy_(torch.tensor([[30.0, 0, 0, 0]]))
        network.bias.zero_()
    return network


def contrastive(network: nn.Module, number: int) -> Tensor:
    x = numbers(number, 8, 4)
    one, other = (F.normalize(network(x + 0.1 * numbers(number + each, 8, 4))) for each in (1, 2))
    return F.cross_entropy(one @ other.T / 0.1, torch.arange(8))


def autocast(dtype: torch.dtype) -> Callable[[nn.Module, int], Tensor]:
    def loss(network: nn.Module, number: int) -> Tensor:
        with torch.autocast("cpu", dtype):
            return F.cross_entropy(network(numbers(number, 8, 4)).float(), classes(number, 8))

    return loss


def converged() -> nn.Module:
    network = nn.Linear(4, 1)
    with torch.no_grad():
        network.weight.fill_(1)
        network.bias.zero_()
    return network


def almost_converged(network: nn.Module, number: int) -> Tensor:
    """Gradients of about 1e-8 on every processor: they change a bias of zero, and not a weight of one."""
    return regress(network, number) + 1e-8 * sum(each.sum() for each in network.parameters())


class KeyBias(nn.Module):
    """A softmax takes away what the bias of the key adds to all scores of a query."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.head = (nn.Linear(8, size) for size in (8, 8, 8, 3))

    def forward(self, x: Tensor) -> Tensor:
        weights = (self.query(x) @ self.key(x).transpose(1, 2) / 8**0.5).softmax(-1)
        return self.head((weights @ self.value(x)).mean(1))


def transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.Sequential(
        nn.Embedding(11, 8), nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(8, 11)
    )


def sgd(**facts: Any) -> Callable[[Any], torch.optim.Optimizer]:
    return lambda parameters: torch.optim.SGD(parameters, **{"lr": 0.05, **facts})


def conv(*more: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Conv2d(1, 4, 3), *more, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3))


class Shift(nn.Module):
    """Adds a number to each channel, which a normalization after it takes away."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(1, 4, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.shift


HEALTHY: dict[str, Callable[[], Training]] = {
    "linear regression": lambda: Training(nn.Linear(4, 1), regress, optimizer=sgd()),
    "ReLU": lambda: Training(mlp(nn.ReLU()), classify(8, 4)),
    "tanh": lambda: Training(mlp(nn.Tanh()), classify(8, 4), optimizer=sgd(momentum=0.9)),
    "sigmoid": lambda: Training(mlp(nn.Sigmoid()), classify(8, 4)),
    "GELU and layer norm": lambda: Training(mlp(nn.GELU(), nn.LayerNorm(16)), classify(8, 4)),
    "dropout": lambda: Training(mlp(nn.ReLU(), nn.Dropout(0.5)), classify(8, 4)),
    "batch norm": lambda: Training(mlp(nn.ReLU(), nn.BatchNorm1d(16)), classify(8, 4)),
    "convolutions": lambda: Training(conv(), classify(4, 1, 8, 8)),
    "convolutions with batch norm": lambda: Training(conv(nn.BatchNorm2d(4)), classify(4, 1, 8, 8)),
    "shift of channels before batch norm": lambda: Training(conv(Shift(), nn.BatchNorm2d(4)), classify(4, 1, 8, 8)),
    "LSTM": lambda: Training(Recurrent(nn.LSTM), classify(4, 5, 4)),
    "GRU": lambda: Training(Recurrent(nn.GRU), classify(4, 5, 4)),
    "RNN": lambda: Training(Recurrent(nn.RNN), classify(4, 5, 4)),
    "transformer": lambda: Training(transformer(), language),
    "causal attention": lambda: Training(CausalAttention(), language),
    "mask of floats": lambda: Training(FloatMask(), language),
    "autoencoder": lambda: Training(
        nn.Sequential(nn.Linear(4, 2), nn.Tanh(), nn.Linear(2, 4)),
        lambda network, number: F.mse_loss(network(numbers(number, 8, 4)), numbers(number, 8, 4)),
    ),
    "VAE": lambda: Training(VAE(), vae_loss),
    "LoRA": lambda: Training(LoRA(), classify(8, 4)),
    "residual block that begins at zero": lambda: Training(ZeroResidual(), classify(8, 4)),
    "mixture of experts": lambda: Training(Experts(), classify(16, 4)),
    "hinge loss": lambda: Training(ordered_hinge(), hinge, optimizer=sgd(lr=1e-4)),
    "contrastive": lambda: Training(mlp(nn.ReLU()), contrastive),
    "bfloat16": lambda: Training(mlp(nn.ReLU()), autocast(torch.bfloat16)),
    "float16 with a scale": lambda: Training(mlp(nn.ReLU()), autocast(torch.float16), scale=2.0**10),
    "float16 with a scale that begins too large": lambda: Training(
        mlp(nn.ReLU()), autocast(torch.float16), scale=2.0**24
    ),
    "accumulated gradients": lambda: Training(mlp(nn.ReLU()), classify(8, 4), accumulated=2),
    "converged": lambda: Training(converged(), regress, optimizer=sgd()),
    "almost converged": lambda: Training(converged(), almost_converged, optimizer=sgd()),
    "bias before batch norm": lambda: Training(
        mlp(nn.ReLU(), nn.BatchNorm1d(16)), classify(8, 4), optimizer=sgd(momentum=0.9)
    ),
    "bias of a key": lambda: Training(KeyBias(), classify(8, 6, 8), optimizer=sgd()),
    "weight decay": lambda: Training(
        mlp(nn.ReLU()), classify(8, 4), optimizer=lambda each: torch.optim.AdamW(each, lr=1e-2, weight_decay=0.1)
    ),
    "RMSprop": lambda: Training(
        mlp(nn.ReLU()), classify(8, 4), optimizer=lambda each: torch.optim.RMSprop(each, lr=1e-3)
    ),
}


def steps_of(training: Training) -> Iterator[tuple[int, Tensor]]:
    """Trains; yields each step's number from 1 on with its loss."""
    for number in range(STEPS):
        yield number + 1, training.step(number)
