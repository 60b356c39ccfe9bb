# SPDX-License-Identifier: Apache-2.0
"""Reads a Keras model from the JSON of Keras's TensorBoard callback: layers and the tensors between them.

A model is ``{"class_name": ..., "config": ...}``. A functional model has ``layers`` in its configuration; each lists
the calls of the layer in ``inbound_nodes``. ``input_layers`` and ``output_layers`` are the tensors that enter and leave
the model. A sequential model is a chain of layers without calls; before Keras 2.2.3 its configuration is the bare list.

A tensor is ``[layer, call, output]``, with the keyword arguments of the call as a fourth entry. Keras 3 puts this list
into ``{"class_name": "__keras_tensor__", "config": {"shape": ..., "dtype": ..., "keras_history": ...}}``.

Source: ``Model.to_json`` of Keras 2.0, 2.4 and 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from mindscope.errors import FormatError
from mindscope.formats.json_text import parse_json
from mindscope.graph.data.columns import Role, Shape, TensorType
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph
from mindscope.graph.graph import Graph
from mindscope.reasons import Reason

JsonObject = dict[str, Any]
_INPUT = "InputLayer"


def read_keras_model(text: str) -> Graph:
    """Return the graph of a model. Nodes are layers; a nested model is a scope with its name.

    A layer that is called several times is one node, with the inputs of every call.
    Raises FormatError if the text is not JSON or nested too deep, ValueError if the JSON is not a Keras model.
    """
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        raise FormatError(Reason("value_malformed", kind="Keras model", why=str(error))) from None
    if not _is_model(value):
        raise ValueError("the JSON is no Keras model: it has no layers")
    model = _read_model(value)
    outputs = [_edge(model, "", tensor).source for tensor in model.outputs]
    return build_graph(model.name, tuple(_nodes(model, "", ())), outputs)


@dataclass(frozen=True, slots=True)
class _Tensor:
    """An output of a layer, by the layer's name in its own model; "" and None for an unknown type."""

    layer: str
    output: int
    dtype: str = ""
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class _Layer:
    """``calls`` are the input tensors of each call; ``model`` is a nested model, None for other layers."""

    name: str
    class_name: str
    config: JsonObject
    calls: tuple[tuple[_Tensor, ...], ...]
    dtype: str
    shape: Shape | None
    model: _Model | None


@dataclass(frozen=True, slots=True)
class _Model:
    name: str
    layers: dict[str, _Layer]
    inputs: tuple[_Tensor, ...]
    outputs: tuple[_Tensor, ...]


# ---- reading --------------------------------------------------------------------------------------------------------


