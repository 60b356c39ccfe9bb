# SPDX-License-Identifier: Apache-2.0
"""Small networks of NumPy that learn the digits of scikit-learn, for real landscapes without a framework."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.datasets import load_digits


@dataclass
class Network:
    """Layers of these widths, with an activation between them; cross entropy on the first samples."""

    widths: tuple[int, ...]
    relu: bool
    samples: int = 200

    def __post_init__(self) -> None:
        digits = load_digits()
        self.inputs = (digits.data / 16).astype(np.float32)
        self.labels = digits.target
        self.shapes = [shape for rows, columns in pairwise(self.widths) for shape in ((columns, rows), (columns,))]

    def split(self, weights: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(weights, ends[:-1]), self.shapes, strict=True)]

    def activations(self, weights: np.ndarray, inputs: np.ndarray) -> list[np.ndarray]:
        parts, found = self.split(weights), [inputs]
        for layer in range(0, len(parts), 2):
            values = found[-1] @ parts[layer].T + parts[layer + 1]
            found.append(values if layer + 2 == len(parts) else np.maximum(values, 0) if self.relu else np.tanh(values))
        return found

    def loss(self, weights: np.ndarray) -> float:
        logits = self.activations(weights, self.inputs[: self.samples])[-1]
        logits = logits - logits.max(axis=1, keepdims=True)
        chosen = logits[np.arange(len(logits)), self.labels[: len(logits)]]
        return float(np.mean(np.log(np.exp(logits).sum(axis=1)) - chosen))

    def gradient(self, weights: np.ndarray, batch: np.ndarray) -> np.ndarray:
        parts, found = self.split(weights), self.activations(weights, self.inputs[batch])
        exponents = np.exp(found[-1] - found[-1].max(axis=1, keepdims=True))
        error = exponents / exponents.sum(axis=1, keepdims=True)
        error[np.arange(len(batch)), self.labels[batch]] -= 1
        error /= len(batch)
        gradients: list[np.ndarray] = []
        for layer in range(len(parts) - 2, -1, -2):
            before = found[layer // 2]
            gradients = [error.T @ before, error.sum(axis=0), *gradients]
            error = (error @ parts[layer]) * ((before > 0) if self.relu else 1 - before**2)
        return np.concatenate([each.reshape(-1) for each in gradients])

    def train(self, steps: int = 300, kept: int = 10, rate: float = 0.1, seed: int = 0) -> list[np.ndarray]:
        """States of the weights along a training with momentum, in float32."""
        generator = np.random.default_rng(seed)
        weights = np.concatenate(
            [generator.uniform(-1, 1, shape).reshape(-1) / np.sqrt(shape[-1]) for shape in self.shapes]
        ).astype(np.float32)
        momentum, states = np.zeros_like(weights), [weights]
        for step in range(1, steps + 1):
            batch = generator.integers(0, len(self.inputs), 64)
            momentum = 0.9 * momentum + self.gradient(weights, batch).astype(np.float32)
            weights = weights - np.float32(rate) * momentum
            if step % (steps // kept) == 0:
                states.append(weights)
        return states


NETWORKS: dict[str, Callable[[], Network]] = {
    "tanh": lambda: Network((64, 32, 10), relu=False),
    "relu": lambda: Network((64, 48, 48, 10), relu=True),
}
