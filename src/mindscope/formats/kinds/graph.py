# SPDX-License-Identifier: Apache-2.0
"""Computational graphs, and run metadata of TensorFlow's runtime."""

from __future__ import annotations

from typing import Any

from mindscope.formats import mindspore_schemas, tensorboard_schemas, wire
from mindscope.formats.kinds.descriptor import KindDescriptor, Storage, event_message, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.types import Kind, Message

TENSOR_FIELD = 8
"""Of a Summary.Value; a GraphDef has the fields 1 to 4."""


def _from_tensorboard(encoded: bytes | memoryview) -> Any:
    """The GraphDef of an event, or the graph in the Summary.Value of a plugin."""
    is_value = any(number == TENSOR_FIELD for number, _, _, _ in wire.split(encoded, 0, len(encoded)))
    return _GRAPH_VALUE.decode(encoded) if is_value else wire.decode(tensorboard_schemas.GRAPH, encoded)


def _from_value(value: Message) -> Message:
    """The JSON of a Keras model as ``{"keras_model": text}``, or a GraphDef."""
    encoded = decode_strings(value["tensor"])[0]
    if encoded.lstrip().startswith(b"{"):
        return {"keras_model": str(encoded, "utf-8", "backslashreplace")}
    return wire.decode(tensorboard_schemas.GRAPH, encoded)


def _undecoded(encoded: bytes | memoryview) -> Message:
    return {"meta_graph_def": bytes(encoded)}


_GRAPH_VALUE = tensorboard_value(Kind.GRAPH, _from_value)
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
    tensorboard=event_message(tensorboard_schemas.TAGGED_RUN_METADATA, 8),
    plugins=("graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata"),
)
