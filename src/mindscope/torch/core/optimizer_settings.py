# SPDX-License-Identifier: Apache-2.0
"""Settings of optimizers and learning-rate schedulers, with dotted names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from torch import Tensor
from torch.optim.lr_scheduler import LRScheduler

from mindscope.torch.core.constructor_arguments import constructor_arguments, is_plain, plain
from mindscope.torch.core.naming import type_name

_NO_SETTINGS = frozenset("params param_names name initial_lr foreach fused capturable differentiable".split())
"""Entries of a parameter group that are no hyperparameters, or only choose an implementation."""
_DYNAMIC = ("optimizer", "last_epoch", "verbose", "schedulers", "lr_lambda")
"""Arguments of a scheduler that change, or are described by themselves."""
_MOST_GROUPS = 16
_MOST_SCHEDULERS = 8
_DEEPEST = 3


def optimizer_settings(optimizers: Iterable[Any]) -> dict[str, Any]:
    """Return ``optimizer.NAME`` of the first parameter group, ``optimizer.group_N.NAME`` where a later group differs.

    Groups are numbered over all optimizers, or named as they are. The learning rate of the first group is left out:
    it is the field ``learning_rate``.
    """
    groups: list[Any] = [group for optimizer in optimizers for group in optimizer.param_groups]
    if not groups:
        return {}
    first = dict(_settings(groups[0]))
    fields = {f"optimizer.{name}": value for name, value in first.items() if name != "lr"}
    if len(groups) > 1:
        fields["optimizer.groups"] = len(groups)
    for number, group in enumerate(groups[1:_MOST_GROUPS], 1):
        name = group.get("name") or f"group_{number}"
        fields |= {f"optimizer.{name}.{key}": each for key, each in _settings(group) if first.get(key) != each}
    return fields


def _settings(group: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in group.items():
        if name in _NO_SETTINGS:
            continue
        setting = _number(group.get("initial_lr", value) if name == "lr" else value)
        if setting is not None and is_plain(setting):
            yield name, plain(setting)


def _number(value: Any) -> Any:
    """Return a tensor of one element as a number; None for other tensors, and for those without data."""
    if not isinstance(value, Tensor):
        return [_number(each) for each in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
    return None if value.numel() != 1 or value.is_meta else value.item()


def schedulers_of(params: Any) -> list[Any]:
    """Return the schedulers that the loop names, else those among the callbacks or in their attributes."""
    given = params.get("scheduler")
    if given is not None:
        return list(cast("list[Any]", given)) if isinstance(given, (list, tuple)) else [given]
    callbacks: list[Any] = params.get("list_callback") or []
    return [scheduler for callback in callbacks for scheduler in _schedulers_in(callback)]


def _schedulers_in(callback: Any) -> Iterator[Any]:
    if type(callback).__name__ in ("LearningRateScheduler", "ReduceLROnPlateau"):
        yield callback
    attributes = cast("dict[str, Any]", getattr(callback, "__dict__", {}))
    yield from (value for value in attributes.values() if isinstance(value, LRScheduler))


def scheduler_settings(schedulers: Iterable[Any]) -> dict[str, Any]:
    """Return ``scheduler``, its class, and ``scheduler.NAME``; further schedulers are ``scheduler_1`` and so on."""
    fields: dict[str, Any] = {}
    for number, scheduler in enumerate(list(schedulers)[:_MOST_SCHEDULERS]):
        fields |= _scheduler(f"scheduler_{number}" if number else "scheduler", scheduler, _DEEPEST)
    return fields


def _scheduler(prefix: str, scheduler: Any, depth: int) -> dict[str, Any]:
    scheduler = getattr(scheduler, "scheduler", scheduler)  # inside what accelerate wraps around it
    fields: dict[str, Any] = {prefix: type_name(scheduler)}
    fields |= {f"{prefix}.{name}": argument for name, argument in constructor_arguments(scheduler, _DYNAMIC).items()}
    for name in ("milestones", "_milestones"):
        steps = getattr(scheduler, name, None)
        if steps is not None:  # MultiStepLR keeps a Counter
            fields[f"{prefix}.milestones"] = sorted(steps.elements() if hasattr(steps, "elements") else steps)
    functions: list[Any] = getattr(scheduler, "lr_lambdas", None) or _rate_function(scheduler)
    for name, value in (_function(functions[0]) if functions else {}).items():
        fields[f"{prefix}.{name}"] = value
    inner: list[Any] = getattr(scheduler, "_schedulers", None) or []
    for number, each in enumerate(inner[:_MOST_SCHEDULERS] if depth else ()):
        fields |= _scheduler(f"{prefix}.{number}", each, depth - 1)
    return fields


def _rate_function(scheduler: Any) -> list[Callable[..., Any]]:
    function = getattr(scheduler, "learning_rate_function", None)
    return [] if function is None else [function]


def _function(function: Any) -> dict[str, Any]:
    """Return the name of a function, and the keywords that a ``partial`` gives it."""
    keywords: dict[str, Any] = {}
    while isinstance(function, partial):
        keywords = function.keywords | keywords
        function = cast("partial[Any]", function).func
    return {"function": type_name(function)} | {
        name: plain(keyword) for name, keyword in keywords.items() if is_plain(keyword)
    }
