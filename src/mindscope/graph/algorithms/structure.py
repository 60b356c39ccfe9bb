# SPDX-License-Identifier: Apache-2.0
"""A graph as a view needs it: columns of labels, sizes and structure, without attributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import ByteRanges, Texts, number_runs
from mindscope.graph.algorithms.classes import scope_classes
from mindscope.graph.algorithms.code_names import ROOT, CodeName, is_of_pytorch, scope_names, shown_scopes
from mindscope.graph.algorithms.costs import node_flops, output_bytes, parameter_counts
from mindscope.graph.algorithms.parts import node_parts
from mindscope.graph.data.columns import Indices, Role, Shape
from mindscope.graph.data.graph_data import GraphData


@dataclass(frozen=True, slots=True)
class GraphStructure:
    """n nodes, k scopes, m edges. Labels, types, dtypes, shapes and devices are indices of ``texts``."""

    texts: Texts
    label: Indices  # (n,) the name without its scope
    tensor: Indices  # (n,) the name of the first output, if it is another name than the label; "" else
    type: Indices  # (n,)
    dtype: Indices  # (n,)
    shape: Indices  # (n,) such as "32 x 10", with "?" for an unknown size; "" if unknown, "scalar" without dimensions
    device: Indices  # (n,) "" if unknown
    scope: Indices  # (n,)
    role: NDArray[np.uint8]  # (n,) Role
    parts: NDArray[np.uint8]  # (n,) Part
    bytes: NDArray[np.float64]  # (n,) of the output, NaN if unknown
    parameter_count: NDArray[np.float64]  # (n,) elements, NaN if unknown
    flops: NDArray[np.float64]  # (n,) NaN if unknown
    scope_label: Indices  # (k,)
    scope_name: Indices  # (k,) as in the code of the network, without its class
    scope_type: Indices  # (k,) class, "" if unknown
    scope_parent: Indices  # (k,) -1 for the root, which is the first
    scope_kind: NDArray[np.uint8]  # (k,) ScopeKind
    scope_class: NDArray[np.uint32]  # (k,) as scope_classes
    source: Indices  # (m,)
    target: Indices  # (m,)
    is_control: NDArray[np.bool_]  # (m,)
    output: Indices  # (m,)
    is_of_pytorch: bool


_REST = CodeName("backward, optimizer", "")


def structure_of(graph: GraphData) -> GraphStructure:
    """Return the structure of ``graph``."""
    nodes, edges, scopes = graph.node_columns, graph.edge_columns, graph.scope_columns
    own = _runs(graph.texts)
    labels, scope_labels = _after_slash(own, _label_texts(graph)), _after_slash(own, scopes.path)
    words = [word for type in graph.types for word in (type.dtype, shape_text(type.shape))]
    parts = node_parts(graph)
    shown = shown_scopes(graph, parts)
    modules = scope_names(graph)
    if shown.rest >= 0:
        modules[shown.rest] = _REST
    words += [word for module in modules for word in module]
    used = _runs(Texts.of(words))
    data = own.data + used.data
    shifted = ByteRanges(data, used.start + len(own.data), used.stop + len(own.data))
    (label, tensor, op_type, device, scope_label, word), texts = number_runs(
        ByteRanges(data, labels.start, labels.stop),
        ByteRanges(data, own.start, own.stop).take(_tensor_texts(graph)),
        ByteRanges(data, own.start, own.stop).take(nodes.op_type),
        ByteRanges(data, own.start, own.stop).take(nodes.device),
        ByteRanges(data, scope_labels.start, scope_labels.stop),
        shifted,
    )
    first_module = 2 * len(graph.types)
    return GraphStructure(
        texts=texts,
        label=label,
        tensor=tensor,
        type=op_type,
        dtype=word[0:first_module:2][nodes.type],
        shape=word[1:first_module:2][nodes.type],
        device=device,
        scope=shown.of_node,
        role=nodes.role,
        parts=parts,
        bytes=output_bytes(graph),
        parameter_count=parameter_counts(graph),
        flops=node_flops(graph),
        scope_label=scope_label,
        scope_name=word[first_module::2],
        scope_type=word[first_module + 1 :: 2],
        scope_parent=shown.parent,
        scope_kind=scopes.kind,
        scope_class=scope_classes(graph),
        source=edges.source,
        target=edges.target,
        is_control=edges.is_control,
        output=edges.output,
        is_of_pytorch=is_of_pytorch(graph),
    )


def shape_text(shape: Shape | None) -> str:
    """Return the sizes with " x " between them, "?" for an unknown one; "scalar" for none, "" if nothing is known."""
    if shape is None:
        return ""
    return " x ".join("?" if size < 0 else str(size) for size in shape) or "scalar"


def _label_texts(graph: GraphData) -> Indices:
    """Return the texts of nodes, shape (n,).

    MindSpore's names are numbers, so operations have their full name; other nodes have their name.
    """
    nodes = graph.node_columns
    has_full_name = (nodes.role == Role.OPERATION) & (nodes.full_name > 0)
    return np.where(has_full_name, nodes.full_name, nodes.name).astype(np.int32)


def _tensor_texts(graph: GraphData) -> Indices:
    """Return the texts of outputs that nodes do not share their names with, shape (n,); MindSpore has only numbers."""
    nodes = graph.node_columns
    has_own = (nodes.full_name > 0) & (nodes.full_name != nodes.name) & (ROOT not in graph.scope_numbers)
    return np.where(has_own, nodes.name, 0).astype(np.int32)


def _runs(texts: Texts) -> ByteRanges:
    start = np.concatenate([np.zeros(1, np.int64), texts.ends])[:-1]
    return ByteRanges(texts.joined.tobytes(), start, texts.ends)


def _after_slash(texts: ByteRanges, numbers: Indices) -> ByteRanges:
    """Return what comes after the last ``/`` of the texts with ``numbers``; the whole text if that is empty."""
    slash = texts.find(b"/", last=True)
    start = np.where((slash < 0) | (slash + 1 == texts.stop), texts.start, slash + 1)
    return ByteRanges(texts.data, start, texts.stop).take(numbers)
