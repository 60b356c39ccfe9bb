# SPDX-License-Identifier: Apache-2.0
"""Computes what nodes cost: bytes of outputs, elements of parameters, floating point operations.

A multiplication with its addition counts as two operations, as in PyTorch's ``FlopCounterMode``; MACs are the half.
Unknown costs are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.tensors import dtype_by_name
from mindscope.graph.algorithms.parts import NodePart, node_parts, pass_through_types
from mindscope.graph.data.columns import Role, ScopeKind, Shape, TensorType
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
    """Return the operations of the products of each node, shape (n,), as PyTorch's ``FlopCounterMode`` counts them.

    These are convolutions, products of matrices, attention and recurrent layers; element-wise nodes have 0. NaN is a
    product without shapes, a node without a rule that reads a matrix of weights, a loop, since its body counts once,
    and a node that calls a graph which is not there. An operation whose body is there has 0, since the body counts.
    """
    columns, edges = graph.node_columns, graph.edge_columns
    rules: dict[int, Flops] = {}
    for number in np.unique(columns.op_type).tolist():
        if (rule := _RULES.get(_plain(graph.texts[number]))) is not None:
            rules[number] = rule
    flops = np.zeros(len(columns))
    flops[_reads_matrix(graph)] = math.nan
    flops[columns.role != Role.OPERATION] = 0.0
    known: dict[tuple[int, ...], float] = {}
    for node in np.flatnonzero(np.isin(columns.op_type, list(rules))).tolist():
        inputs = slice(graph.first_input[node], graph.first_input[node + 1])
        taken = edges.source[inputs][~edges.is_control[inputs]]
        key = (int(columns.op_type[node]), int(columns.type[node]), *columns.type[taken].tolist())
        if key not in known:
            known[key] = _of_rule(rules[key[0]], [graph.types[number] for number in key[1:]])
        flops[node] = known[key]
    kind = graph.scope_columns.kind[columns.scope]
    flops[kind == ScopeKind.CALL] = 0.0
    flops[kind == ScopeKind.LOOP] = math.nan
    return flops


def total(graph: GraphData, values: Costs) -> float:
    """Return the sum of the values of nodes (n,) for one pass; of the branches of a condition the largest counts."""
    scopes = graph.scope_columns
    if not (scopes.kind == ScopeKind.BRANCH).any():
        return float(np.nansum(values))
    sums: list[float] = np.bincount(graph.node_columns.scope, np.nan_to_num(values), len(scopes)).tolist()
    largest = [0.0] * len(scopes)
    rows: list[tuple[int, int]] = [*zip(scopes.parent.tolist(), scopes.kind.tolist(), strict=True)]
    for scope in range(len(scopes) - 1, 0, -1):
        parent, kind = rows[scope]
        sums[scope] += largest[scope]
        if kind == ScopeKind.BRANCH:
            largest[parent] = max(largest[parent], sums[scope])
        else:
            sums[parent] += sums[scope]
    return sums[0] + largest[0]


def _reads_matrix(graph: GraphData) -> NDArray[np.bool_]:
    """Return whether each operation reads a weight of two or more dimensions, and may multiply with it, shape (n,)."""
    columns, edges = graph.node_columns, graph.edge_columns
    is_matrix = np.array([type.shape is not None and len(type.shape) > 1 for type in graph.types], bool)
    sources = is_matrix[columns.type] & (columns.role == Role.PARAMETER)
    reads = np.zeros(len(columns), bool)
    reads[edges.target[sources[edges.source]]] = True
    types = np.unique(columns.op_type)
    is_free = [_plain(graph.texts[number]) in _FREE for number in types.tolist()]
    reads[np.isin(columns.op_type, types[np.array(is_free, bool)])] = False
    reads[np.isin(columns.op_type, pass_through_types(graph))] = False
    return reads & (node_parts(graph) & NodePart.OPTIMIZER == 0)


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
    """Return the operations of types: of the output, then of the inputs. A rule of inputs needs no output."""
    shapes = [type.shape for type in types]
    is_unknown = (shapes[0] is None and rule not in _OF_INPUTS) or any(shape is None for shape in shapes[1:3])
    if is_unknown or any(size < 0 for shape in shapes if shape for size in shape):
        return math.nan
    try:
        return rule(shapes[0] or (), [() if shape is None else shape for shape in shapes[1:]])
    except (IndexError, ZeroDivisionError, ValueError):
        return math.nan


def _convolution(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the operations of a convolution.

    Its weights are the last input with three or more dimensions: (out, in / groups, ...), or (..., in, out) of
    TensorFlow.
    """
    weights = [shape for shape in inputs if len(shape) >= 3][-1]
    channels = weights[0] if weights[0] in output[1:2] else weights[-1]
    return 2 * math.prod(output) * math.prod(weights) / channels


