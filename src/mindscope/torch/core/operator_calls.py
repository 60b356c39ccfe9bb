# SPDX-License-Identifier: Apache-2.0
"""Which module and which part of a step an operator belongs to, for dispatch modes.

Backward operators belong to the module of the forward operator whose gradient they compute: the node of autograd that
runs has the sequence number that the forward operator had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple, cast

import torch
from torch import nn
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.hooks import RemovableHandle

from mindscope.debug.model.tensors import Phase
from mindscope.torch.core.naming import PARALLEL, plain_network

_core: Any = import_module("torch._C")
_autograd: Any = _core._autograd
_NO_BACKWARD = -1
_COMPILED = "_orig_mod"
_COMPILED_NODE = "CompiledFunction"


class OperatorCall(NamedTuple):
    """One operator that runs."""

    module: str
    """Path of its module; empty for the network itself, and for what belongs to no module."""
    phase: Phase
    type: str
    """``addmm``, ``c10d_allreduce_``, or the class of a module or optimizer."""
    forward: OperatorCall | None = None
    """Of a backward operator: the forward operator whose gradient it computes; None where it is unknown."""
    optimizer: str = ""
    """Of an operator of the phase ``optimizer``: the class."""
    parameter: str = ""
    """Of the accumulation of a gradient: the name of the parameter."""
    is_in_network: bool = False
    """Whether a module of the network called it, or computed what it differentiates."""


class OperatorCalls:
    """Follows the modules of a network, its backward passes and optimizers, from ``start`` to ``stop``.

    Hooks are on the modules all that time; they cost about a microsecond each.

    Args:
        network: of the modules; None if it is not known, then operators belong to no module.
        on_compiled: called after a compiled module, with its call, inputs and outputs.
    """

    def __init__(self, network: nn.Module | None, on_compiled: Callable[[OperatorCall, Any, Any], object]) -> None:
        self._network = None if network is None else plain_network(network)
        self._wrapped = network
        self._on_compiled = on_compiled
        self._modules: list[tuple[str, int]] = []  # path of each running module, and the backward pass it runs in
        self._forward: dict[int, OperatorCall] = {}  # by sequence number
        self._optimizer: str | None = None
        self._compiled_depth = 0
        self._handles: list[Any] = []
        self._parameters: dict[int, str] = {}
        self.classes: dict[str, str] = {}
        """Class of each module, by path."""
        self.compiled: list[str] = []
        """Paths of modules that ``torch.compile`` compiled."""
        self.was_compiled_seen = False
        """Whether a compiled function ran."""

    def start(self) -> None:
        """Add the hooks."""
        self._handles += [
            register_optimizer_step_pre_hook(self._begin_optimizer),
            register_optimizer_step_post_hook(self._end_optimizer),
        ]
        if self._network is None:
            return
        for path, parameter in self._network.named_parameters():
            self._parameters[id(parameter)] = _plain_path(path)
        for path, module in _named_modules(self._network):
            self.classes[_plain_path(path)] = type(plain_network(module)).__name__
        compiled = _compiled_wrapper(self._wrapped)
        for path, module in [("", compiled)] if compiled is not None else _named_modules(self._network):
            if _COMPILED not in path:  # hooks inside would be compiled too
                self._hook(module, _plain_path(path))

    def stop(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self.begin_step()

    def begin_step(self) -> None:
        """A step begins: what an error left open is closed."""
        self._modules.clear()
        self._forward.clear()
        self._optimizer, self._compiled_depth = None, 0

    def call_of(self, operator: Any) -> OperatorCall | None:
        """The operator that the dispatcher runs now; None in a compiled region, of which only a part would be seen."""
        type = operator_type(operator)
        backward = _core._current_graph_task_id()
        if self._compiled_depth:
            return None
        if self._modules and self._modules[-1][1] == backward:
            return self._forward_call(type, self._modules[-1][0], True)
        if backward != _NO_BACKWARD:
            return self._backward_call(type)
        if self._optimizer is not None:
            return OperatorCall("", Phase.OPTIMIZER, type, optimizer=self._optimizer)
        return self._forward_call(type, "", False)

    def _forward_call(self, type: str, module: str, is_in_network: bool) -> OperatorCall:
        call = OperatorCall(module, Phase.FORWARD, type, is_in_network=is_in_network)
        if torch.is_grad_enabled():  # autograd makes the node before it dispatches; operators without one come later
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
            name = self._parameters.get(id(variable), "")
            module = name.rpartition(".")[0]
            return OperatorCall(module, Phase.BACKWARD, type, parameter=name, is_in_network=bool(name))
        forward = self._forward.get(node._sequence_nr())
        if forward is None:
            return OperatorCall("", Phase.BACKWARD, type)
        return OperatorCall(forward.module, Phase.BACKWARD, type, forward, is_in_network=forward.is_in_network)

    def _hook(self, module: nn.Module, path: str) -> None:
        if getattr(module, "_compiled_call_impl", None) is not None:
            self.compiled.append(path)  # by module.compile(): hooks would be compiled too
            return
        if hasattr(module, _COMPILED):
            self.compiled.append(path)
            self._handles += [
                module.register_forward_pre_hook(_CompiledBegin(self), prepend=True),
                module.register_forward_hook(_CompiledEnd(self, path), always_call=True, with_kwargs=True),
            ]
            return
        begin: RemovableHandle = module.register_forward_pre_hook(_ModuleBegin(self._modules, path), prepend=True)
        end: RemovableHandle = module.register_forward_hook(_ModuleEnd(self._modules), always_call=True)
        self._handles += [begin, end]

    def begin_compiled(self) -> None:
        """A compiled module begins."""
        self._compiled_depth += 1

    def end_compiled(self, path: str, inputs: Any, outputs: Any) -> None:
        """A compiled module ends; without outputs, it failed."""
        self._compiled_depth = max(0, self._compiled_depth - 1)
        self.was_compiled_seen = True
        if outputs is not None and self._compiled_depth == 0:
            call = OperatorCall(path, Phase.FORWARD, self.classes.get(path, "Module"), is_in_network=True)
            self._on_compiled(call, inputs, outputs)

    def _begin_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self._optimizer = type(optimizer).__name__

    def _end_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self._optimizer = None


class _ModuleBegin:
    """Does nothing in a graph of Dynamo, which sees that it compiles."""

    def __init__(self, modules: list[tuple[str, int]], path: str) -> None:
        self._modules, self._path = modules, path

    def __call__(self, module: nn.Module, args: Any) -> None:
        if not torch.compiler.is_compiling():
            self._modules.append((self._path, _core._current_graph_task_id()))


class _ModuleEnd:
    def __init__(self, modules: list[tuple[str, int]]) -> None:
        self._modules = modules

    def __call__(self, module: nn.Module, args: Any, outputs: Any) -> None:
        if not torch.compiler.is_compiling() and self._modules:
            self._modules.pop()


class _CompiledBegin:
    def __init__(self, calls: OperatorCalls) -> None:
        self._calls = calls

    def __call__(self, module: nn.Module, args: Any) -> None:
        if not torch.compiler.is_compiling():
            self._calls.begin_compiled()


class _CompiledEnd:
    def __init__(self, calls: OperatorCalls, path: str) -> None:
        self._calls, self._path = calls, path

    def __call__(self, module: nn.Module, args: Any, kwargs: Any, outputs: Any) -> None:
        if not torch.compiler.is_compiling():
            self._calls.end_compiled(self._path, (args, kwargs), outputs)


def operator_type(operator: Any) -> str:
    """``addmm`` of ``aten::addmm.out``, ``c10d_allreduce_`` of other libraries."""
    library, _, name = str(operator._schema.name).partition("::")
    return name if library == "aten" else f"{library}_{name}"


def _named_modules(network: nn.Module) -> Iterable[tuple[str, nn.Module]]:
    return cast("Iterable[tuple[str, nn.Module]]", network.named_modules())


def _plain_path(path: str) -> str:
    return ".".join(part for part in path.split(".") if part != _COMPILED)


def _compiled_wrapper(network: nn.Module | None) -> nn.Module | None:
    """What ``torch.compile`` made of the whole network, also inside of data parallelism."""
    inner: Any = network
    while inner is not None:
        if hasattr(inner, _COMPILED):
            return cast(nn.Module, inner)
        inner = inner.module if type(inner).__name__ in PARALLEL else None
    return None
