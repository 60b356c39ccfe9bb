# SPDX-License-Identifier: Apache-2.0
"""Records gradients of parameters, and the parameters with their updates, around the steps of optimizers."""

from __future__ import annotations

from collections import defaultdict

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils._python_dispatch import _disable_current_modes  # pyright: ignore[reportPrivateUsage]

from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.core.network_names import ParameterLocation, parameter_locations
from mindscope.torch.core.operator_calls import has_closure
from mindscope.torch.debugging.buffers import State, WatchedTensor, state_of
from mindscope.torch.debugging.followed_step import FollowedStep
from mindscope.torch.debugging.step_collector import StepCollector


class ParameterHooks:
    """Hooks of all optimizers of the process that train parameters of a network, until ``remove``.

    Until an optimizer with hooks ran, the parameters are copied when a step begins: optimizers that are not of PyTorch
    and compiled ones have none. Afterwards only those are that no optimizer with hooks trains: a change by ``.data``
    has no version, and on a device nothing else shows it.

    A parameter that was not finite before the step is recorded once more, as it was then: no operator shows what wrote
    it between two steps. A finite one costs nothing on the processor and one more reading on a device.
    """

    def __init__(self, network: nn.Module, followed: FollowedStep) -> None:
        self._followed = followed
        self._network = network
        self._locations = parameter_locations(network)
        self._before: dict[int, Tensor] = {}  # by id of the parameter, as before an optimizer changes it
        self._has_hooks = False  # an optimizer called them
        self._has_optimized = False  # one did in this step
        self._optimized: set[int] = set()  # ids of parameters that an optimizer ever changed
        self._left_out: dict[int, Tensor] = {}  # by id of those, as when the step began
        self._states: dict[int, State | None] = {}  # of those, as when the step began
        self._frozen: defaultdict[int, WatchedTensor] = defaultdict(WatchedTensor)  # by id of those without gradient
        self._changed: set[int] = set()  # ids of parameters that were recorded in this step
        self._handles = [
            register_optimizer_step_pre_hook(
                lambda optimizer, args, kwargs: self._step_begins(optimizer, has_closure(args, kwargs))
            ),
            register_optimizer_step_post_hook(
                lambda optimizer, args, kwargs: self._step_ends(optimizer, has_closure(args, kwargs))
            ),
        ]

    def remove(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._before.clear()
        self._left_out.clear()

    def begin_step(self) -> None:
        """Begin a recorded step."""
        self._before.clear()
        self._changed.clear()
        self._has_optimized = False
        left_out: list[Tensor] = [
            parameter for parameter in self._network.parameters() if id(parameter) not in self._optimized
        ]
        self._left_out, self._states = _kept(left_out), {id(each): state_of(each) for each in left_out}

    def begin_forward(self) -> None:
        """Note that the network is called: no optimizer made the changes since the step began."""
        kept = [parameter for parameter in self._network.parameters() if id(parameter) in self._left_out]
        changed: list[Tensor] = [each for each in kept if self._states[id(each)] != state_of(each)]
        self._left_out.update(_kept(changed))

    def end_step(self, collector: StepCollector) -> None:
        """Record what optimizers left out: all where none called hooks, as where a loss scale was too large."""
        self._add_frozen(collector)
        if self._has_optimized:
            self._add_left_out(collector)
            return
        known = [(location, each) for each in self._network.parameters() if (location := self._locations.get(id(each)))]
        for location, parameter in known:
            _add_gradient(collector, location, parameter)
        for location, parameter in known:
            self._add_parameter(collector, location, parameter, self._left_out.get(id(parameter)))
        self._left_out.clear()

    def fail_step(self, collector: StepCollector) -> None:
        """Record the parameters that are not finite of a step that failed before an optimizer changed them."""
        for parameter in () if self._has_optimized else self._network.parameters():
            location = self._locations.get(id(parameter))
            if location is not None and parameter.is_floating_point():
                collector.add_before(location, parameter, collector.vectors.new_row(parameter))

    def _add_left_out(self, collector: StepCollector) -> None:
        """Add parameters that have a gradient, but that no optimizer with hooks trains: most have an update of 0."""
        for parameter in self._network.parameters():
            location, before = self._locations.get(id(parameter)), self._left_out.get(id(parameter))
            is_trained = id(parameter) in self._optimized
            if location is not None and before is not None and parameter.grad is not None and not is_trained:
                _add_gradient(collector, location, parameter)
                self._add_parameter(collector, location, parameter, before)
        self._left_out.clear()

    def _step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        collector = self._followed.collector
        if collector is not None and not torch.compiler.is_compiling():
            self._followed.guarded("parameters", lambda: self._keep_parameters(collector, optimizer, has_closure))

    def _keep_parameters(self, collector: StepCollector, optimizer: Optimizer, has_closure: bool) -> None:
        own = self._own(optimizer)
        for location, parameter in () if has_closure else own:  # a closure computes the gradients later
            _add_gradient(collector, location, parameter)
        self._before.update(_kept([parameter for _, parameter in own]))

    def _step_ends(self, optimizer: Optimizer, has_closure: bool) -> None:
        collector = self._followed.collector
        if collector is not None and not torch.compiler.is_compiling():
            self._followed.guarded("parameters", lambda: self._add_parameters(collector, optimizer, has_closure))
            self._before.clear()

    def _add_parameters(self, collector: StepCollector, optimizer: Optimizer, had_closure: bool) -> None:
        own = self._own(optimizer)
        for location, parameter in own if had_closure else ():
            _add_gradient(collector, location, parameter)
        for location, parameter in own:
            self._has_hooks = self._has_optimized = True
            self._optimized.add(id(parameter))
            self._add_parameter(collector, location, parameter, self._before.pop(id(parameter), None))

    def _add_parameter(
        self, collector: StepCollector, location: ParameterLocation, parameter: Tensor, before: Tensor | None
    ) -> None:
        vectors = collector.vectors
        run = collector.begin_call(location.module, location.type, Phase.OPTIMIZER, 0, tuple)
        row = collector.add_row(run, Role.PARAMETER, location.name, parameter, vectors.new_row(parameter))
        if row < 0:
            return
        if before is not None:
            vectors.add_update(row, parameter, before)
        if id(parameter) not in self._changed and vectors.may_be_bad(row, parameter):
            collector.add_before(location, parameter, row if before is None else vectors.new_row(before))
        self._changed.add(id(parameter))

    def _add_frozen(self, collector: StepCollector) -> None:
        """Add parameters without gradient that are not finite. After a bad number, samples of them don't suffice."""
        has_bad = collector.vectors.has_bad
        for parameter in self._network.parameters():
            location = self._locations.get(id(parameter))
            if location is None or parameter.requires_grad or not parameter.is_floating_point():
                continue
            watched = self._frozen[id(parameter)]
            if watched.needs_read(parameter, is_forced=has_bad):
                collector.add_before(location, parameter, collector.vectors.new_row(parameter), watched)

    def _own(self, optimizer: Optimizer) -> list[tuple[ParameterLocation, Tensor]]:
        every = [each for group in optimizer.param_groups for each in group["params"]]
        return [(location, each) for each in every if (location := self._locations.get(id(each))) is not None]


def _kept(parameters: list[Tensor]) -> dict[int, Tensor]:
    """Return copies of those that are trained, by id; a dump of the same training does not see them."""
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    with torch.no_grad(), _disable_current_modes():
        return dict(zip(map(id, trained), _copies(trained), strict=True))


def _copies(parameters: list[Tensor]) -> list[Tensor]:
    """Copy parameters, those of one device by a few kernels."""
    if any(type(parameter) not in (Tensor, nn.Parameter) or parameter.is_cpu for parameter in parameters):
        return [parameter.detach().clone() for parameter in parameters]
    copies = [torch.empty_like(parameter) for parameter in parameters]
    if copies:
        torch._foreach_copy_(copies, [parameter.detach() for parameter in parameters])  # pyright: ignore
    return copies


def _add_gradient(collector: StepCollector, location: ParameterLocation, parameter: Tensor) -> None:
    if parameter.grad is not None:
        run = collector.begin_call(location.module, location.type, Phase.BACKWARD, 0, tuple)
        collector.add(run, Role.GRADIENT, location.name, parameter.grad)
