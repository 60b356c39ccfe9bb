# SPDX-License-Identifier: Apache-2.0
"""Paths of modules and locations of parameters in a network, also inside of wrappers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from torch import nn

from mindscope.torch.core.naming import COMPILED, PARALLEL, WRAPPED, module_type, plain_network, plain_path


class NamedModule(NamedTuple):
    """A module whose calls hooks see."""

    module: nn.Module
    path: str
    """Path without the names that wrappers add; empty for the network."""
    type: str
    """Name of its class."""
    is_compiled: bool
    """Whether ``torch.compile`` compiled it: only its borders are seen, and no module inside of it."""


class ParameterLocation(NamedTuple):
    """The module that holds a parameter: path and class, and the name there."""

    module: str
    type: str
    name: str


def called_modules(network: nn.Module) -> list[NamedModule]:
    """Return each module once, outer ones first.

    It omits modules that only wrap another one and those inside compiled ones.
    """
    return list(_called(network, "", set()))


def _called(module: nn.Module, path: str, known: set[nn.Module]) -> Iterator[NamedModule]:
    if module in known:
        return
    known.add(module)
    inner = _wrapped(module)
    if inner is not None:
        yield from _called(inner, path, known)
        return
    is_compiled = hasattr(module, COMPILED) or getattr(module, "_compiled_call_impl", None) is not None
    yield NamedModule(module, path, module_type(module), is_compiled)
    for name, child in () if is_compiled else module.named_children():
        yield from _called(child, f"{path}.{name}" if path else name, known)


def _wrapped(module: nn.Module) -> nn.Module | None:
    """Return the module that another one only wraps, to spread or to recompute it."""
    names = (("module",) if type(module).__name__ in PARALLEL else ()) + WRAPPED
    return next((cast(nn.Module, getattr(module, name)) for name in names if hasattr(module, name)), None)


def module_types(network: nn.Module) -> dict[str, str]:
    """Return the class of each module by path, also inside of wrappers and of compiled modules."""
    return {path: module_type(module) for path, module in named_modules(network)}


def parameter_locations(network: nn.Module) -> dict[int, ParameterLocation]:
    """Return the module of each parameter by id; a parameter that several modules share belongs to the first."""
    found: dict[int, ParameterLocation] = {}
    for path, module in named_modules(network):
        for name, parameter in module.named_parameters(recurse=False):
            found.setdefault(id(parameter), ParameterLocation(path, module_type(module), name))
    return found


def named_modules(network: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Return path and module, outer ones first.

    A module has the path of the wrappers around it, which come before it.
    """
    modules = cast("Iterable[tuple[str, nn.Module]]", plain_network(network).named_modules())
    return ((plain_path(path), module) for path, module in modules)
