# SPDX-License-Identifier: Apache-2.0
"""Records the steps of one debugger. Nothing in here raises during a training."""

from __future__ import annotations

import logging
import weakref
from collections import deque
from itertools import count
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from mindscope.torch.core import distributed
from mindscope.torch.core.call_hooks import CallHooks
from mindscope.torch.core.compiled_code import CompilerUse
from mindscope.torch.core.network_names import called_modules
from mindscope.torch.debugging.followed_step import FollowedStep
from mindscope.torch.debugging.module_hooks import ModuleHooks
from mindscope.torch.debugging.operator_mode import OperatorMode
from mindscope.torch.debugging.options import DebuggerOptions
from mindscope.torch.debugging.parameters import ParameterHooks
from mindscope.torch.debugging.step_collector import CollectedStep, StepCollector
from mindscope.torch.debugging.step_output import StepOutput
from mindscope.torch.debugging.tensor_table import KnownTensors

_log = logging.getLogger(__name__)
_NUMBERS = count()


class DebuggingSession:
    """Follows a network through the steps of its training."""

    known: ClassVar[weakref.WeakSet[DebuggingSession]] = weakref.WeakSet()
    """All of this process, which other recorders ask after a failure."""

    def __init__(self, options: DebuggerOptions, queue_timeout: float | None) -> None:
        self._options = options
        self.followed = FollowedStep()
        self.tensors = KnownTensors()
        """Tensors that steps refer to."""
        self.last_steps: deque[CollectedStep] = deque(maxlen=2)
        """The last ones, also if they were written."""
        self.number = next(_NUMBERS)
        """The number of recordings before it."""
        self.known.add(self)
        self._queue_timeout = queue_timeout
        self._output: StepOutput | None = None  # between a first step and the end
        self._network: nn.Module | None = None
        self._modules: ModuleHooks | None = None  # at level operator, of compiled modules only
        self._operators: OperatorMode | None = None
        self._parameters: ParameterHooks | None = None
        self._next_step = options.first_step
        self._capacity = 0  # tensors of the last step
        self._is_mode_on = False
        self._is_hidden = False  # compiled code called the modules unseen

    def follow(self, network: nn.Module, steps_done: int | None = None) -> None:
        """Set the hooks of a network that was trained for ``steps_done`` steps."""
        self._remove_hooks()
        if steps_done is not None:
            self._next_step = int(steps_done) + 1
        self._network = network
        modules = called_modules(network)
        if self._options.level == "module":
            self._modules = ModuleHooks(modules, self.followed)
        else:
            self._modules = ModuleHooks((module for module in modules if module.is_compiled), self.followed)
            self._operators = OperatorMode(network, self.followed)
        self._parameters = ParameterHooks(network, self.followed)
        self._call_hooks.before_first = self._forward_begins

    def _forward_begins(self) -> None:
        if self._parameters is not None and self.followed.collector is not None:
            self.followed.guarded("parameters", self._parameters.begin_forward)

    def is_of(self, network: nn.Module) -> bool:
        """Return whether it follows, or followed last, a network or one that shares a parameter with it."""
        own = self._network
        if own is None or own is network:
            return own is network
        return not {id(parameter) for parameter in own.parameters()}.isdisjoint(map(id, network.parameters()))

    def begin_step(self, step: int | None = None) -> None:
        """Begin a step, with its number if it is known."""
        self._stop_collecting()
        self._next_step = self._next_step if step is None else step
        if self._modules is None or self._parameters is None or not self._is_due(self._next_step):
            return
        self.followed.failed_operator = None
        self._modules.begin_step()
        self._call_hooks.was_called = False
        self.followed.guarded("parameters", self._parameters.begin_step)
        self.followed.collector = StepCollector(self.tensors, self._capacity, self.followed.reasons)
        if self._operators is not None:
            self._operators.begin_step()
            self._operators.__enter__()
            self._is_mode_on = True

    def end_step(self, loss: Any = None, step: int | None = None) -> None:
        """End the step, with its number if it is known."""
        number = self._next_step if step is None else int(step)
        self._next_step = number + 1
        collector = self._stop_collecting()
        if collector is not None:
            self._warn_of_compiled_functions()
            self.followed.guarded("step", lambda: self._add(collector, number, loss))

    def _add(self, collector: StepCollector, step: int, loss: Any) -> None:
        if self._parameters is not None:
            self._parameters.end_step(collector)
        if isinstance(loss, float):
            loss = torch.tensor(loss, dtype=torch.float64)
        if isinstance(loss, Tensor):
            collector.add_loss(loss)
        self._capacity = collector.vectors.count
        self._finish(collector, step)

    def _finish(self, collector: StepCollector, step: int) -> None:
        finished = collector.finish(step)
        self.last_steps.append(finished)
        if self._output is None:
            options = self._options
            self._output = StepOutput(
                options.directory, self.tensors, self._facts, options.ring, options.watchpoints, self._queue_timeout
            )
        self._output.add(finished)

    def _stop_collecting(self) -> StepCollector | None:
        """End the step: no tensors after this belong to it."""
        collector, self.followed.collector = self.followed.collector, None
        if self._is_mode_on and self._operators is not None:
            self._is_mode_on = False
            self._operators.__exit__(None, None, None)
        if self._modules is not None:
            self._modules.end_step()
        return collector

    def write_ring(self, why: str) -> None:
        """Write the steps in memory."""
        output = self._output
        if output is not None:
            self.followed.guarded("ring", lambda: output.write_ring(why))

    def end(self, error: BaseException | None) -> None:
        """End the recording, as the training is over or failed. The present step is written as far as it came."""
        collector = self._stop_collecting()
        if error is not None:
            if collector is not None and collector.rows:
                if self._parameters is not None:
                    parameters = self._parameters
                    self.followed.guarded("parameters", lambda: parameters.fail_step(collector))
                self.followed.guarded("step", lambda: self._finish(collector, self._next_step))
            self.write_ring(f"the training failed: {type(error).__name__}: {error}"[:300])
        self._remove_hooks()
        output, self._output = self._output, None
        if output is not None:
            self.followed.guarded("end", output.end)
        reasons = self.followed.reasons
        if reasons:
            _log.info("debugger did not record %d tensors: %s", sum(reasons.values()), dict(reasons.most_common(10)))

    def _is_due(self, step: int) -> bool:
        try:
            return self._options.is_due(step)
        except Exception as error:
            self.followed.failed("steps", error)
            return False

    def _remove_hooks(self) -> None:
        self._stop_collecting()
        for each in (self._modules, self._operators, self._parameters):
            if each is not None:
                each.remove()
        self._modules = self._operators = self._parameters = None

    @property
    def _call_hooks(self) -> CallHooks:
        """Hooks of all modules that are seen."""
        if self._operators is not None:
            return self._operators.calls.hooks
        return self._modules.hooks if self._modules is not None else CallHooks()

    def _warn_of_compiled_functions(self) -> None:
        if self._is_hidden or self._call_hooks.was_called or not CompilerUse().is_used:
            return
        self._is_hidden = True
        _log.warning(
            "no module of the network ran outside of torch.compile: the debugger sees nothing of a compiled function, "
            "and the borders of a compiled module only if it is given that module; call network.compile(), or give "
            "the debugger what torch.compile(network) returns"
        )

    def _facts(self) -> dict[str, Any]:
        compiled = _compiled(self._network) if self._network is not None else []
        return {
            "framework": "torch",
            "version": torch.__version__,
            "level": self._options.level,
            "every": self._options.every,
            "ring": self._options.ring,
            "world_size": distributed.get_group_size(),
            "compiled": compiled,
            "is_hidden": self._is_hidden,
            "not_recorded": dict(self.followed.reasons),
        }


def _compiled(network: nn.Module) -> list[str]:
    """Return the paths of modules that ``torch.compile`` compiled: nothing inside of them is seen."""
    return sorted(called_module.path for called_module in called_modules(network) if called_module.is_compiled)