def _is_model(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    config = cast(JsonObject, value).get("config")
    return isinstance(config, list) or (
        isinstance(config, dict) and isinstance(cast(JsonObject, config).get("layers"), list)
    )


def _read_model(value: JsonObject) -> _Model:
    config = value["config"]
    settings: JsonObject = {"layers": config} if isinstance(config, list) else config
    layers = {_name_of(layer): layer for layer in cast(list[JsonObject], settings["layers"])}
    is_chain = not any("inbound_nodes" in layer for layer in layers.values())
    calls = _chained_calls(layers) if is_chain else _listed_calls(layers)
    given = {(each.layer, each.output): each for taken in calls.values() for call in taken for each in call}
    return _Model(
        name=str(settings.get("name") or value.get("name") or ""),
        layers={name: _read_layer(name, layers[name], calls[name], given.get((name, 0))) for name in layers},
        inputs=_ends(layers, list(layers)[:1]) if is_chain else tuple(_tensors(settings.get("input_layers"), layers)),
        outputs=_ends(layers, list(layers)[-1:])
        if is_chain
        else tuple(_tensors(settings.get("output_layers"), layers)),
    )


def _name_of(layer: JsonObject) -> str:
    config = layer["config"]
    own = cast(JsonObject, config).get("name") if isinstance(config, dict) else None
    return str(layer.get("name") or own or layer["class_name"])


def _chained_calls(layers: JsonObject) -> dict[str, tuple[tuple[_Tensor, ...], ...]]:
    before = [None, *layers]
    return {name: () if last is None else ((_Tensor(last, 0),),) for last, name in zip(before, layers, strict=False)}


def _listed_calls(layers: dict[str, JsonObject]) -> dict[str, tuple[tuple[_Tensor, ...], ...]]:
    return {
        name: tuple(tuple(_tensors(call, layers)) for call in layer.get("inbound_nodes") or ())
        for name, layer in layers.items()
    }


def _ends(layers: JsonObject, names: list[str]) -> tuple[_Tensor, ...]:
    return tuple(_Tensor(name, 0) for name in names if name in layers)


def _read_layer(name: str, layer: JsonObject, calls: tuple[tuple[_Tensor, ...], ...], given: _Tensor | None) -> _Layer:
    class_name = str(layer["class_name"])
    is_model = _is_model(layer)
    config: JsonObject = {} if is_model else layer["config"]
    dtype, shape = (given.dtype, given.shape) if given else ("", None)
    if class_name == _INPUT:
        dtype = dtype or _dtype(config.get("dtype"))
        shape = shape or _shape(config.get("batch_input_shape") or config.get("batch_shape"))
    return _Layer(name, class_name, config, calls, dtype, shape, _read_model(layer) if is_model else None)


def _tensors(value: Any, layers: JsonObject) -> Iterator[_Tensor]:
    """Yield the tensors of ``layers`` in nested arguments, in order; skips constants."""
    if isinstance(value, dict):
        yield from _tensors_of_object(cast(JsonObject, value), layers)
    elif isinstance(value, list):
        parts = cast(list[Any], value)
        match parts:
            case [str(name), int(_), int(output), *rest] if name in layers:
                yield _Tensor(name, output)
                parts = rest
            case _:
                pass
        for part in parts:
            yield from _tensors(part, layers)


def _tensors_of_object(value: JsonObject, layers: JsonObject) -> Iterator[_Tensor]:
    if value.get("class_name") == "__keras_tensor__":
        config: JsonObject = value["config"]
        for tensor in _tensors(config["keras_history"], layers):
            yield _Tensor(tensor.layer, tensor.output, _dtype(config.get("dtype")), _shape(config.get("shape")))
        return
    for part in value.values():
        yield from _tensors(part, layers)


def _dtype(value: Any) -> str:
    """Return the name of a dtype, which is a name, or in Keras 3 a policy object with a name."""
    if isinstance(value, dict):
        value = cast(JsonObject, value).get("config", {}).get("name")
    return value.lower() if isinstance(value, str) else ""


def _shape(value: Any) -> Shape | None:
    """Return sizes by axis; -1 for an unknown size, which is null in the file."""
    if not isinstance(value, list):
        return None
    return tuple(size if isinstance(size, int) else -1 for size in cast(list[Any], value))


# ---- nodes ----------------------------------------------------------------------------------------------------------


def _nodes(model: _Model, scope: str, feeds: Sequence[Sequence[NewInput]]) -> Iterator[NewNode]:
    """Yield the layers of a model; ``feeds`` are the inputs of each call of the model."""
    for layer in model.layers.values():
        positions = [position for position, tensor in enumerate(model.inputs) if tensor.layer == layer.name]
        fed = [[feed[position] for position in positions if position < len(feed)] for feed in feeds]
        calls = [[_edge(model, scope, tensor) for tensor in call] for call in layer.calls] + fed
        if layer.model is None:
            yield _node(layer, scope, tuple(edge for call in calls for edge in call))
        else:
            yield from _nodes(layer.model, _path(scope, layer.name), [call for call in calls if call])


def _node(layer: _Layer, scope: str, inputs: tuple[NewInput, ...]) -> NewNode:
    name = _path(scope, layer.name)
    return NewNode(
        name=name,
        op_type=layer.class_name,
        scope=name.rpartition("/")[0],
        inputs=inputs,
        attributes={key: value for key, value in layer.config.items() if key != "name"},
        type=TensorType(layer.dtype, layer.shape),
        role=Role.INPUT if layer.class_name == _INPUT else Role.OPERATION,
    )


def _edge(model: _Model, scope: str, tensor: _Tensor) -> NewInput:
    """Return the edge from a tensor; for an output of a nested model, from the inner layer that makes it."""
    layer, path = model.layers[tensor.layer], _path(scope, tensor.layer)
    if layer.model is None:
        return NewInput(path, output=tensor.output)
    if not 0 <= tensor.output < len(layer.model.outputs):
        raise ValueError(f"model {path} has no output {tensor.output}")
    return _edge(layer.model, path, layer.model.outputs[tensor.output])


def _path(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name
