# SPDX-License-Identifier: Apache-2.0
"""Finds the module and the part of a step that an operator belongs to, for dispatch modes.

Backward operators belong to the module of the forward operator whose gradient they compute: the node of autograd that
runs has the sequence number that the forward operator had.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from mindscope.debug.model.tensors import Phase
from mindscope.torch.core.call_hooks import CallHooks
from mindscope.torch.core.compiled_code import CompilerUse, is_in_compiled_code
from mindscope.torch.core.network_names import called_modules, module_types, parameter_locations
from mindscope.torch.core.operator_kinds import OverloadFacts

_core: Any = import_module("torch._C")
_autograd: Any = _core._autograd
_NO_BACKWARD = -1
_COMPILED_NODE = "CompiledFunction"
Border = Callable[["OperatorCall", Any], Callable[[Any], object]]
"""Called before a compiled module with its call and inputs; returns what is called with its outputs."""


@dataclass(slots=True)
class OperatorCall:
    """An operator that runs."""

    module: str
    """Path of its module; empty for the network itself, and for what belongs to no module."""
    phase: Phase
    type: str
    """``addmm``, ``c10d_allreduce_``, or the class of a module."""
    forward: OperatorCall | None = None
    """For a backward operator, the operator whose gradient it computes; None where it is unknown."""
    optimizer: str = ""
    """Class of the optimizer, for an operator of the phase ``optimizer``."""
    parameter: str = ""
    """Name of the parameter in its module, for the accumulation of a gradient."""
    is_in_network: bool = False
    """Whether a module of the network called it, or computed what it differentiates."""
    is_recomputed: bool = False
    """Whether a backward pass computes it again, as inside of a checkpoint."""
    stack: tuple[str, ...] | None = None
    """Lines of the program that called it; None where the caller of ``call_of`` did not set them."""


class _Running(NamedTuple):
    module: nn.Module
    path: str
    backward: int
    """The backward pass it runs in."""


class OperatorCalls:
    """Follows the modules of a network, its backward passes and optimizers, from ``start`` to ``stop``.

    Hooks are on the modules all that time; they cost about a microsecond each.

    Args:
        network: of the modules; None if it is not known, then operators belong to no module.
        on_border: called at each compiled module, of which nothing else is seen.
    """

    def __init__(self, network: nn.Module | None, on_border: Border | None = None) -> None:
        self._network, self._on_border = network, on_border
        self.hooks = CallHooks()
        """Hooks of the modules."""
        self._modules: list[_Running] = []
        self._borders: list[tuple[nn.Module, Callable[[Any], object] | None]] = []  # of compiled modules that run
        self._forward: dict[int, OperatorCall | None] = {}  # by sequence number; None inside of compiled modules
        self._thread = threading.get_ident()  # of these numbers
        self._optimizers: list[tuple[Any, bool]] = []  # those that run, and whether they call the network themselves
        self._handles: list[Any] = []
        self._compiler = CompilerUse()
        self._parameters = {} if network is None else parameter_locations(network)
        self.classes: dict[str, str] = {} if network is None else module_types(network)
        """Class of each module, by path."""
        self.is_training = True
        """Whether the outermost module that runs was called with gradients."""
        self.was_compiled_seen = False
        """Whether a compiled module or function ran."""

    def start(self) -> None:
        """Add the hooks."""
        self._handles += [
            register_optimizer_step_pre_hook(self._begin_optimizer),
            register_optimizer_step_post_hook(self._end_optimizer),
        ]
        for called_module in () if self._network is None else called_modules(self._network):
            if called_module.is_compiled:
                call = OperatorCall(called_module.path, Phase.FORWARD, called_module.type, is_in_network=True)
                self.hooks.add(called_module.module, partial(self._begin_compiled, call), self._end_compiled)
            else:
                self.hooks.add(called_module.module, partial(self._begin, called_module.path), self._end)

    def stop(self) -> None:
        """Remove the hooks."""
        self.hooks.remove()
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self.begin_step()

    def begin_step(self) -> None:
        """Begin a step, and close the calls that an error left open."""
        self._modules.clear()
        self._borders.clear()
        self._forward.clear()
        self._optimizers.clear()
        self._thread = threading.get_ident()

    def call_of(self, kind: OverloadFacts) -> OperatorCall | None:
        """Return the operator that the dispatcher runs now.

        It returns None in a compiled region, of which only a part would be seen.
        """
        if self._borders:  # also where it breaks a graph
            self._forward.setdefault(_autograd._get_sequence_nr() - 1, None)
            return None
        backward = _core._current_graph_task_id()
        running = self._modules[-1] if self._modules else None
        is_in_module = running is not None and running.backward == backward
        if backward != _NO_BACKWARD and not is_in_module:
            return self._backward_call(kind.type)
        if self._is_compiled():
            return None
        if running is not None and is_in_module:
            is_recomputed = backward != _NO_BACKWARD
            call = OperatorCall(
                running.path, Phase.FORWARD, kind.type, is_in_network=True, is_recomputed=is_recomputed
            )  # fmt: skip
        elif self._is_optimizing():
            return OperatorCall("", Phase.OPTIMIZER, kind.type, optimizer=type(self._optimizers[-1][0]).__name__)
        else:
            call = OperatorCall("", Phase.FORWARD, kind.type)
        # autograd makes the node before it dispatches; a function of the user has one for all its operators
        self._forward.setdefault(_autograd._get_sequence_nr() - 1, call)
        return call

    def _backward_call(self, type: str) -> OperatorCall | None:
        node = _core._current_autograd_node()
        if node is None:
            return OperatorCall("", Phase.BACKWARD, type)
        if node.name().startswith(_COMPILED_NODE):
            self.was_compiled_seen = True
            return None
        variable = getattr(node, "variable", None)
        if variable is not None:
            location = self._parameters.get(id(variable))
            if location is None:
                return OperatorCall("", Phase.BACKWARD, type)
            return OperatorCall(location.module, Phase.BACKWARD, type, parameter=location.name, is_in_network=True)
        number = node._sequence_nr()
        forward = self._forward.get(number)
        if forward is None and number in self._forward:
            return None
        call = OperatorCall("", Phase.BACKWARD, type, forward)
        if forward is not None:
            call.module, call.is_in_network = forward.module, forward.is_in_network
        if torch.is_grad_enabled() and threading.get_ident() == self._thread:  # it is differentiated once more
            self._forward.setdefault(_autograd._get_sequence_nr() - 1, call)
        return call

    def _is_compiled(self) -> bool:
        if self._compiler.is_used and is_in_compiled_code():
            self.was_compiled_seen = True
            return True
        return False

    def _is_optimizing(self) -> bool:
        """Return whether an optimizer runs, and not the function that it calls to compute loss and gradients."""
        return bool(self._optimizers) and not (self._optimizers[-1][1] and torch.is_grad_enabled())

    def _begin(self, path: str, module: nn.Module, args: Any, kwargs: Any) -> None:
        if not self._modules:
            self.is_training = torch.is_grad_enabled()
        self._modules.append(_Running(module, path, _core._current_graph_task_id()))

    def _end(self, module: nn.Module, outputs: Any) -> None:
        while self._modules and self._modules.pop().module is not module:
            pass  # an error interrupted inner modules

    def _begin_compiled(self, call: OperatorCall, module: nn.Module, args: Any, kwargs: Any) -> None:
        end = None
        if self._on_border is not None and not self._borders:
            end = self._on_border(call, (args, kwargs))
        self._borders.append((module, end))

    def _end_compiled(self, module: nn.Module, outputs: Any) -> None:
        self.was_compiled_seen = True
        while self._borders:
            opened, end = self._borders.pop()
            if opened is module:
                if end is not None and outputs is not None:
                    end(outputs)
                return

    def _begin_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not torch.compiler.is_compiling():
            self._optimizers.append((optimizer, has_closure(args, kwargs)))

    def _end_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        while not torch.compiler.is_compiling() and self._optimizers:
            if self._optimizers.pop()[0] is optimizer:
                return


def has_closure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether a step of an optimizer was given a function that computes loss and gradients."""
    return kwargs.get("closure") is not None or (len(args) > 1 and args[1] is not None)
