# SPDX-License-Identifier: Apache-2.0
"""Computational graphs, and run metadata of TensorFlow's runtime.

A graph stays encoded here: ``mindscope.graph`` reads it straight into columns.
"""

from __future__ import annotations

from mindscope.formats import tensorboard_schemas, wire
from mindscope.formats.kinds.descriptor import KindDescriptor, Storage, tensorboard_value
from mindscope.formats.message_columns import Messages
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.types import EncodedGraph, GraphFormat, Kind, Message


def _from_tensorboard(encoded: bytes | memoryview) -> EncodedGraph:
    """Return the GraphDef of an event, or the graph in the Summary.Value of a plugin."""
    if is_value(encoded):
        return _GRAPH_VALUE.decode(encoded)
    return EncodedGraph(GraphFormat.TENSORFLOW, bytes(encoded))


def _from_mindspore(encoded: bytes | memoryview) -> EncodedGraph:
    return EncodedGraph(GraphFormat.MINDSPORE, bytes(encoded))


def is_value(encoded: bytes | memoryview) -> bool:
    """Return whether a message is the Summary.Value of a plugin: it has a tensor, field 8.

    A GraphDef has the fields 1 to 4, a TaggedRunMetadata 1 and 2.
    """
    value = Messages.one(tensorboard_schemas.VALUE, bytes(encoded))
    return len(value.each_run("tensor")[1]) > 0


def _from_value(value: Message) -> EncodedGraph:
    """Return the JSON of a Keras model, or a GraphDef."""
    encoded = decode_strings(value["tensor"])[0]
    is_json = encoded.lstrip().startswith(b"{")
    return EncodedGraph(GraphFormat.KERAS if is_json else GraphFormat.TENSORFLOW, encoded)


def _run_metadata(encoded: bytes | memoryview) -> Message:
    """Return the TaggedRunMetadata of an event; the Summary.Value of a plugin in the same form."""
    if is_value(encoded):
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
    mindspore=Storage(_from_mindspore, event_field=4),
    plugins=("graphs", "graph_keras_model"),
    is_tagged=False,
)
META_GRAPH = KindDescriptor(Kind.META_GRAPH, tensorboard=Storage(_undecoded, event_field=9), is_tagged=False)
RUN_METADATA = KindDescriptor(
    Kind.RUN_METADATA,
    tensorboard=Storage(_run_metadata, event_field=8),
    plugins=("graph_run_metadata", "graph_run_metadata_graph", "graph_tagged_run_metadata"),
)
