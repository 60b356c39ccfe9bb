# SPDX-License-Identifier: Apache-2.0
"""Computes what nodes cost: bytes of outputs, elements of parameters, floating point operations.

A multiplication with addition counts as two operations. Unknown costs are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.tensors import dtype_by_name
from mindscope.graph.algorithms.parts import pass_through_types
from mindscope.graph.data.columns import Role, Shape, TensorType
from mindscope.graph.data.graph_data import GraphData

Costs = NDArray[np.float64]
Flops = Callable[[Shape, Sequence[Shape]], float]


def output_bytes(graph: GraphData) -> Costs:
    """Return the size of the first output of each node, shape (n,)."""
    sizes = [_elements(type.shape) * _item_size(type.dtype) for type in graph.types]
    return np.array(sizes, np.float64)[graph.node_columns.type]


def parameter_counts(graph: GraphData) -> Costs:
    """Return the number of elements of each parameter, shape (n,); 0 for other nodes."""
    elements = np.array([_elements(type.shape) for type in graph.types], np.float64)
    columns = graph.node_columns
    return np.where(columns.role == Role.PARAMETER, elements[columns.type], 0.0)


def node_flops(graph: GraphData) -> Costs:
    """Return the operations of each node, shape (n,): of products by their shapes, of others one for each output
    element.
    """
    columns, edges = graph.node_columns, graph.edge_columns
    elements = np.array([_elements(type.shape) for type in graph.types], np.float64)
    flops = np.where(columns.role == Role.OPERATION, elements[columns.type], 0.0)
    rules = {number: _RULES.get(_plain(graph.texts[number])) for number in np.unique(columns.op_type).tolist()}
    free = pass_through_types(graph)
    flops[np.isin(columns.op_type, free)] = 0.0
    known: dict[tuple[int, ...], float] = {}
    for node in np.flatnonzero(np.isin(columns.op_type, [number for number, rule in rules.items() if rule])).tolist():
        taken = edges.source[graph.first_input[node] : graph.first_input[node + 1]]
        key = (int(columns.op_type[node]), int(columns.type[node]), *columns.type[taken].tolist())
        if key not in known:
            rule = rules[key[0]]
            known[key] = math.nan if rule is None else _of_rule(rule, [graph.types[number] for number in key[1:]])
        flops[node] = known[key]
    return flops


def _elements(shape: Shape | None) -> float:
    """Return the number of elements; NaN for an unknown shape or size."""
    if shape is None or any(size < 0 for size in shape):
        return math.nan
    return float(math.prod(shape))


def _item_size(dtype: str) -> float:
    """Return the bytes of an element; NaN for an unknown dtype."""
    known = dtype_by_name(dtype)
    return math.nan if known is None else float(known.itemsize)


def _plain(op_type: str) -> str:
    """Return the name of an operation without its namespace and separators: ``aten::_convolution``,
    ``conv2d.default``.
    """
    return op_type.rpartition("::")[2].partition(".")[0].replace("_", "").lower()


def _of_rule(rule: Flops, types: Sequence[TensorType]) -> float:
    shapes = [type.shape for type in types]
    if shapes[0] is None or any(size < 0 for shape in shapes if shape for size in shape):
        return math.nan
    try:
        return rule(shapes[0], [() if shape is None else shape for shape in shapes[1:]])
    except (IndexError, ZeroDivisionError, ValueError):
        return math.nan


def _convolution(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the operations of a convolution, whose weights have the shape (out, in / groups, ...)."""
    return 2 * math.prod(output) * math.prod(inputs[1][1:])


def _convolution_of_input(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the gradient for the input, from the gradient of the output and the weights."""
    return 2 * math.prod(inputs[0]) * math.prod(inputs[1][1:])


def _convolution_of_weights(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the gradient for the weights, from the gradient of the output and the input."""
    return 2 * math.prod(inputs[0]) * math.prod(output[1:])


def _product(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the operations of a product of matrices, in any order and transposition.

    The summed size follows from the numbers of elements.
    """
    left, right = [shape for shape in inputs if len(shape) >= 2][-2:]
    batches = math.prod(output[:-2]) if len(right) > 2 and len(left) > 2 else 1
    summed = math.sqrt(math.prod(left) * math.prod(right) / math.prod(output) / batches)
    return 2 * math.prod(output) * summed


def _linear(output: Shape, inputs: Sequence[Shape]) -> float:
    return 2 * math.prod(output) * inputs[0][-1]


def _attention(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the operations of both products of query (..., t, d), key (..., s, d), value (..., s, v)."""
    query, key, value = inputs[:3]
    return 2 * math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


_RULES: dict[str, Flops] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "conv", "convolution", "depthwiseconv2dnative"), _convolution),
    **dict.fromkeys(("conv2dbackpropinput", "conv3dbackpropinput"), _convolution_of_input),
    **dict.fromkeys(("conv2dbackpropfilter", "conv3dbackpropfilter"), _convolution_of_weights),
    **dict.fromkeys(
        ("matmul", "mm", "bmm", "batchmatmul", "batchmatmulv2", "addmm", "baddbmm", "gemm", "dot"), _product
    ),
    **dict.fromkeys(("linear", "dense"), _linear),
    **dict.fromkeys(("scaleddotproductattention", "flashattentionscore"), _attention),
}
"""Functions of the cost by the plain name of an operation."""
