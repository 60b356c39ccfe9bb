# SPDX-License-Identifier: Apache-2.0
"""The network that its author wrote, and the names of its parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from torch import nn
from torch.nn import Parameter
from torch.optim import Optimizer

PARALLEL = ("DistributedDataParallel", "DataParallel", "DeepSpeedEngine")
"""Modules around a network, which is their ``module``."""

COMPILED = "_orig_mod"
"""Name of the attribute in which ``torch.compile`` holds a module."""
WRAPPED = ("_fsdp_wrapped_module", "_checkpoint_wrapped_module")
"""Names of the attributes in which FSDP and activation checkpointing hold a module."""

_SHARDED = "FSDPModule"


def plain_network(network: nn.Module) -> nn.Module:
    """Return the network inside what ``torch.compile`` and data parallelism wrap around it."""
    while (inner := wrapped_network(network)) is not None:
        network = inner
    return network


def wrapped_network(network: nn.Module) -> nn.Module | None:
    """Return the module right inside of a wrapper of ``torch.compile`` or data parallelism.

    It returns None for any other module.
    """
    wrapper: Any = network
    if hasattr(wrapper, COMPILED):
        return cast(nn.Module, getattr(wrapper, COMPILED))
    return cast(nn.Module, wrapper.module) if type(wrapper).__name__ in PARALLEL else None


def plain_path(path: str) -> str:
    """Return the path of a module or a parameter without the names that wrappers add."""
    return ".".join(part for part in path.split(".") if part != COMPILED and part not in WRAPPED)


def plain_names(network: nn.Module, names: Iterable[str]) -> list[str]:
    """Return the names of parameters of ``network`` as its author gave them.

    They omit wrappers around modules inside of it.
    """
    modules = cast("Iterable[tuple[str, nn.Module]]", network.named_modules())
    parallel = [f"{path}." for path, module in modules if path and type(module).__name__ in PARALLEL]
    return [plain_path(_without_parallel(name, parallel)) for name in names]


def _without_parallel(name: str, paths: list[str]) -> str:
    for path in reversed(paths):  # inner ones first: to remove an outer one changes the path of the inner one
        if name.startswith(f"{path}module."):
            name = path + name.removeprefix(f"{path}module.")
    return name


def trained_parameters(network: nn.Module | None, optimizer: Optimizer | None) -> dict[str, Parameter]:
    """Return the parameters that are trained, by the name that the author gave them, in the order of the network.

    With an optimizer these are its own; those that are not of the network are named after their parameter group.
    """
    named: dict[str, Parameter] = {}
    if network is not None:
        plain = plain_network(network)
        trained = {name: each for name, each in plain.named_parameters() if each.requires_grad}
        named = dict(zip(plain_names(plain, trained), trained.values(), strict=True))
    if optimizer is None:
        return named
    groups = optimizer.param_groups
    own: dict[int, str] = {
        id(each): f"group{number}.{index}"
        for number, group in enumerate(groups)
        for index, each in enumerate(group["params"])
    }
    of_network = {name: value for name, value in named.items() if id(value) in own}
    known = {id(each) for each in of_network.values()}
    strangers = {
        own[id(each)]: each
        for group in groups
        for each in group["params"]
        if id(each) not in known and each.requires_grad
    }
    return of_network | strangers


def module_type(module: nn.Module) -> str:
    """Return the class of a module, inside of a wrapper of ``torch.compile``, without what ``fully_shard`` adds
    to it.
    """
    own = cast("type[object]", type(getattr(module, COMPILED, module)))
    names = [str(base.__name__) for base in own.__bases__]
    if _SHARDED in names:
        names.remove(_SHARDED)
        return names[0]
    return str(own.__name__)


def network_type(network: nn.Module) -> str:
    """Return the class of the network that its author wrote."""
    inner: Any = plain_network(network)
    while wrapped := next((name for name in WRAPPED if hasattr(inner, name)), None):
        inner = plain_network(getattr(inner, wrapped))
    return module_type(inner)


def type_name(thing: Any) -> str | None:
    """Return the class of an object, or the name of a function; None of None."""
    if thing is None:
        return None
    if isinstance(thing, nn.Module):
        return network_type(thing)
    return str(getattr(thing, "__name__", None) or type(thing).__name__)
