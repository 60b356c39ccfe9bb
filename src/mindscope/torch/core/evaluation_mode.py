# SPDX-License-Identifier: Apache-2.0
"""Evaluation mode, for a while."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(network: nn.Module) -> Generator[None]:
    """Hold the network in evaluation mode, each of its modules as it was before afterwards."""
    modes = [(module, module.training) for module in network.modules()]
    network.eval()
    try:
        yield
    finally:
        for module, was_training in modes:
            module.training = was_training
