# SPDX-License-Identifier: Apache-2.0
"""A ``torch.fx`` graph as ``GraphProto``.

Operators are nodes, numbered from 1 as MindSpore does, without the numbers that parameters use. Weights and
inputs are parameters, tensors that the graph holds itself are constants. Arguments that are no tensors are attributes.
Operations that nothing reads (a summary, a change in place) are held in their order by control edges.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import torch
from torch import fx, nn

from mindscope.collector.structure import numbers_beside
from mindscope.formats.mindspore_schemas import INPUT, SOURCE, WEIGHT
from mindscope.torch.graphs.scopes import Scopes
from mindscope.torch.graphs.types import graph_value, tensor_type_value, type_of, value_of
from mindscope.types import Message

_CONTROL = 1
_FRAME = re.compile(r'File "([^"\n]+)", line (\d+), in ([^\n]+)')
_TORCH = str(Path(torch.__file__).parent)


def graph_message(
    graph: fx.Graph, name: str, module: nn.Module | None = None, names: Mapping[str, str] | None = None
) -> Message:
    """Return the ``GraphProto`` of ``graph``.

    ``module`` is the network, for the classes along scopes. ``names`` maps placeholders to the names that they have in
    the network; those whose name begins with ``constant:`` are constants.
    """
    return _Writer(graph, Scopes(module), names or {}).write(name)


class _Writer:
    """Makes one message. ``_names`` holds what inputs call each node that was passed already."""

    def __init__(self, graph: fx.Graph, scopes: Scopes, given: Mapping[str, str]) -> None:
        self._graph, self._scopes, self._given = graph, scopes, given
        self._names: dict[fx.Node, str] = {}
        self._numbers = numbers_beside(_given_names(graph, given))
        self._subgraphs: dict[fx.Node, Message] = {}
        self._counts: Counter[str] = Counter()
        self._last_effect: str | None = None
        self._module_weights: set[str] = set()
        self._message: Message = {"node": [], "parameters": [], "const_vals": [], "outputs": []}

    def write(self, name: str) -> Message:
        for node in self._graph.nodes:
            if node.op == "placeholder":
                self._add_input(node, self._given.get(node.name, str(node.target)))
            elif node.op == "get_attr":
                self._add_held(node)
            elif node.op == "output":
                self._add_outputs(node)
            else:
                self._add_operation(node)
        return {"name": name, **{field: values for field, values in self._message.items() if values}}

    def _add_input(self, node: fx.Node, name: str) -> None:
        if name.startswith("constant:"):
            self._add_constant(node, name.removeprefix("constant:"), node.meta.get("val"))
            return
        is_new = name not in self._names.values()
        self._names[node] = name
        if not is_new:
            return
        part = WEIGHT if node.name in self._given else INPUT
        self._message["parameters"].append(_typed({"name": name, "part": part}, node.meta.get("val")))

    def _add_held(self, node: fx.Node) -> None:
        """Add a tensor or a graph that the module of this graph holds."""
        held = _attribute(self._graph.owning_module, str(node.target))
        if isinstance(held, fx.GraphModule):
            self._subgraphs[node] = _Writer(held.graph, self._scopes, {}).write(str(node.target))
        elif isinstance(held, nn.Parameter):
            if str(node.target) not in self._names.values():
                self._message["parameters"].append(_typed({"name": str(node.target), "part": WEIGHT}, held))
            self._names[node] = str(node.target)
        else:
            self._add_constant(node, str(node.target), held)

    def _add_constant(self, node: fx.Node, name: str, value: Any) -> None:
        if name not in self._names.values():
            content = tensor_type_value(value) if isinstance(value, torch.Tensor) else value_of(value)
            self._message["const_vals"].append({"key": name, "value": content})
        self._names[node] = name

    def _add_outputs(self, node: fx.Node) -> None:
        for source in node.all_input_nodes:
            if source in self._names:
                self._message["outputs"].append(_typed({"name": self._names[source]}, _value(source)))

    def _add_operation(self, node: fx.Node) -> None:
        name = self._names[node] = next(self._numbers)
        op_type, scope = self._op_type(node), self._scope(node)
        base_name = f"{scope}/{op_type}"
        message: Message = {
            "name": name,
            "op_type": op_type,
            "scope": scope,
            "input": [{"name": self._names[tensor], "type": 0} for tensor in _tensors(node) if tensor in self._names],
            "attribute": [{"name": key, "value": value} for key, value in self._attributes(node).items()],
            "full_name": f"{base_name}-op{self._counts[base_name]}",
            "instance_name": node.name,
        }
        self._counts[base_name] += 1
        message["input"] += [{"name": weight, "type": 0} for weight in self._own_weights(node)]
        if _is_effect(node):
            if self._last_effect is not None:
                message["input"].append({"name": self._last_effect, "type": _CONTROL})
            self._last_effect = name
        self._message["node"].append(_typed(message, _value(node), "output_type"))

    def _own_weights(self, node: fx.Node) -> list[str]:
        """Return the weights of a module that is called as a whole; they become parameters of the graph."""
        if node.op != "call_module":
            return []
        called: Any = _attribute(self._graph.owning_module, str(node.target))
        weights = {f"{node.target}.{name}": weight for name, weight in called.named_parameters()}
        new = [name for name in weights if name not in self._module_weights]
        self._module_weights.update(new)
        self._message["parameters"] += [_typed({"name": name, "part": WEIGHT}, weights[name]) for name in new]
        return list(weights)

    def _op_type(self, node: fx.Node) -> str:
        if node.op == "call_module":
            return type(_attribute(self._graph.owning_module, str(node.target))).__name__
        target: Any = node.target
        if isinstance(target, torch._ops.OpOverload):  # pyright: ignore[reportPrivateUsage]
            return target._schema.name.removeprefix("aten::").replace("::", ".")  # pyright: ignore[reportPrivateUsage]
        return str(getattr(target, "__name__", target))

    def _scope(self, node: fx.Node) -> str:
        if node.op == "call_module" and not node.meta.get("nn_module_stack"):
            return self._scopes.of_path(str(node.target))
        return self._scopes.of(node)

    def _attributes(self, node: fx.Node) -> dict[str, Message]:
        found = {name: value_of(value) for name, value in _arguments(node) if value is not None and _is_plain(value)}
        graphs = [input_node for input_node in node.all_input_nodes if input_node in self._subgraphs]
        found |= {str(graph.target): graph_value(self._subgraphs[graph]) for graph in graphs}
        source = source_line(node.meta.get("stack_trace"))
        return found if source is None else {**found, SOURCE: value_of(source)}


def source_line(stack: Any) -> str | None:
    """Return file, line and function of the network's own code that called an operation; None if it is not known."""
    frames: list[tuple[str, str, str]] = _FRAME.findall(stack) if isinstance(stack, str) else []
    own = [frame for frame in frames if not frame[0].startswith(_TORCH)] or frames
    return "{}:{} in {}".format(*own[-1]) if own else None


