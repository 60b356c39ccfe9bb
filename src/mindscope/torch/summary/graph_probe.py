# SPDX-License-Identifier: Apache-2.0
"""Observes at the first step how a network is called, for its graph. Code of ``torch.compile`` stays as it is."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils.hooks import RemovableHandle

from mindscope.torch.core.call_hooks import CallHooks, Hook, takes_hooks
from mindscope.torch.core.devices import autocast_dtype
from mindscope.torch.core.naming import plain_network, wrapped_network
from mindscope.torch.core.tensor_sizes import tensor_sizes

SeenType = tuple[torch.dtype, tuple[int, ...]]
"""Dtype and shape of a tensor."""


class OutputTypes:
    """Sees what the modules of a network return at their first call, until ``stop``; nothing where any is compiled."""

    def __init__(self, network: nn.Module) -> None:
        self._types: dict[nn.Module, SeenType] = {}
        modules = [module for module in network.modules() if takes_hooks(module)]
        is_compiled = any(_is_compiled(module) for module in modules)  # a hook would compile it once more
        self._handles: list[RemovableHandle] = [
            module.register_forward_hook(Hook(self._see)) for module in (() if is_compiled else modules)
        ]

    def types_in(self, network: nn.Module) -> dict[str, SeenType]:
        """Return the dtype and shape of the first tensor that each module returned at its first call, by path in
        ``network``.
        """
        modules: list[tuple[str, nn.Module]] = [*cast(Any, network.named_modules())]
        return {path: self._types[module] for path, module in modules if module in self._types}

    def stop(self) -> None:
        """Watch no longer."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _see(self, module: nn.Module, args: Any, output: Any) -> None:
        if module not in self._types:
            leaves: list[Any] = pytree.tree_leaves(output)
            tensor = next((leaf for leaf in leaves if isinstance(leaf, torch.Tensor)), None)
            sizes = None if tensor is None else tensor_sizes(tensor)
            if tensor is not None and sizes is not None:
                self._types[module] = tensor.dtype, sizes


class GraphProbe(OutputTypes):
    """Observes with which arguments a network is called, or a module right inside of it, until ``stop``.

    A trainer may call the network itself, or only one of its modules out of ``training_step``: then ``network`` is
    the one with the most parameters among those that were called. Of a compiled network the borders are watched.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__(network)
        self.network: nn.Module | None = None
        """Module that was called, without wrappers; None if nothing was."""
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.autocast_dtype: torch.dtype | None = None
        """Dtype of ``torch.autocast`` around any of the calls; None without."""
        self._whole = plain_network(network)
        self._calls = CallHooks()
        border = _compiled_border(network)
        if border is not None:
            self._calls.add(border, lambda module, args, kwargs: self._see_call(self._whole, args, kwargs), _nothing)
            return
        # the script may still compile these, and call the compiled ones
        watched = [module for module in (self._whole, *self._whole.children()) if takes_hooks(module)]
        self._handles += [
            module.register_forward_pre_hook(Hook(self._see_call, is_compiled=True), with_kwargs=True)
            for module in watched
        ]

    def stop(self) -> None:
        """Watch no longer."""
        super().stop()
        self._calls.remove()

    def _see_call(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.autocast_dtype = self.autocast_dtype or autocast_dtype()
        if self.network is None or (self.network is not self._whole and _size(module) > _size(self.network)):
            self.network, self.args, self.kwargs = module, args, kwargs


def _nothing(module: nn.Module, outputs: Any) -> None:
    """Do nothing at the end of a call."""


def _compiled_border(network: nn.Module) -> nn.Module | None:
    """Return the outermost compiled module among a network and its wrappers."""
    inner: nn.Module | None = network
    while inner is not None and not _is_compiled(inner):
        inner = wrapped_network(inner)
    return inner


def _is_compiled(module: nn.Module) -> bool:
    return hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None


def _size(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())
