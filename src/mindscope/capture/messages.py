# SPDX-License-Identifier: Apache-2.0
"""Encodes lineage, graph and landscape messages from dicts, bytes, or message objects of other libraries."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from mindscope.errors import TypeRejectedError, ValueRejectedError, WireError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH, MODEL
from mindscope.formats.wire import Schema
from mindscope.types import Message

_JSON_TEXT_FIELDS = {"Model": "path", "EvaluationLineage": "metric"}
"""Message -> its field with JSON text; callers may pass the parsed value instead of the text."""


def message_bytes(schema: Schema, value: Any) -> bytes:
    """Return the encoded message: from a dict of its fields, from its bytes, or from an object with
    ``SerializeToString``.

    Raises:
        TypeRejectedError: it is none of these.
        ValueRejectedError: a field is unknown or has a wrong value, or the bytes are not such a message.
    """
    try:
        if isinstance(value, Mapping):
            return wire.encode(schema, _plain_message(schema, cast(Mapping[str, Any], value)))
        encoded = _own_bytes(value)
        if encoded is None:
            raise TypeRejectedError(
                f"value is {type(value).__name__}, want a {schema.name} as dict of fields, as bytes or message object"
            )
        wire.decode(schema, encoded)
    except WireError as error:
        raise ValueRejectedError(str(error)) from error
    return encoded


def check_graph(network: Any) -> Any:
    """Return ``network`` if it is None or has a form that ``graph_bytes`` accepts. Raises TypeError."""
    if network is None or isinstance(network, (Mapping, bytes, bytearray, memoryview)):
        return cast(Any, network)
    if hasattr(network, "get_func_graph_proto") or hasattr(network, "SerializeToString"):
        return network
    raise TypeError(
        f"network is {type(network).__name__}, want one that offers get_func_graph_proto(), or a GraphProto as "
        "message, bytes or dict; leave it out to record no graph"
    )


def graph_bytes(value: Any) -> bytes:
    """Return the encoded ``GraphProto``; also from a ``ModelProto`` or a network that has ``get_func_graph_proto``.

    Raises like ``message_bytes``.
    """
    if hasattr(value, "get_func_graph_proto"):
        value = value.get_func_graph_proto()
    encoded = _own_bytes(value)
    if encoded is None:
        return message_bytes(GRAPH, value)
    return message_bytes(GRAPH, _graph_of_model(encoded) or encoded)


def _graph_of_model(encoded: bytes) -> bytes | None:
    """Return the graph inside the bytes of a model; None if they are a bare graph."""
    try:
        fields = wire.split(encoded, 0, len(encoded))
        is_bare = any(number == 1 and value is None for number, value, _, _ in fields)  # a graph's nodes
        graphs = [encoded[start:end] for number, value, start, end in fields if number == 4 and value is None]
        if is_bare or len(graphs) != 1:
            return None
        wire.decode(MODEL, encoded)
    except WireError:
        return None
    return graphs[0]


def _own_bytes(value: Any) -> bytes | None:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(cast(Any, value))
    if hasattr(value, "SerializeToString"):
        return bytes(value.SerializeToString())
    return None


def _plain_message(schema: Schema, message: Mapping[str, Any]) -> Message:
    """Return a copy with Python's own numbers, and with JSON text in fields that need it."""
    plain: Message = {}
    for name, value in message.items():
        field = next((field for field in schema.fields if field.name == name), None)
        if _JSON_TEXT_FIELDS.get(schema.name) == name and not isinstance(value, str) and value is not None:
            value = to_json(value)
        elif field is not None and field.schema is not None and not field.is_map:
            value = _plain_inner(field.schema, value)
        plain[name] = _plain_number(value)
    return plain


def _plain_inner(schema: Schema, value: Any) -> Any:
    if isinstance(value, Mapping):
        return _plain_message(schema, cast(Mapping[str, Any], value))
    if isinstance(value, (list, tuple)):
        return [_plain_inner(schema, item) for item in cast(list[Any], value)]
    return value


def _plain_number(value: Any) -> Any:
    return cast(Any, value).item() if isinstance(value, np.generic) else value


def to_json(value: Any) -> str:
    """Return JSON text of dicts, lists, numbers and arrays.

    NaN and infinities become the texts NaN, Infinity, -Infinity.
    """
    return json.dumps(_json_ready(value), ensure_ascii=False, allow_nan=False)


def _json_ready(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _json_ready(item) for key, item in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, (list, tuple, set)):
        return [_json_ready(item) for item in cast(list[Any], value)]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if hasattr(value, "tolist"):  # an array or number of NumPy, PyTorch, MindSpore
        plain = value.tolist()
        if not hasattr(plain, "tolist"):
            return _json_ready(plain)
    return str(value)
