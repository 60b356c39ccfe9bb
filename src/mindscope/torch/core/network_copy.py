# SPDX-License-Identifier: Apache-2.0
"""A copy of a network that can be called without any effect on the network."""

from __future__ import annotations

import copy
from collections import ChainMap
from types import CellType, FunctionType
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


def network_copy(network: nn.Module) -> nn.Module:
    """Return a copy with its own attributes, containers and hooks, which shares parameters and buffers.

    What Python can't copy, such as a lock or an open file, is shared too.
    """
    plain: Any = network
    memo: dict[int, Any] = {id(tensor): tensor for tensor in [*plain.parameters(), *plain.buffers()]}
    with _DetachedCopies():
        return _copied(network, memo)


class _DetachedCopies(TorchFunctionMode):
    """Copies of tensors have no history; PyTorch refuses to copy a tensor that has one."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is Tensor.__deepcopy__:
            tensor, memo = args
            return memo.setdefault(id(tensor), tensor.detach().clone().requires_grad_(tensor.requires_grad))
        with torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]
            return func(*args, **(kwargs or {}))


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, nn.Module) and not isinstance(value, torch.jit.ScriptModule):
        return _copied_object(value, memo)
    if isinstance(value, dict):
        return _copied_dict(cast("dict[Any, Any]", value), memo)
    if isinstance(value, FunctionType) and value.__closure__:
        return _copied_function(value, memo)
    new: dict[int, Any] = {}  # parts of it, which are not whole where copying fails
    try:
        copied = copy.deepcopy(value, cast("dict[int, Any]", ChainMap(new, memo)))
    except Exception:  # whatever the object raises
        return _copied_object(value, memo)
    memo.update(new)
    return copied


def _copied_object(value: Any, memo: dict[int, Any]) -> Any:
    """Return a copy of an object with copies of its attributes; an object without attributes, such as a lock, stays
    itself.
    """
    try:
        attributes = cast("dict[str, Any]", vars(value))
        new: Any = object.__new__(cast("type[Any]", type(value)))
    except TypeError:
        return value
    memo[id(value)] = new
    vars(new).update((name, _copied(held, memo)) for name, held in attributes.items())
    return new


def _copied_dict(value: dict[Any, Any], memo: dict[int, Any]) -> Any:
    """Copy a dict of hooks, modules or attributes: what can't be copied leaves the others as they are."""
    new = memo[id(value)] = copy.copy(value)
    for key, held in value.items():
        new[key] = _copied(held, memo)
    return new


def _copied_function(function: FunctionType, memo: dict[int, Any]) -> FunctionType:
    """Return a copy of a function with copies of the variables of the function around it."""
    cells = [memo.setdefault(id(cell), CellType()) for cell in function.__closure__ or ()]
    new = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, tuple(cells))
    memo[id(function)] = new
    new.__kwdefaults__ = function.__kwdefaults__
    vars(new).update(vars(function))
    for cell, old in zip(cells, function.__closure__ or (), strict=True):
        try:
            cell.cell_contents = _copied(old.cell_contents, memo)
        except ValueError:  # it is empty
            continue
    return new
