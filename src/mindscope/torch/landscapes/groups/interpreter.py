# SPDX-License-Identifier: Apache-2.0
"""Runs a graph of aten operators on grouped values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor
from torch.fx import GraphModule, Interpreter
from torch.utils import _pytree as pytree

from mindscope.torch.landscapes.groups.grouped import Grouped, packed, stacked
from mindscope.torch.landscapes.groups.rules import RULES
from mindscope.torch.landscapes.groups.switches import no_loops_over_groups


class GroupInterpreter(Interpreter):
    """Runs ``graph_module`` on values of which some are ``Grouped``; operators without these run as they are."""

    def __init__(self, graph_module: GraphModule, size: int) -> None:
        super().__init__(graph_module)
        self._size = size

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of one operator. Raises RuntimeError where nothing says how it works on groups."""
        values = pytree.tree_leaves((args, kwargs))
        if target is operator.getitem or not any(isinstance(value, Grouped) for value in values):
            return target(*args, **kwargs)
        if torch.Tag.pointwise in target.tags and any(
            isinstance(value, Grouped) and value.is_packed for value in values
        ):
            result = self._pointwise(target, args, kwargs)
        else:
            rule = RULES.get(target)
            result = rule(self._size, *args, **kwargs) if rule else NotImplemented
        return self._mapped(target, args, kwargs) if result is NotImplemented else result

    def _pointwise(self, target: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Works on packed values as on others, if all values have as many dimensions or can be given them."""
        values, structure = pytree.tree_flatten((args, kwargs))
        shapes = [value.shape for value in values if isinstance(value, (Grouped, Tensor))]
        rank = max(len(shape) for shape in shapes)
        channels = max(shape[1] for shape in shapes if len(shape) == rank)
        if any(isinstance(value, Grouped) and len(value.shape) < rank and value.is_packed for value in values):
            return NotImplemented
        made = [self._beside_packed(value, rank, channels) for value in values]
        args, kwargs = pytree.tree_unflatten(made, structure)
        return Grouped(target(*args, **kwargs), self._size, is_packed=True)

    def _beside_packed(self, value: Any, rank: int, channels: int) -> Any:
        if isinstance(value, Grouped) and value.is_packed and value.shape[1] == channels:
            return value.tensor
        if isinstance(value, Grouped):
            whole = value.stacked()
            whole = whole.reshape(self._size, *([1] * (rank - len(value.shape))), *value.shape)
            whole = whole.expand(*whole.shape[:2], channels, *whole.shape[3:])
            return packed(Grouped(whole, self._size), self._size)
        if isinstance(value, Tensor) and value.ndim:
            whole = value.reshape(*([1] * (rank - value.ndim)), *value.shape)
            return whole if whole.shape[1] == 1 else packed(whole, self._size)
        return value

    def _mapped(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Map the operator over the groups as ``torch.vmap`` does."""
        values, structure = pytree.tree_flatten((args, kwargs))
        indexes = [index for index, value in enumerate(values) if isinstance(value, Grouped)]

        def call(*tensors: Tensor) -> Any:
            given = list(values)
            for index, tensor in zip(indexes, tensors, strict=True):
                given[index] = tensor
            positional, named = pytree.tree_unflatten(given, structure)
            return target(*positional, **named)

        tensors = [values[index].stacked() for index in indexes]
        try:
            mapped: Any = torch.vmap(call)(*tensors)
        except RuntimeError:
            parts: Any = cast(Any, torch)._decomp.decomposition_table.get(target)  # the operator in terms of others
            if parts is None:
                raise
            target = parts
            mapped = torch.vmap(call)(*tensors)
        return pytree.tree_map_only(Tensor, lambda each: Grouped(each, self._size), mapped)


def run_grouped(graph_module: GraphModule, size: int, values: Sequence[Any]) -> list[Tensor]:
    """Return the results of the graph, each with the groups first; ``values`` are those of its placeholders.

    Raises RuntimeError where an operator can't work on groups.
    """
    with no_loops_over_groups():
        results = GroupInterpreter(graph_module, size).run(*values)
    return [
        stacked(tree_leaf, size)
        for tree_leaf in pytree.tree_leaves(results, is_leaf=lambda each: isinstance(each, Grouped))
    ]
