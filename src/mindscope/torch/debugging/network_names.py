# SPDX-License-Identifier: Apache-2.0
"""Paths of modules and places of parameters in a network, also inside of wrappers."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import nn

from mindscope.torch.core.naming import plain_network

_WRAPPERS = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


class ParameterPlace(NamedTuple):
    """The module that holds a parameter: path and class, and the name there."""

    module: str
    type: str
    name: str


def module_paths(network: nn.Module) -> dict[nn.Module, str]:
    """Path of each module once; those that only wrap another one have its path."""
    plain: Any = plain_network(network)
    paths: dict[nn.Module, str] = {module: _plain_path(name) for name, module in plain.named_modules()}
    outer: Any = network
    while outer is not plain:  # a compiled network is called by its wrapper only
        paths[outer] = ""
        outer = getattr(outer, "_orig_mod", None) or getattr(outer, "module", plain)
    return paths


def module_type(module: nn.Module) -> str:
    """The class of a module, inside of a wrapper of ``torch.compile``."""
    return type(getattr(module, "_orig_mod", module)).__name__


def parameter_places(network: nn.Module) -> dict[int, ParameterPlace]:
    """By id of the parameter; one that several modules share belongs to the first."""
    found: dict[int, ParameterPlace] = {}
    plain: Any = plain_network(network)
    for path, module in plain.named_modules():
        for name, parameter in module.named_parameters(recurse=False):
            found.setdefault(id(parameter), ParameterPlace(_plain_path(path), type(module).__name__, name))
    return found


def _plain_path(path: str) -> str:
    return ".".join(part for part in path.split(".") if part not in _WRAPPERS)