def _transposed_convolution(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the operations of a convolution from the output to the input; its weights are (in, out / groups, ...)."""
    return 2 * math.prod(inputs[0]) * math.prod(inputs[1][1:])


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


def _recurrent(output: Shape, inputs: Sequence[Shape]) -> float:
    """Return the operations of the products of all layers, whose weights are matrices, at each time of each sample."""
    weights = sum(math.prod(shape) for shape in inputs[1:] if len(shape) == 2)
    return 2 * math.prod(inputs[0][:-1]) * weights if weights else math.nan


def _unknown(output: Shape, inputs: Sequence[Shape]) -> float:
    return math.nan


_OF_INPUTS = (_attention, _recurrent, _transposed_convolution)
_RULES: dict[str, Flops] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "conv", "convolution", "depthwiseconv2dnative"), _convolution),
    **dict.fromkeys(("conv2dbackpropinput", "conv3dbackpropinput"), _convolution_of_input),
    **dict.fromkeys(("conv2dbackpropfilter", "conv3dbackpropfilter"), _convolution_of_weights),
    **dict.fromkeys(
        ("matmul", "mm", "bmm", "batchmatmul", "batchmatmulv2", "addmm", "baddbmm", "gemm", "dot"), _product
    ),
    **dict.fromkeys(("linear", "dense"), _linear),
    **dict.fromkeys(("convtranspose1d", "convtranspose2d", "convtranspose3d"), _transposed_convolution),
    **dict.fromkeys(("scaleddotproductattention", "flashattentionscore"), _attention),
    **dict.fromkeys(("lstm", "gru", "rnntanh", "rnnrelu", "rnn"), _recurrent),
    "": _unknown,  # a call of another graph in MindSpore's files
    **dict.fromkeys(
        "cond if whileloop while loop scan partitionedcall statefulpartitionedcall call switch map "
        "multiheadattention bilinear einsum attention convolutionbackward qlinearmatmul matmulinteger".split(),
        _unknown,
    ),
}
"""Functions of the cost by the plain name of an operation."""

_FREE = frozenset(
    "embedding embeddingbag embeddinglookup gather gatherv2 gathernd index indexselect resourcegather sparsegather "
    "add addn biasadd sub mul realdiv div truediv pow sqrt rsqrt square neg abs exp log sum reducesum mean reducemean "
    "max min clamp where select slice stridedslice cat concat concatv2 stack pack split chunk unbind expand tile "
    "reshape view flatten transpose permute t unsqueeze expanddims squeeze clone copy to cast tocopy contiguous detach "
    "relu relu6 gelu silu elu selu leakyrelu hardtanh softplus dropout identity load repeat "
    "layernorm batchnorm batchnorm2d groupnorm instancenorm rmsnorm prelu linalgvectornorm norm softmax sigmoid tanh "
    "histogramsummary tensorsummary imagesummary scalarsummary assign assignadd assignsub constantofshape shape".split()
)
"""Plain names of operations that read matrices and multiply none."""
