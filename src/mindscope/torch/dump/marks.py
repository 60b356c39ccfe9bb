# SPDX-License-Identifier: Apache-2.0
"""``set_dump``: marks what a dump with ``dump_mode`` 2 writes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from torch import nn

from mindscope.torch.core.arguments import check_flag
from mindscope.torch.core.naming import plain_network
from mindscope.torch.core.network_names import named_modules
from mindscope.torch.core.operator_calls import OperatorCall
from mindscope.torch.core.operator_kinds import operator_kind

_operators: Any = import_module("torch._ops")
_MODULES: WeakKeyDictionary[nn.Module, bool] = WeakKeyDictionary()
_TYPES: set[str] = set()


def set_dump(target: Any, enabled: bool = True) -> None:
    """Mark what ``dump_mode`` 2 dumps, before the training.

    Args:
        target: a module, with forward and backward operators of it and of the modules in it; or an operator, such as
            ``torch.ops.aten.addmm``, wherever it runs.
        enabled: False removes the mark; in a marked module, it leaves out a module.

    Raises:
        TypeError: ``target`` is neither.
    """
    check_flag("enabled", enabled)
    if isinstance(target, nn.Module):
        _MODULES[plain_network(target)] = enabled
    elif isinstance(target, _operators.OpOverload):
        (_TYPES.add if enabled else _TYPES.discard)(operator_kind(target).type)
    elif isinstance(target, _operators.OpOverloadPacket):
        for overload in target.overloads():
            set_dump(getattr(target, overload), enabled)
    else:
        kind = type(target).__name__
        raise TypeError(f"target is {kind}, want a torch.nn.Module or an operator such as torch.ops.aten.addmm")


def marked(network: nn.Module | None) -> Callable[[OperatorCall], bool]:
    """Return whether an operator of a network is marked; the innermost module with a mark decides."""
    paths: dict[str, bool] = {}
    for path, module in () if network is None else named_modules(network):
        outer = paths.get(path, paths.get(path.rpartition(".")[0], False) if path else False)
        paths[path] = _MODULES.get(plain_network(module), outer)
    return lambda call: call.type in _TYPES or (call.is_in_network and paths.get(call.module, False))


def has_marks(network: nn.Module | None) -> bool:
    """Return whether an operator, or a module of a network, is marked."""
    modules = () if network is None else named_modules(network)
    return bool(_TYPES) or any(_MODULES.get(plain_network(module), False) for _, module in modules)
