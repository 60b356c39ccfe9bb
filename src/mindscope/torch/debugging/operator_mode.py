# SPDX-License-Identifier: Apache-2.0
"""Records inputs and outputs of every operator of ATen, forward, backward and of optimizers.

An operator of a backward pass belongs to the module, and to the lines of the program, of the operator that autograd
differentiates.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from mindscope.debug.model.tensors import Phase
from mindscope.torch.core.operator_calls import OperatorCall, OperatorCalls
from mindscope.torch.core.operator_kinds import OperatorKinds, OverloadFacts
from mindscope.torch.debugging._nested_tensors import tensors_in
from mindscope.torch.debugging.followed_step import FollowedStep
from mindscope.torch.debugging.source_lines import user_stack
from mindscope.torch.debugging.step_collector import StepCollector

Inputs = list[tuple[str, Tensor, int]]
"""Slot, tensor and the row of its statistics, of each input."""


class OperatorMode(TorchDispatchMode):
    """Enter it during the steps that are recorded; one for each debugger.

    Operators that a backward pass computes again are recorded once, when they first run.
    """

    def __init__(self, network: nn.Module, followed: FollowedStep) -> None:
        super().__init__()
        self._followed = followed
        self.calls = OperatorCalls(network)
        """Finds the modules and optimizers that operators belong to."""
        self.calls.start()
        self._kinds = OperatorKinds()
        self._has_backward = False  # in this step, and no optimizer ran since

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Leave compiled functions compiled: what they compute stays the same."""
        return True

    def begin_step(self) -> None:
        """Begin a step."""
        self.calls.begin_step()
        self._has_backward = False

    def remove(self) -> None:
        """Remove the hooks of the modules."""
        self.calls.stop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operator, and record it."""
        kwargs = kwargs or {}
        collector = self._followed.collector
        if collector is None or self._followed.is_quiet:
            return func(*args, **kwargs)
        kind = self._kinds.of(func)
        call = inputs = None
        try:
            call = self._recorded_call(kind)
            if call is not None:
                inputs = collector.read_inputs(kind, args, kwargs)
        except Exception as error:
            self._followed.failed(f"inputs of {kind.name}", error)
        try:
            output = func(*args, **kwargs)
        except Exception as error:
            self._followed.failed_operator = (id(error), _facts(kind, call, args, kwargs))
            raise
        if kind.written:
            try:  # also where it is not recorded: a moving average may write between two that are
                collector.vectors.note_writes(kind.written, args, kwargs)
            except Exception as error:
                self._followed.failed(f"writes of {kind.name}", error)
        if call is not None and inputs is not None:
            try:
                self._add(collector, kind, call, inputs, output)
            except Exception as error:
                self._followed.failed(f"outputs of {kind.name}", error)
        return output

    def _recorded_call(self, kind: OverloadFacts) -> OperatorCall | None:
        """Return the call of an operator that belongs to the training: not to an evaluation between its steps."""
        call = self.calls.call_of(kind)
        if call is None:
            return None
        if call.is_recomputed:
            call.stack = user_stack()  # what differentiates it looks for them here
            return None
        if call.phase is Phase.FORWARD:
            is_of_step = torch.is_grad_enabled() or self._has_backward
            return call if (self.calls.is_training if call.is_in_network else is_of_step) else None
        self._has_backward = call.phase is Phase.BACKWARD
        return call

    def _add(
        self, collector: StepCollector, kind: OverloadFacts, call: OperatorCall, inputs: Inputs, output: Any
    ) -> None:
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
        run = collector.begin(call.module, kind.name, call.phase, _stack_of(call))
        call.stack = run.operator.stack
        collector.add_operator(run, inputs, outputs)


def _facts(kind: OverloadFacts, call: OperatorCall | None, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return facts of an operator that raised an error, as JSON values."""
    inputs = [f"{slot}: {each.dtype} {list(each.shape)}" for slot, each in tensors_in((*args, kwargs))]
    facts = {"operator": kind.name, "inputs": inputs}
    return facts if call is None else {**facts, "module": call.module, "phase": str(call.phase)}


def _stack_of(call: OperatorCall) -> Any:
    """Gives the lines of the program that called an operator, or the one that it differentiates."""
    if call.phase is not Phase.BACKWARD:
        return user_stack
    stack = call.forward.stack if call.forward is not None else None
    return lambda: stack or ()
