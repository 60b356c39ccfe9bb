# SPDX-License-Identifier: Apache-2.0
"""How a trainer of another package calls a network: seen at its first step, for the graph."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils.hooks import RemovableHandle

from mindscope.torch.core.call_hooks import Hook, takes_hooks
from mindscope.torch.core.devices import autocast_dtype
from mindscope.torch.core.tensor_sizes import tensor_sizes

SeenType = tuple[torch.dtype, tuple[int, ...]]
"""Dtype and shape of a tensor."""


class GraphProbe:
    """Watches a network and the modules right inside of it until ``stop``.

    A trainer may call the network itself, or only one of its modules out of ``training_step``: then ``network`` is
    the one with the most parameters among those that were called.
    """

    def __init__(self, network: nn.Module) -> None:
        self.network: nn.Module | None = None
        """What was called, None if nothing was."""
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.autocast_dtype: torch.dtype | None = None
        """Of ``torch.autocast`` around any of the calls; None without."""
        self._types: dict[nn.Module, SeenType] = {}
        self._whole = network
        watched = [module for module in (network, *network.children()) if takes_hooks(module)]
        self._handles: list[RemovableHandle] = [
            module.register_forward_pre_hook(Hook(self._see, is_compiled=True), with_kwargs=True) for module in watched
        ]
        modules = [module for module in network.modules() if takes_hooks(module)]
        if not any(_is_compiled(module) for module in modules):  # a hook would compile it once more
            self._handles += [module.register_forward_hook(Hook(self._see_output)) for module in modules]

    def types_in(self, network: nn.Module) -> dict[str, SeenType]:
        """Dtype and shape of the first tensor that each module returned at its first call, by path in ``network``."""
        modules: list[tuple[str, nn.Module]] = [*cast(Any, network.named_modules())]
        return {path: self._types[module] for path, module in modules if module in self._types}

    def stop(self) -> None:
        """Watch no longer."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _see(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.autocast_dtype = self.autocast_dtype or autocast_dtype()
        if self.network is None or (self.network is not self._whole and _size(module) > _size(self.network)):
            self.network, self.args, self.kwargs = module, args, kwargs

    def _see_output(self, module: nn.Module, args: Any, output: Any) -> None:
        if module not in self._types:
            leaves: list[Any] = pytree.tree_leaves(output)
            tensor = next((leaf for leaf in leaves if isinstance(leaf, torch.Tensor)), None)
            sizes = None if tensor is None else tensor_sizes(tensor)
            if tensor is not None and sizes is not None:
                self._types[module] = tensor.dtype, sizes


def _is_compiled(module: nn.Module) -> bool:
    return hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None


def _size(module: nn.Module) -> int:
    return sum(each.numel() for each in module.parameters())
