# SPDX-License-Identifier: Apache-2.0
"""The parts of a training that a loop doesn't name: optimizer, loss and the network that its author wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from mindspore import nn


def optimizer_of(params: Any) -> nn.Optimizer | None:
    """Return the loop's optimizer, else the one inside the network that trains."""
    given = params.get("optimizer")
    if isinstance(given, nn.Optimizer):
        return given
    for cell in _cells(params.get("train_network")):
        inner = cell if isinstance(cell, nn.Optimizer) else getattr(cell, "optimizer", None)
        if isinstance(inner, nn.Optimizer):
            return inner
    return None


def loss_function_of(params: Any) -> Any:
    """Return the loop's loss function, else the one inside the network that runs; None without one."""
    if params.get("loss_fn") is not None:
        return params["loss_fn"]
    network = params.get("train_network" if params["mode"] == "train" else "eval_network")
    return next((cell for cell in _cells(network) if isinstance(cell, nn.LossBase)), None)


def plain_network(train_network: nn.Cell) -> Any:
    """Return the network inside the cells that MindSpore wraps around it to compute the loss and to train."""
    inner: Any = next((cell._backbone for cell in _cells(train_network) if hasattr(cell, "_backbone")), train_network)
    while "network" in inner.name_cells():
        inner = inner.network
    return inner


def type_name(thing: Any) -> str | None:
    """Return the class of an object, or the name of a function; None of None."""
    return None if thing is None else str(getattr(thing, "__name__", None) or type(thing).__name__)


def _cells(network: nn.Cell | None) -> Iterator[Any]:
    if network is not None:
        yield from (cell for _, cell in cast(Any, network).cells_and_names())
