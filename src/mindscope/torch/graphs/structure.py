# SPDX-License-Identifier: Apache-2.0
"""The structure of a network as ``GraphProto``: what remains where its computation can't be traced."""

from __future__ import annotations

from typing import Any, cast

from torch import nn

from mindscope.torch.graphs.scopes import Scopes
from mindscope.torch.graphs.types import type_of
from mindscope.types import Message


def structure_message(module: nn.Module, name: str) -> Message:
    """A node for each module that has no modules inside or has weights of its own; its inputs are its weights."""
    scopes = Scopes(module)
    modules: list[tuple[str, nn.Module]] = [*cast(Any, module.named_modules())]
    owners = [
        (path, each)
        for path, each in modules
        if not any(each.children()) or any(True for _ in each.parameters(recurse=False))
    ]
    parameters = [_parameter(path, weight) for path, weight in module.named_parameters()]
    known = {each["name"] for each in parameters}
    nodes = [_node(number, path, each, scopes, known) for number, (path, each) in enumerate(owners, start=1)]
    message: Message = {"name": name, "node": nodes, "parameters": parameters}
    return {field: value for field, value in message.items() if value}


def _parameter(path: str, weight: nn.Parameter) -> Message:
    return {"name": path, "type": type_of(weight)}


def _node(number: int, path: str, module: nn.Module, scopes: Scopes, known: set[str]) -> Message:
    weights = [f"{path}.{name}" if path else name for name, _ in module.named_parameters(recurse=False)]
    scope = scopes.of_path(path)
    return {
        "name": str(number),
        "op_type": type(module).__name__,
        "scope": scope,
        "input": [{"name": weight, "type": 0} for weight in weights if weight in known],  # a shared one has one name
        "full_name": f"{scope}/{type(module).__name__}-op0",
        "instance_name": path,
    }
