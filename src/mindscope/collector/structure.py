# SPDX-License-Identifier: Apache-2.0
"""The structure of a network as ``GraphProto``: what remains where its computation is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import count
from typing import NamedTuple

from mindscope.formats.mindspore_schemas import DATA_TYPES, WEIGHT
from mindscope.types import Message

_NUMBERS = {name: number for number, name in enumerate(DATA_TYPES)}
ROOT = "Default"


class Layer(NamedTuple):
    """One layer: path with dots, class, names of its own weights, and the ``TypeProto`` of its output if known."""

    path: str
    kind: str
    weights: tuple[str, ...]
    output: Message | None = None


class Weight(NamedTuple):
    """A parameter: ``dtype`` as MindSpore calls it, in capitals."""

    name: str
    dtype: str
    shape: tuple[int, ...]


def structure_message(
    name: str, layers: Sequence[Layer], weights: Sequence[Weight], kinds: Mapping[str, str]
) -> Message:
    """Return a node for each layer, numbered from 1, whose inputs are its weights; ``kinds`` are classes by path."""
    names = {weight.name for weight in weights}
    numbers = numbers_beside(names)
    message: Message = {
        "name": name,
        "node": [_node(number, layer, names, kinds) for number, layer in zip(numbers, layers, strict=False)],
        "parameters": [_parameter(weight) for weight in weights],
    }
    return {field: value for field, value in message.items() if value}


def numbers_beside(taken: Set[str]) -> Iterator[str]:
    """Return 1, 2, 3, ... as names of nodes, without those that are ``taken``: a list may number its parameters."""
    return (name for name in map(str, count(1)) if name not in taken)


def scope_of(path: str, kinds: Mapping[str, str]) -> str:
    """Return the scope of a path such as ``layers.0``: ``Default/layers-Sequential/0-Linear``."""
    parts = path.split(".") if path else []
    prefixes = [".".join(parts[: end + 1]) for end in range(len(parts))]
    named = [
        f"{part}-{kinds[prefix]}" if prefix in kinds else part for part, prefix in zip(parts, prefixes, strict=True)
    ]
    return "/".join([ROOT, *named])


def _node(number: str, layer: Layer, known: set[str], kinds: Mapping[str, str]) -> Message:
    scope = scope_of(layer.path, kinds)
    return {
        "name": number,
        "op_type": layer.kind,
        "scope": scope,
        "input": [{"name": weight, "type": 0} for weight in layer.weights if weight in known],  # shared: one name
        "full_name": f"{scope}/{layer.kind}-op0",
        "instance_name": layer.path,
        **({} if layer.output is None else {"output_type": layer.output}),
    }


def _parameter(weight: Weight) -> Message:
    shape = {"dim": [{"size": size} for size in weight.shape]}
    tensor = {"elem_type": _NUMBERS.get(weight.dtype, 0), "shape": shape}
    return {"name": weight.name, "part": WEIGHT, "type": {"data_type": _NUMBERS["TENSOR"], "tensor_type": tensor}}
