# SPDX-License-Identifier: Apache-2.0
"""Arguments of a model, checked when it is made or called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from torch.optim import Optimizer

from mindscope.torch.core.arguments import check_count, check_flag


def check_parts(network: Any, loss_fn: Any, optimizer: Any) -> None:
    """Raises TypeError, ValueError for parts that no model can be made of."""
    if not isinstance(network, nn.Module):
        raise TypeError(f"network is {type(network).__name__}, want a torch.nn.Module")
    if loss_fn is not None and not callable(loss_fn):
        raise TypeError(f"loss_fn is {type(loss_fn).__name__}, want a function of prediction and label")
    if optimizer is not None and not isinstance(optimizer, Optimizer):
        raise TypeError(f"optimizer is {type(optimizer).__name__}, want one of torch.optim")


def check_boost_level(level: Any) -> None:
    """Check ``boost_level``. Raises ValueError."""
    if level != "O0":
        raise ValueError(f"boost_level is {level!r}, want 'O0'; nothing else is offered")


def check_frequency(frequency: Any) -> Callable[[int], bool]:
    """Return whether an epoch is evaluated, by its number. Raises TypeError, ValueError."""
    if isinstance(frequency, list):
        epochs: list[int] = [check_count("valid_frequency[...]", each, 1) for each in frequency]  # pyright: ignore
        return lambda epoch: epoch in epochs
    every = check_count("valid_frequency", frequency, 1)
    return lambda epoch: epoch % every == 0


def check_extent(epoch: Any, initial_epoch: Any, is_sink: Any, sink_size: Any) -> None:
    """Check the range of epochs and the steps of a sink. Raises TypeError, ValueError."""
    check_count("epoch", epoch, 1)
    check_count("initial_epoch", initial_epoch)
    check_flag("dataset_sink_mode", is_sink)
    if sink_size != -1:
        check_count("sink_size", sink_size, 1)
    if initial_epoch >= epoch:
        raise ValueError(f"initial_epoch is {initial_epoch}, want less than epoch, which is {epoch}")
