# SPDX-License-Identifier: Apache-2.0
"""Train a small transformer of PyTorch to sort digits, and record its graph, attention and curves.

python examples/sorting_transformer.py --log-dir runs/sorting --steps 300
python examples/sorting_transformer.py --log-dir runs/failing --steps 1000 --loss by-hand

The second one fails: its loss takes the logarithm of 1 - p, which is 0 as soon as the network is sure. Statistics of a
debugger and the recorded output let the page Debugger say so.
"""

from __future__ import annotations

import argparse
import math
from contextlib import ExitStack
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from mindscope.torch import Debugger, SummaryCollector

DIGITS, LENGTH, BATCH = 10, 12, 32
PRINTED_EVERY = 20


class Attention(nn.Module):
    """Self-attention of several heads; it keeps the weights of its last call."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.weights = torch.zeros(0)

    def forward(self, x: Tensor) -> Tensor:
        """Tokens of shape (N, LENGTH, width) for such tokens."""
        query, key, value = (each.unflatten(-1, (self.heads, -1)).transpose(1, 2) for each in self.qkv(x).chunk(3, -1))
        weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), -1)
        self.weights = weights.detach()
        return self.out((weights @ value).transpose(1, 2).flatten(2))


class Block(nn.Module):
    """Attention and a perceptron, each with a residual."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2, self.mlp = (
            nn.LayerNorm(width),
            nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Tokens of shape (N, LENGTH, width) for such tokens."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SortingTransformer(nn.Module):
    """Says for each position which digit belongs there."""

    def __init__(self, width: int = 32, heads: int = 4, depth: int = 3) -> None:
        super().__init__()
        self.digit, self.position = nn.Embedding(DIGITS, width), nn.Parameter(torch.randn(LENGTH, width) / 10)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, DIGITS)

    def forward(self, digits: Tensor) -> Tensor:
        """Logits of shape (N, LENGTH, DIGITS) for digits of shape (N, LENGTH)."""
        return self.head(self.norm(self.blocks(self.digit(digits) + self.position)))


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """The loss as PyTorch computes it."""
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def cross_entropy_by_hand(logits: Tensor, targets: Tensor) -> Tensor:
    """The binary cross-entropy of each class, with a fault: in bfloat16, p above 0.998 is 1, which gives 0 * log(0)."""
    p, wanted = torch.softmax(logits, -1).bfloat16(), functional.one_hot(targets, DIGITS)
    return -(wanted * torch.log(p) + (1 - wanted) * torch.log(1 - p)).sum(-1).mean()


LOSSES = {"torch": cross_entropy, "by-hand": cross_entropy_by_hand}


def train(log_dir: str, steps: int, loss_name: str, learning_rate: float) -> None:
    """Train and record; raises FloatingPointError where the loss is no number."""
    torch.manual_seed(0)
    network = SortingTransformer()
    attention = cast("Attention", network.get_submodule("blocks.0.attention"))
    optimizer = torch.optim.AdamW(network.parameters(), lr=learning_rate)
    collector = SummaryCollector(
        log_dir,
        collect_freq=PRINTED_EVERY,
        collect_specified_data={"collect_output": True, "collect_input_data": False},
        custom_lineage_data={"loss": loss_name},
    )
    with ExitStack() as stack:
        stack.enter_context(collector)
        record = collector.record
        debugger = None
        if loss_name != "torch":
            debugger = stack.enter_context(Debugger(record, network, level="operator", ring=30))
        for step in range(1, steps + 1):
            digits = torch.randint(DIGITS, (BATCH, LENGTH))
            targets = digits.sort().values
            logits = network(digits)
            loss = LOSSES[loss_name](logits, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if debugger is not None:
                debugger.step(loss)
            accuracy = (logits.argmax(-1) == targets).float().mean()
            record.add_value("scalar", "loss/train", loss)
            record.add_value("scalar", "accuracy/train", accuracy)
            if step % PRINTED_EVERY == 1:
                weights = attention.weights[0]
                record.add_value("image", "attention", (weights / weights.max()).unsqueeze(1))
                print(f"step {step}: loss {loss:.4f}, accuracy {accuracy:.3f}", flush=True)
            collector.step(loss, network=network, optimizer=optimizer, input_data=digits)
            record.record(step)
            if not torch.isfinite(loss):
                raise FloatingPointError(f"the loss is {loss.item()} at step {step}")
        collector.evaluated({"accuracy": accuracy.item(), "loss": loss.item()})


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--log-dir", default="runs/sorting")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--loss", choices=list(LOSSES), default="torch")
    parser.add_argument("--learning-rate", type=float, default=3e-3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the network is too small for more
    train(arguments.log_dir, arguments.steps, arguments.loss, arguments.learning_rate)


if __name__ == "__main__":
    main()
