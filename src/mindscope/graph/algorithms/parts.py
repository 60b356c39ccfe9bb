# SPDX-License-Identifier: Apache-2.0
"""Parts of a graph: nodes that pass a value on, gradients, the optimizer, parameters that no gradient changes."""

from __future__ import annotations

import re
from enum import IntFlag

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.data.columns import Indices, Role
from mindscope.graph.data.graph_data import GraphData


class NodePart(IntFlag):
    """The numbers are those of the HTTP interface."""

    PASS_THROUGH = 1
    """Gives an input on unchanged, or changes only how it is packed or viewed."""
    GRADIENT = 2
    OPTIMIZER = 4
    FIXED = 8
    """A parameter that no gradient changes: a statistic of a normalization, a state of an optimizer, a counter."""


_PASS_THROUGH = frozenset(
    "Load UpdateState MakeTuple TupleGetItem Depend MakeList ListGetItem Identity IdentityN StopGradient getitem view "
    "clone detach aten::view aten::detach aten::clone aten::contiguous prim::TupleUnpack prim::TupleConstruct "
    "prim::ListUnpack prim::ListConstruct prim::GetAttr".split()
)
_OPTIMIZERS = frozenset(
    "Adam AdamWeightDecay AdamW FusedSparseAdam ApplyMomentum Momentum SGD ApplyRMSProp ApplyCenteredRMSProp "
    "ApplyAdagrad ApplyAdagradV2 ApplyFtrl ApplyAdadelta ApplyAdaMax ApplyGradientDescent ApplyProximalAdagrad Lamb "
    "ResourceApplyAdam ResourceApplyGradientDescent ResourceApplyMomentum ResourceApplyRMSProp".split()
)

_FIXED = re.compile(
    r"(^|[._/])(running_mean|running_var|num_batches_tracked|moving_mean|moving_variance|global_step|learning_rate)$"
    r"|^(moments?|adam_[mv]|accum|mean_square|moment[12])\."
)


def node_parts(graph: GraphData) -> NDArray[np.uint8]:
    """Return the parts that each node belongs to, shape (n,)."""
    columns = graph.node_columns
    parts = np.zeros(len(columns), np.uint8)
    parts[np.isin(columns.op_type, pass_through_types(graph))] = NodePart.PASS_THROUGH
    parts[np.isin(columns.op_type, _types_in(graph, _OPTIMIZERS))] = NodePart.OPTIMIZER
    parts |= _scope_parts(graph)[columns.scope]
    parameters = np.flatnonzero(columns.role == Role.PARAMETER)
    names: list[int] = columns.name[parameters].tolist()
    is_fixed = np.array([_FIXED.search(graph.texts[name]) is not None for name in names], bool)
    parts[parameters[is_fixed]] |= np.uint8(NodePart.FIXED)
    return parts


def pass_through_types(graph: GraphData) -> Indices:
    """Return the operation types (texts) that pass a value on."""
    return _types_in(graph, _PASS_THROUGH)


def _types_in(graph: GraphData, names: frozenset[str]) -> Indices:
    types = np.unique(graph.node_columns.op_type)
    return types[[graph.texts[int(number)].partition(".")[0] in names for number in types]]


def _scope_parts(graph: GraphData) -> NDArray[np.uint8]:
    """(k,) A part of a scope is one of all scopes inside."""
    columns = graph.scope_columns
    parents: list[int] = columns.parent.tolist()
    parts = [0] * len(parents)
    for index in range(1, len(parents)):
        label = graph.texts[int(columns.path[index])].rpartition("/")[2].lower()
        parts[index] = parts[parents[index]] | _label_part(label)
    return np.array(parts, np.uint8)


def _label_part(label: str) -> int:
    """MindSpore: ``Gradients``, ``optimizer-Adam``; TensorFlow: ``gradients_1``, ``gradient_tape``, ``Adam``."""
    if label.startswith(("gradients", "gradient_tape")):
        return NodePart.GRADIENT
    return NodePart.OPTIMIZER if label.startswith("optimizer") else 0
