# SPDX-License-Identifier: Apache-2.0
"""Rewrites of a graph of aten operators that give the same values with less work."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

aten: Any = torch.ops.aten

_POOLS = (aten.max_pool2d_with_indices.default, aten.max_pool3d_with_indices.default)
_BATCH_NORMS = (aten.native_batch_norm.default, aten._native_batch_norm_legit.default)
_NEW_VALUES = (
    aten.convolution.default, aten.addmm.default, aten.mm.default, aten.bmm.default, aten.baddbmm.default,
    aten.add.Tensor, aten.mul.Tensor, *_POOLS, *_BATCH_NORMS,
)  # fmt: skip
"""Operators whose result shares no memory with another value."""
_IN_PLACE = {aten.relu.default: aten.relu_.default, aten.add.Tensor: aten.add_.Tensor}


def simplify(module: GraphModule) -> None:
    """Pool before an activation, and put batch normalization in evaluation mode into the convolution before it."""
    _each(module, _pool_first)
    _each(module, _fold_batch_norm)
    module.graph.eliminate_dead_code()
    module.recompile()


def work_in_place(module: GraphModule) -> None:
    """Let operators overwrite a value that nothing else uses: new memory costs more than the operator."""
    _each(module, _overwrite)
    module.recompile()


def _each(module: GraphModule, change: Callable[[Graph, Node], None]) -> None:
    for node in list(module.graph.nodes):
        if node.op == "call_function":
            change(module.graph, node)


def _pool_first(graph: Graph, relu: Node) -> None:
    """Pool before the activation: the maximum of rectified values is the rectified maximum, also with NaN."""
    source: Any = relu.args[0] if relu.target is aten.relu.default else None
    users = list(relu.users)
    if source is None or len(users) != 1 or users[0].target not in _POOLS:
        return
    pool = users[0]
    if any(each.target is not operator.getitem or each.args[1] != 0 for each in pool.users):
        return
    pool.replace_input_with(relu, source)
    for value in list(pool.users):
        with graph.inserting_after(value):
            after = graph.call_function(aten.relu.default, (value,))
        value.replace_all_uses_with(after, lambda user, after=after: user is not after)


def _fold_batch_norm(graph: Graph, norm: Node) -> None:
    """Scale the filters of a convolution and shift its bias instead of its output."""
    if norm.target not in _BATCH_NORMS or norm.args[5] or len(norm.args) < 8:
        return
    convolution: Any = norm.args[0]
    is_convolution = convolution.target is aten.convolution.default and not convolution.args[6]
    if not is_convolution or len(convolution.users) != 1 or any(user.args[1] != 0 for user in norm.users):
        return
    x, weight, bias, *rest = convolution.args
    arguments: Any = norm.args
    _, scale, shift, mean, variance, _, _, eps = arguments
    rank = len(weight.meta["val"].shape)
    with graph.inserting_before(norm):
        factor = graph.call_function(aten.rsqrt.default, (graph.call_function(aten.add.Scalar, (variance, eps)),))
        if scale is not None:
            factor = graph.call_function(aten.mul.Tensor, (factor, scale))
        offset = mean if bias is None else graph.call_function(aten.sub.Tensor, (mean, bias))
        offset = graph.call_function(aten.neg.default, (graph.call_function(aten.mul.Tensor, (offset, factor)),))
        if shift is not None:
            offset = graph.call_function(aten.add.Tensor, (offset, shift))
        wide = graph.call_function(aten.view.default, (factor, [-1, *([1] * (rank - 1))]))
        scaled = graph.call_function(aten.mul.Tensor, (weight, wide))
        dtype = weight.meta["val"].dtype
        if mean.meta["val"].dtype != dtype:  # normalization in float32 in a network in half precision
            scaled = graph.call_function(aten._to_copy.default, (scaled,), {"dtype": dtype})
            offset = graph.call_function(aten._to_copy.default, (offset,), {"dtype": dtype})
        folded = graph.call_function(aten.convolution.default, (x, scaled, offset, *rest))
    for value in list(norm.users):
        value.replace_all_uses_with(folded)


def _overwrite(graph: Graph, node: Node) -> None:
    source: Any = node.args[0] if node.target in _IN_PLACE else None
    if not isinstance(source, Node) or len(source.users) != 1 or not _is_new(source) or not _is_alike(node, source):
        return
    node.target = _IN_PLACE[node.target]


def _is_new(node: Node) -> bool:
    if node.target is operator.getitem:
        made: Any = node.args[0]
        return made.target in _NEW_VALUES and not node.args[1]
    return node.target in _NEW_VALUES or node.target in _IN_PLACE.values()


def _is_alike(node: Node, source: Node) -> bool:
    one: Any = node.meta.get("val")
    other: Any = source.meta.get("val")
    if one is None or other is None:
        return False
    return tuple(one.shape) == tuple(other.shape) and str(one.dtype) == str(other.dtype)
