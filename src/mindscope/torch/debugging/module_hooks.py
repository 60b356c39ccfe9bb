# SPDX-License-Identifier: Apache-2.0
"""Records inputs and outputs of modules, and the gradients of both, by hooks.

Gradients come from hooks of the tensors: hooks of modules for the backward pass would make the outputs views, which no
operator may change in place. So the gradient of an input is its whole gradient, with the parts of its other users.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.core.call_hooks import CallHooks
from mindscope.torch.core.network_names import NamedModule
from mindscope.torch.debugging._nested_tensors import tensors_in
from mindscope.torch.debugging._step_rows import Run
from mindscope.torch.debugging.buffers import WatchedBuffers, WatchedTensor
from mindscope.torch.debugging.followed_step import FollowedStep, in_backward
from mindscope.torch.debugging.step_collector import StepCollector


class _Call:
    """One call of a module."""

    __slots__ = ("backward", "buffers", "collector", "inputs", "module", "number", "type")

    def __init__(self, collector: StepCollector, module: str, type: str, number: int) -> None:
        self.collector, self.module, self.type, self.number = collector, module, type, number
        self.inputs: list[tuple[str, Tensor, int]] = []  # slot, tensor, row of its statistics
        self.buffers: list[tuple[str, Tensor, int, WatchedTensor]] = []
        self.backward: Run | None = None


class ModuleHooks:
    """Hooks of modules, until ``remove``; compiled ones show their borders.

    A recomputed forward pass of a checkpoint is recorded once, when it first runs.
    """

    def __init__(self, modules: Iterable[NamedModule], followed: FollowedStep) -> None:
        self._followed = followed
        self._open: list[tuple[nn.Module, _Call | None]] = []
        self._leaves: list[RemovableHandle] = []  # hooks of leaves, which outlive the graph
        self._buffers = WatchedBuffers()
        self.hooks = CallHooks()
        """Hooks of the modules."""
        for module in modules:
            self.hooks.add(module.module, partial(self._before, module), self._after)

    def begin_step(self) -> None:
        """Begin a step, and end the calls that an error interrupted."""
        self._open.clear()
        self.end_step()

    def end_step(self) -> None:
        """End a step: its gradients are complete."""
        for handle in self._leaves:
            handle.remove()
        self._leaves.clear()

    def remove(self) -> None:
        """Remove all hooks. Those in graphs of earlier steps have no effect."""
        self.end_step()
        self.hooks.remove()
        self._open.clear()

    def _before(self, named: NamedModule, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        collector, call = self._followed.collector, None
        is_training = self._open[-1][1] is not None if self._open else torch.is_grad_enabled()
        if collector is not None and is_training:
            try:
                call = self._begin(collector, named, args, kwargs)
            except Exception as error:
                self._followed.failed(f"inputs of {named.path or named.type}", error)
        self._open.append((module, call))

    def _begin(
        self, collector: StepCollector, named: NamedModule, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> _Call:
        is_recomputed, path, kind = in_backward(), named.path, named.type
        number = collector.next_call(path, kind, Phase.BACKWARD if is_recomputed else Phase.FORWARD)
        call = _Call(collector, path, kind, number)
        for slot, tensor in (*tensors_in(args), *tensors_in(kwargs)):
            if not is_recomputed:
                call.inputs.append((slot, tensor, collector.vectors.row_of(tensor)))
            self._follow_gradient(call, Role.OUTPUT, slot, tensor)
        if not is_recomputed and number == 0:
            self._read_buffers(call, named)
        return call

    def _read_buffers(self, call: _Call, named: NamedModule) -> None:
        for slot, tensor, buffer in self._buffers.to_read(named.path, named.module, is_compiled=named.is_compiled):
            call.buffers.append((slot, tensor, call.collector.vectors.row_of(tensor), buffer))

    def _after(self, module: nn.Module, output: Any) -> None:
        call = None
        while self._open:  # an error may have interrupted inner modules
            opened, call = self._open.pop()
            if opened is module:
                break
        if call is None or call.collector is not self._followed.collector:
            return
        self._followed.guarded(f"outputs of {call.module or call.type}", lambda: self._end(call, output))

    def _end(self, call: _Call, output: Any) -> None:
        collector, is_recomputed = call.collector, in_backward()
        outputs = list(tensors_in(output))
        if not is_recomputed:
            run = collector.begin_call(call.module, call.type, Phase.FORWARD, call.number, tuple)
            for slot, tensor, row in call.inputs:
                collector.add_row(run, Role.INPUT, slot, tensor, row)
            for buffer in call.buffers:
                collector.add_buffer(run, *buffer)
            for slot, tensor in outputs:
                collector.add(run, Role.OUTPUT, slot, tensor)
        call.inputs.clear()
        call.buffers.clear()
        for slot, tensor in outputs:
            self._follow_gradient(call, Role.INPUT, slot, tensor)

    def _follow_gradient(self, call: _Call, role: Role, slot: str, tensor: Tensor) -> None:
        if tensor.requires_grad and torch.is_grad_enabled():
            handle = cast("Any", tensor).register_hook(partial(self._gradient, call, role, slot))
            if tensor.is_leaf:
                self._leaves.append(handle)

    def _gradient(self, call: _Call, role: Role, slot: str, gradient: Tensor | None) -> None:
        if gradient is None or call.collector is not self._followed.collector or torch.compiler.is_compiling():
            return
        self._followed.guarded(
            f"gradients of {call.module or call.type}", lambda: self._add(call, role, slot, gradient)
        )

    def _add(self, call: _Call, role: Role, slot: str, gradient: Tensor) -> None:
        if call.backward is None:
            call.backward = call.collector.begin_call(call.module, call.type, Phase.BACKWARD, call.number, tuple)
        call.collector.add_gradient(call.backward, role, slot, gradient)
