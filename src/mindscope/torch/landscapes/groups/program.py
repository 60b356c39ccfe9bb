# SPDX-License-Identifier: Apache-2.0
"""A function of weights and data, computed for a group of weights at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from mindscope.torch.landscapes.groups.grouped import Grouped
from mindscope.torch.landscapes.groups.interpreter import run_grouped
from mindscope.torch.landscapes.groups.simplify import simplify, work_in_place
from mindscope.torch.landscapes.groups.tracing import trace

Function = Callable[[Sequence[Tensor], Sequence[Tensor]], dict[str, Tensor]]
"""Called with weights and data; returns results by name."""


class GroupProgram:
    """``function`` for ``size`` states of the weights at once; for data of the shapes of ``data``.

    Raises what tracing raises: the operators depend on values, or one of them can't work on groups.
    """

    def __init__(self, function: Function, weights: Sequence[Tensor], data: Sequence[Tensor], size: int) -> None:
        count = len(weights)
        # A product of a matrix with weights that need gradients is one product, not one for each sample.
        single = [weight.detach().clone().requires_grad_(weight.is_floating_point()) for weight in weights]
        # Tensors in other memory formats are computed by other operators, for which there are fewer rules.
        usual = [each.contiguous() for each in data]
        names: list[str] = []

        def flat(*tensors: Tensor) -> list[Tensor]:
            results = function(tensors[:count], tensors[count:])
            names[:] = results
            return list(results.values())

        plain = trace(flat, [*single, *usual])
        simplify(plain)
        self._names = names

        def grouped(*tensors: Tensor) -> list[Tensor]:
            return run_grouped(plain, size, [*(Grouped(tensor, size) for tensor in tensors[:count]), *tensors[count:]])

        several = [weight.detach().unsqueeze(0).expand(size, *weight.shape).contiguous() for weight in weights]
        whole = trace(grouped, [*several, *data])
        self._prepare, rest = _split(whole, "prepared", slice(count))
        start = len(_placeholders(rest)) - len(data)
        self._digest, self._compute = _split(rest, "digested", slice(start, None))

    def prepare(self, weights: Sequence[Tensor]) -> list[Any]:
        """Return the results that depend on the weights alone; each has the shape (size, *shape)."""
        return self._prepare(*weights)

    def digest(self, data: Sequence[Tensor]) -> list[Any]:
        """Return the results that depend on the data alone."""
        return self._digest(*data)

    def compute(self, prepared: Sequence[Any], digested: Sequence[Any]) -> dict[str, Tensor]:
        """Return the results for a batch, each with the groups first."""
        return dict(zip(self._names, self._compute(*digested, *prepared), strict=True))


def _placeholders(whole: GraphModule) -> list[Node]:
    return [node for node in whole.graph.nodes if node.op == "placeholder"]


def _split(whole: GraphModule, name: str, chosen: slice) -> tuple[GraphModule, GraphModule]:
    """Return the operators that depend on the chosen placeholders alone, and the others.

    The results of the first are the first arguments of the second.
    """
    placeholders = _placeholders(whole)
    alone = placeholders[chosen]
    later = {node for node in placeholders if node not in alone}
    for node in whole.graph.nodes:
        if node.op == "output" or any(input_node in later for input_node in node.all_input_nodes):
            later.add(node)
    border = [node for node in whole.graph.nodes if node not in later and any(user in later for user in node.users)]

    first, second = Graph(), Graph()
    copies: dict[Node, Node] = {}
    for node in whole.graph.nodes:
        if node not in later:
            copies[node] = first.node_copy(node, copies.__getitem__)
    first.output([copies[node] for node in border])

    moved = {node: second.placeholder(f"{name}_{number}") for number, node in enumerate(border)}
    for node in whole.graph.nodes:
        if node in later:
            moved[node] = second.node_copy(node, moved.__getitem__)
    return _module(whole, first), _module(whole, second)


def _module(whole: GraphModule, graph: Graph) -> GraphModule:
    graph.eliminate_dead_code()
    module = GraphModule(whole, graph)
    work_in_place(module)
    return module
