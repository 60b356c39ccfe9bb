# SPDX-License-Identifier: Apache-2.0
"""How a trainer of another package calls a network: seen at its first step, for the graph."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils.hooks import RemovableHandle

from mindscope.torch.core.devices import autocast_dtype


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
        self._whole = network
        watched = [network, *network.children()]
        self._handles: list[RemovableHandle] = [
            module.register_forward_pre_hook(self._see, with_kwargs=True) for module in watched
        ]

    def stop(self) -> None:
        """Watch no longer."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def _see(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.autocast_dtype = self.autocast_dtype or autocast_dtype()
        if self.network is None or (self.network is not self._whole and _size(module) > _size(self.network)):
            self.network, self.args, self.kwargs = module, args, kwargs


def _size(module: nn.Module) -> int:
    return sum(each.numel() for each in module.parameters())
