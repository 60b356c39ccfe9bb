# SPDX-License-Identifier: Apache-2.0
"""Records gradients of parameters, and the parameters with their updates, around the steps of optimizers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from mindscope.debug.model.tensors import Phase, Role
from mindscope.torch.debugging.followed_step import FollowedStep
from mindscope.torch.debugging.network_names import ParameterPlace, parameter_places
from mindscope.torch.debugging.step_collector import StepCollector


class ParameterHooks:
    """Hooks of all optimizers of the process that train parameters of a network, until ``remove``."""

    def __init__(self, network: nn.Module, followed: FollowedStep) -> None:
        self._followed = followed
        self._network = network
        self._places = parameter_places(network)
        self._before: dict[int, Tensor] = {}  # by id of the parameter, during a step of an optimizer
        self._handles = [
            register_optimizer_step_pre_hook(
                lambda optimizer, args, kwargs: self._step_begins(optimizer, _has_closure(args, kwargs))
            ),
            register_optimizer_step_post_hook(lambda optimizer, args, kwargs: self._step_ends(optimizer)),
        ]

    def remove(self) -> None:
        """Remove the hooks."""
        for handle in self._handles:
            handle.remove()
        self._before.clear()

    def end_step(self, collector: StepCollector) -> None:
        """Record what is known if no optimizer ran, as where a loss scale was too large."""
        if self._followed.has_optimized:
            return
        for parameter in self._network.parameters():
            place = self._places.get(id(parameter))
            if place is not None:
                _add_gradient(collector, place, parameter)
        for parameter in self._network.parameters():
            place = self._places.get(id(parameter))
            if place is not None:
                _add_parameter(collector, place, parameter, None)

    def _step_begins(self, optimizer: Optimizer, has_closure: bool) -> None:
        if torch.compiler.is_compiling():
            return
        self._followed.in_optimizer, self._followed.in_closure = not has_closure, has_closure
        collector = self._followed.collector
        if collector is not None:
            self._followed.guarded("gradients of parameters", lambda: self._keep_parameters(collector, optimizer))

    def _keep_parameters(self, collector: StepCollector, optimizer: Optimizer) -> None:
        with torch.no_grad():
            for place, parameter in self._own(optimizer):
                if self._followed.in_optimizer:  # a closure computes the gradients later
                    _add_gradient(collector, place, parameter)
                if parameter.requires_grad and parameter.dtype.is_floating_point:
                    self._before[id(parameter)] = parameter.detach().clone()

    def _step_ends(self, optimizer: Optimizer) -> None:
        if torch.compiler.is_compiling():
            return
        had_closure, self._followed.in_closure = self._followed.in_closure, False
        self._followed.in_optimizer = False
        collector = self._followed.collector
        if collector is not None:
            self._followed.guarded("parameters", lambda: self._add_parameters(collector, optimizer, had_closure))
        self._before.clear()

    def _add_parameters(self, collector: StepCollector, optimizer: Optimizer, had_closure: bool) -> None:
        for place, parameter in self._own(optimizer) if had_closure else ():
            _add_gradient(collector, place, parameter)
        for place, parameter in self._own(optimizer):
            self._followed.has_optimized = True
            _add_parameter(collector, place, parameter, self._before.pop(id(parameter), None))

    def _own(self, optimizer: Optimizer) -> list[tuple[ParameterPlace, Tensor]]:
        every = [each for group in optimizer.param_groups for each in group["params"]]
        return [(place, each) for each in every if (place := self._places.get(id(each))) is not None]


def _has_closure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a step of an optimizer was given a function that computes loss and gradients."""
    return kwargs.get("closure") is not None or (len(args) > 1 and args[1] is not None)


def _add_gradient(collector: StepCollector, place: ParameterPlace, parameter: Tensor) -> None:
    if parameter.grad is not None:
        run = collector.begin_call(place.module, place.type, Phase.BACKWARD, 0, tuple)
        collector.add(run, Role.GRADIENT, place.name, parameter.grad)


def _add_parameter(collector: StepCollector, place: ParameterPlace, parameter: Tensor, before: Tensor | None) -> None:
    run = collector.begin_call(place.module, place.type, Phase.OPTIMIZER, 0, tuple)
    row = collector.add_row(run, Role.PARAMETER, place.name, parameter, collector.vectors.new_row(parameter))
    if before is not None and row >= 0:
        collector.vectors.add_update(row, parameter, before)
