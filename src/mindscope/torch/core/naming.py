# SPDX-License-Identifier: Apache-2.0
"""The network that its author wrote, and the names of its parameters."""

from __future__ import annotations

from typing import Any, cast

from torch import nn
from torch.nn import Parameter
from torch.optim import Optimizer

PARALLEL = ("DistributedDataParallel", "DataParallel", "DeepSpeedEngine")
"""Modules around a network, which is their ``module``."""


def plain_network(network: nn.Module) -> nn.Module:
    """The network inside what ``torch.compile`` and data parallelism wrap around it."""
    inner: Any = network
    while True:
        if hasattr(inner, "_orig_mod"):
            inner = inner._orig_mod
        elif type(inner).__name__ in PARALLEL:
            inner = inner.module
        else:
            return cast(nn.Module, inner)


def trained_parameters(network: nn.Module | None, optimizer: Optimizer | None) -> dict[str, Parameter]:
    """The parameters that are trained, by the name that the network gives them, in the order of the network.

    With an optimizer these are its own; those that are not of the network are named after their parameter group.
    """
    named: dict[str, Parameter] = {}
    if network is not None:
        named = {name: each for name, each in plain_network(network).named_parameters() if each.requires_grad}
    if optimizer is None:
        return named
    groups = optimizer.param_groups
    own: dict[int, str] = {
        id(each): f"group{place}.{index}"
        for place, group in enumerate(groups)
        for index, each in enumerate(group["params"])
    }
    of_network = {name: each for name, each in named.items() if id(each) in own}
    known = {id(each) for each in of_network.values()}
    strangers = {
        own[id(each)]: each
        for group in groups
        for each in group["params"]
        if id(each) not in known and each.requires_grad
    }
    return of_network | strangers


def type_name(thing: Any) -> str | None:
    """The class of an object, or the name of a function; None of None."""
    if thing is None:
        return None
    if isinstance(thing, nn.Module):
        thing = plain_network(thing)
    return str(getattr(thing, "__name__", None) or type(thing).__name__)
