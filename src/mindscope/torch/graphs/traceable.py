# SPDX-License-Identifier: Apache-2.0
"""Preparing a network for a trace, in a process where it is a copy: a trace needs no device, no values and no hooks."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch.utils import deterministic

from mindscope.torch.core.call_hooks import Hook

_core: Any = import_module("torch._C")
_HOST = ("cpu", "meta")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
_COMPILED = "_compiled_call_impl"
_KEPT: list[Any] = []
"""Tensors of devices; a forked process can't give them back."""


def make_traceable(module: nn.Module, inputs: Any) -> Any:
    """Prepare ``module`` in place; returns ``inputs`` for it. Wants a process that nothing else runs in.

    Tensors of devices and parts of sharded tensors become whole tensors on the host, without values. Hooks of
    recorders and of ``torch.distributed``, and compiled code of modules, are removed.
    """
    torch.set_num_threads(1)  # threads of OpenMP don't survive a fork
    cast(Any, deterministic).fill_uninitialized_memory = False
    _core.PyTorchFileWriter = _refuse_file  # it writes past Python, which refuses other files
    tensors: dict[int, Tensor] = {}
    for part in module.modules():
        state: dict[str, Any] = vars(part)
        for hooks in _HOOKS:
            _remove_foreign(state.get(hooks, {}))
        if state.get(_COMPILED) is not None:
            state[_COMPILED] = None
        for held in (state, state.get("_parameters", {}), state.get("_buffers", {})):
            _bring(held, tensors)
    return pytree.tree_map_only(Tensor, partial(_on_host, tensors), inputs)


def _refuse_file(*args: Any, **kwargs: Any) -> Any:
    raise PermissionError("torch.save is refused where a network is traced")


def _remove_foreign(hooks: Any) -> None:
    for key in [key for key, hook in hooks.items() if _is_foreign(hook)]:
        del hooks[key]


def _is_foreign(hook: Any) -> bool:
    while isinstance(hook, partial):
        hook = cast(Any, hook).func
    return isinstance(hook, Hook) or str(getattr(hook, "__module__", "")).startswith("torch.distributed.")


def _bring(held: dict[str, Any], tensors: dict[int, Tensor]) -> None:
    for name, value in held.items():
        if isinstance(value, Tensor):
            held[name] = _on_host(tensors, value)
        elif isinstance(value, (list, tuple, dict)) and not name.startswith("_"):
            leaves, structure = pytree.tree_flatten(value)
            brought = [_on_host(tensors, leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
            if any(new is not old for new, old in zip(brought, leaves, strict=True)):  # it may be shared
                held[name] = pytree.tree_unflatten(brought, structure)


def _on_host(tensors: dict[int, Tensor], tensor: Tensor) -> Tensor:
    """Return the same tensor for each time it is met."""
    is_plain = type(tensor) in (Tensor, nn.Parameter)
    if not (is_plain and tensor.device.type not in _HOST) and not hasattr(tensor, "full_tensor"):
        return tensor
    if id(tensor) not in tensors:
        _KEPT.append(tensor)
        empty = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu", requires_grad=tensor.requires_grad)
        tensors[id(tensor)] = nn.Parameter(empty, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else empty
    return tensors[id(tensor)]
