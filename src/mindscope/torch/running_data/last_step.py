# SPDX-License-Identifier: Apache-2.0
"""The modules of a network that ran in the last step, in the order of execution."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch.utils.hooks import RemovableHandle

from mindscope.torch.core.call_hooks import Hook, takes_hooks
from mindscope.torch.core.tensor_sizes import tensor_sizes


class ModuleCall:
    """One call of a module that returned. It keeps no tensor alive."""

    __slots__ = ("_tensors", "name", "shapes", "type")

    def __init__(self, name: str, module: nn.Module, outputs: Any) -> None:
        self.name, self.type, self.shapes = name, type(module).__name__, tensor_shapes(outputs)
        self._tensors = [
            weakref.ref(tree_leaf) for tree_leaf in pytree.tree_leaves(outputs) if isinstance(tree_leaf, Tensor)
        ]

    @property
    def outputs(self) -> list[tuple[str, Tensor]]:
        """The outputs that still exist, with a name for each."""
        names = [self.name] if len(self._tensors) == 1 else [f"{self.name}[{n}]" for n in range(len(self._tensors))]
        found = [(name, tensor()) for name, tensor in zip(names, self._tensors, strict=True)]
        return [(name, each) for name, each in found if each is not None]


class LastStep:
    """Follows the modules of a network from ``start`` to ``stop``, where gradients are enabled: not in evaluations.

    Modules that ``torch.compile`` fused run unseen.

    Args:
        network: what is trained.
        step: gives the number of the step that runs.
        on_step: called when another step runs.
        on_first_end: called when the first step is over and another one runs.
    """

    def __init__(
        self,
        network: nn.Module,
        step: Callable[[], Any],
        on_step: Callable[[], None],
        on_first_end: Callable[[Any], None],
    ) -> None:
        self._network, self._step, self._on_step, self._on_first_end = network, step, on_step, on_first_end
        self._is_first = True
        self._number: Any = None
        self._handles: list[RemovableHandle] = []
        self.calls: list[ModuleCall] = []
        """Calls of modules, in the order in which they returned."""
        self.inputs: Any = None
        """Last arguments of the network: its only argument, its keyword arguments, or a tuple of both."""

    def start(self) -> None:
        """Set the hooks."""
        if takes_hooks(self._network):
            self._handles.append(self._network.register_forward_pre_hook(Hook(self._begin), with_kwargs=True))
        for name, module in cast("Iterable[tuple[str, nn.Module]]", self._network.named_modules()):
            if takes_hooks(module):
                self._handles.append(module.register_forward_hook(Hook(partial(self._keep, name))))

    def stop(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _begin(self, network: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if torch.is_grad_enabled():
            self._follow_step()
            self.inputs = (args, kwargs) if args and kwargs else kwargs or (args[0] if len(args) == 1 else args)

    def _keep(self, name: str, module: nn.Module, args: Any, outputs: Any) -> None:
        if torch.is_grad_enabled():
            self._follow_step()
            self.calls.append(ModuleCall(name, module, outputs))

    def _follow_step(self) -> None:
        number = self._step()
        if number != self._number:
            self._end_first()
            self._number, self.calls = number, []
            self._on_step()

    def _end_first(self) -> None:
        if self._is_first and self._number is not None:
            self._is_first = False
            self._on_first_end(self._number)


def tensor_shapes(values: Any) -> Any:
    """Return the type, shape and device of each tensor, in their structure."""

    def shape(value: Any) -> str:
        if not isinstance(value, Tensor):
            return type(value).__name__
        sizes = tensor_sizes(value)
        return f"{value.dtype} {'nested' if sizes is None else list(sizes)} {value.device}"

    return pytree.tree_map(shape, values)
