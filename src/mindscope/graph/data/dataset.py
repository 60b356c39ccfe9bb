# SPDX-License-Identifier: Apache-2.0
"""MindSpore's DatasetGraph: the data pipeline as a tree."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from mindscope.formats.json_text import parse_json
from mindscope.types import Message

_MAPS = ("mapStr", "mapBool", "mapInt", "mapDouble")
_NO_PARAMETERS = "None"  # MindSpore writes this text for a transform without parameters


@dataclass(frozen=True, slots=True)
class DatasetOperation:
    """A transform or sampler: its ``name`` in the pipeline, its parameters, sizes and weights."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    size: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetNode:
    """One stage of a data pipeline; ``children`` are the stages that provide its data.

    ``op_type`` is Batch, Map, MnistDataset, ...; ``parameters`` hold all other settings of the stage.
    """

    op_type: str
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    operations: tuple[DatasetOperation, ...] = ()
    sampler: DatasetOperation | None = None
    children: tuple[DatasetNode, ...] = ()

    def walk(self) -> Iterator[DatasetNode]:
        """Yield the stage itself, then all stages below it in pre-order."""
        yield self
        for child in self.children:
            yield from child.walk()


def read_dataset_graph(message: Message) -> DatasetNode:
    """Return the tree of a decoded DatasetGraph."""
    parameters = _read_parameters(message.get("parameter", {}))
    sampler: Message | None = message.get("sampler")
    return DatasetNode(
        op_type=str(parameters.pop("op_type", "")),
        parameters=parameters,
        operations=tuple(_read_operation(each) for each in message.get("operations", [])),
        sampler=None if sampler is None else _read_operation(sampler),
        children=tuple(read_dataset_graph(each) for each in message.get("children", [])),
    )


def _read_operation(message: Message) -> DatasetOperation:
    parameters = _read_parameters(message.get("operationParam", {}))
    name = parameters.pop("tensor_op_name", None) or parameters.pop("sampler_name", None) or ""
    parameters |= _read_json_parameters(parameters.pop("tensor_op_params", _NO_PARAMETERS))
    return DatasetOperation(
        name=str(name),
        parameters=parameters,
        size=tuple(int(size) for size in message.get("size", ())),
        weights=tuple(float(weight) for weight in message.get("weights", ())),
    )


def _read_json_parameters(text: Any) -> dict[str, Any]:
    """Return the parameters of a transform, which are JSON in one text.

    Other text stays a parameter ``tensor_op_params``.
    """
    parsed = _parse(text)
    if isinstance(parsed, dict):
        return cast(dict[str, Any], parsed)
    return {} if text == _NO_PARAMETERS else {"tensor_op_params": parsed}


def _read_parameters(message: Message) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for name in _MAPS:
        parameters |= message.get(name, {})
    lists: Mapping[str, Message] = message.get("mapStrList", {})
    return parameters | {key: [_parse(text) for text in each.get("strValue", [])] for key, each in lists.items()}


def _parse(text: Any) -> Any:
    """Return the value of a JSON text; any other value unchanged. Raises FormatError if it is nested too deep."""
    if not isinstance(text, str):
        return text
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        return text
