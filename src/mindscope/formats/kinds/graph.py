# SPDX-License-Identifier: Apache-2.0
"""Computational graphs, and run metadata of TensorFlow's runtime."""

from __future__ import annotations

from typing import Any

from mindscope.formats import mindspore_schemas, tensorboard_schemas, wire
from mindscope.formats.kinds.descriptor import KindDescriptor, Storage, event_message, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.types import Kind, Message

TENSOR_FIELD = 8
"""Of a Summary.Value. A GraphDef has the fields 1 to 4, a TaggedRunMetadata 1 and 2."""


def _from_tensorboard(encoded: bytes | memoryview) -> Any:
    """The GraphDef of an event, or the graph in the Summary.Value of a plugin."""
    if _is_value(encoded):
        return _GRAPH_VALUE.decode(encoded)
    return wire.decode(tensorboard_schemas.GRAPH, encoded)


def _is_value(encoded: bytes | memoryview) -> bool:
    return any(number == TENSOR_FIELD for number, _, _, _ in wire.split(encoded, 0, len(encoded)))


def _from_value(value: Message) -> Message:
    """The JSON of a Keras model as ``{"keras_model": text}``, or a GraphDef."""
    encoded = decode_strings(value["tensor"])[0]
    if encoded.lstrip().startswith(b"{"):
        return {"keras_model": str(encoded, "utf-8", "backslashreplace")}
    return wire.decode(tensorboard_schemas.GRAPH, encoded)


def _run_metadata(encoded: bytes | memoryview) -> Message:
    """The TaggedRunMetadata of an event; the Summary.Value of a plugin in the same form."""
    if _is_value(encoded):
        return _RUN_METADATA_VALUE.decode(encoded)
    return wire.decode(tensorboard_schemas.TAGGED_RUN_METADATA, encoded)


def _run_metadata_of_value(value: Message) -> Message:
    return {"tag": value["tag"], "run_metadata": decode_strings(value["tensor"])[0]}


def _undecoded(encoded: bytes | memoryview) -> Message:
    return {"meta_graph_def": bytes(encoded)}


_GRAPH_VALUE = tensorboard_value(Kind.GRAPH, _from_value)
_RUN_METADATA_VALUE = tensorboard_value(Kind.RUN_METADATA, _run_metadata_of_value)
GRAPH = KindDescriptor(
    Kind.GRAPH,
    tensorboard=Storage(_from_tensorboard, event_field=4),
    mindspore=event_message(mindspore_schemas.GRAPH, 4),
    plugins=("graphs", "graph_keras_model"),
    is_tagged=False,
)
META_GRAPH = KindDescriptor(Kind.META_GRAPH, tensorboard=Storage(_undecoded, event_field=9), is_tagged=False)
RUN_METADATA = KindDescriptor(
    Kind.RUN_METADATA,
    tensorboard=Storage(_run_metadata, event_field=8),
    plugins=("graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata"),
)
