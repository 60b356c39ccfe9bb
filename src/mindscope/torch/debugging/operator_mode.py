# SPDX-License-Identifier: Apache-2.0
"""Records inputs and outputs of every operator of ATen, forward, backward and of optimizers.

An operator of a backward pass belongs to the module, and to the lines of the program, of the operator that autograd
differentiates: both have the same sequence number.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.hooks import RemovableHandle

from mindscope.debug.model.tensors import Phase
from mindscope.torch.debugging.followed_step import FollowedStep
from mindscope.torch.debugging.nested_tensors import tensors_in
from mindscope.torch.debugging.network_names import ParameterPlace, module_paths, parameter_places
from mindscope.torch.debugging.operator_kinds import OperatorKind, operator_kind
from mindscope.torch.debugging.source_lines import user_stack
from mindscope.torch.debugging.step_collector import StepCollector

Inputs = list[tuple[str, Tensor, int]]
"""Slot, tensor and the row of its statistics, of each input."""
_autograd: Any = import_module("torch._C")._autograd


class ModulePath:
    """Path of the module that runs, kept by hooks of all modules until ``remove``."""

    def __init__(self, network: nn.Module) -> None:
        self._running: list[tuple[nn.Module, str]] = []
        self._handles: list[RemovableHandle] = []
        self.is_training = True
        """Whether the outermost module that runs was called with gradients."""
        for module, path in module_paths(network).items():
            self._handles.append(module.register_forward_pre_hook(partial(self._begin, path)))
            self._handles.append(module.register_forward_hook(self._end, always_call=True))

    @property
    def current(self) -> str | None:
        """None outside of modules."""
        return self._running[-1][1] if self._running else None

    def begin_step(self) -> None:
        """A step begins: calls that an error interrupted are over."""
        self._running.clear()

    def remove(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _begin(self, path: str, module: nn.Module, args: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if not self._running:
            self.is_training = torch.is_grad_enabled()
        self._running.append((module, path))

    def _end(self, module: nn.Module, args: Any, output: Any) -> None:
        if torch.compiler.is_compiling():
            return
        while self._running and self._running.pop()[0] is not module:
            pass  # a call that began before the step


class OperatorMode(TorchDispatchMode):
    """Enter it during the steps that are recorded; one for each debugger."""

    def __init__(self, network: nn.Module, followed: FollowedStep) -> None:
        super().__init__()
        self._followed = followed
        self._modules = ModulePath(network)
        self._parameters: dict[int, ParameterPlace] = parameter_places(network)
        self._callers: dict[Any, tuple[str, tuple[str, ...]]] = {}  # by sequence number: module, lines of the program
        self._kinds: dict[int, tuple[Any, OperatorKind]] = {}  # by id of the operator
        self._has_backward = False  # in this step, and no optimizer ran since

    def begin_step(self) -> None:
        """A step begins."""
        self._modules.begin_step()
        self._callers.clear()
        self._has_backward = False

    def remove(self) -> None:
        """Remove the hooks of the modules."""
        self._modules.remove()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operator, and record it."""
        kwargs = kwargs or {}
        collector, kind, inputs = self._followed.collector, None, None
        phase = self._followed.phase
        if collector is not None and not self._followed.is_quiet and self._is_recorded(phase):
            kind = self._kind(func)
            try:
                inputs = collector.read_inputs(kind, args, kwargs)
            except Exception as error:
                self._followed.failed(f"inputs of {kind.name}", error)
        output = func(*args, **kwargs)
        if collector is not None and kind is not None and inputs is not None:
            try:
                self._add(collector, kind, phase, inputs, output)
            except Exception as error:
                self._followed.failed(f"outputs of {kind.name}", error)
        return output

    def _kind(self, operator: Any) -> OperatorKind:
        known = self._kinds.get(id(operator))  # to hash an operator takes longer
        if known is None:
            known = self._kinds[id(operator)] = (operator, operator_kind(operator))
        return known[1]

    def _is_recorded(self, phase: Phase) -> bool:
        """Whether an operator belongs to the training: not to an evaluation between its steps."""
        if phase is Phase.OPTIMIZER:
            self._has_backward = False
            return True
        if phase is Phase.BACKWARD:
            self._has_backward = True
            return True
        if self._modules.current is not None:
            return self._modules.is_training
        return torch.is_grad_enabled() or self._has_backward

    def _add(self, collector: StepCollector, kind: OperatorKind, phase: Phase, inputs: Inputs, output: Any) -> None:
        if kind.is_uninitialized:
            return
        tensors = (("0", output),) if isinstance(output, Tensor) else tuple(tensors_in(output))
        vectors = collector.vectors
        if kind.has_same_elements and inputs and len(tensors) == 1:
            vectors.set_row(tensors[0][1], inputs[0][2])
            if kind.is_hidden:
                return
            outputs = [("0", tensors[0][1], inputs[0][2])]
        else:
            outputs = [(slot, tensor, vectors.new_row(tensor)) for slot, tensor in tensors]
        if not inputs and not outputs:
            return
        module, stack = self._caller(phase)
        run = collector.begin(module, kind.name, phase, user_stack if stack is None else lambda: stack)
        if phase is Phase.FORWARD and torch.is_grad_enabled():
            self._callers.setdefault(_autograd._get_sequence_nr() - 1, (module, run.operator.stack))
        collector.add_operator(run, inputs, outputs)

    def _caller(self, phase: Phase) -> tuple[str, tuple[str, ...] | None]:
        """Module and lines of the program; None for the lines that run now."""
        current = self._modules.current
        if current is not None or phase is not Phase.BACKWARD:
            return current or "", None
        node: Any = torch._C._current_autograd_node()  # pyright: ignore
        if node is None:
            return "", None
        variable = getattr(node, "variable", None)  # of a node that accumulates a gradient
        if variable is not None:
            place = self._parameters.get(id(variable))
            return ("" if place is None else place.module), ()
        return self._callers.get(node._sequence_nr(), ("", ()))