def _given_names(graph: fx.Graph, given: Mapping[str, str]) -> set[str]:
    """Return the names of inputs, weights and constants."""
    held = {str(node.target) for node in graph.nodes if node.op in ("placeholder", "get_attr")}
    return held | {name.removeprefix("constant:") for name in given.values()}


def _arguments(node: fx.Node) -> list[tuple[str, Any]]:
    """Return arguments by the names of the operator's schema, else by position."""
    schema: Any = getattr(node.target, "_schema", None)
    names = [argument.name for argument in schema.arguments] if schema is not None else []
    names += [f"argument_{number}" for number in range(len(names), len(node.args))]
    return [*zip(names, node.args, strict=False), *node.kwargs.items()]


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in cast(list[Any], value))
    return not isinstance(value, (fx.Node, dict, slice))


def _tensors(node: fx.Node) -> list[fx.Node]:
    """Return the nodes that the operation reads, in order, and twice where it reads one twice."""
    found: list[fx.Node] = []
    fx.map_arg((node.args, node.kwargs), lambda each: found.append(each))
    return found


def _is_effect(node: fx.Node) -> bool:
    return not node.users and node.op in ("call_function", "call_method") and node.is_impure()


def _attribute(owner: Any, path: str) -> Any:
    for part in path.split("."):
        owner = getattr(owner, part, None)
    return owner


def _value(node: fx.Node) -> Any:
    return node.meta.get("val", node.meta.get("example_value"))


def _typed(message: Message, value: Any, field: str = "type") -> Message:
    kind = type_of(value)
    return message if kind is None else {**message, field: kind}
