# SPDX-License-Identifier: Apache-2.0
"""Converts the nodes that Inductor is going to run, after fusion, to ``GraphProto``."""

from __future__ import annotations

from typing import Any

from mindscope.types import Message


def fused_message(nodes: list[Any], name: str) -> Message:
    """Return a node for each kernel, by the operators fused in it; what no kernel makes is a parameter.

    Tiling, autotuning and generated code are decided later and are not in it.
    """
    makers = {buffer: str(number) for number, node in enumerate(nodes, start=1) for buffer in node.get_buffer_names()}
    message: Message = {"name": name, "node": [], "parameters": []}
    known: set[str] = set()
    for number, node in enumerate(nodes, start=1):
        buffer_names = set(node.get_buffer_names())
        read = [buffer for buffer in sorted(node.used_buffer_names()) if buffer not in buffer_names]
        outside = [buffer for buffer in read if buffer not in makers and buffer not in known]
        message["parameters"] += [{"name": buffer} for buffer in outside]
        known.update(outside)
        inputs = [{"name": makers.get(buffer, buffer), "type": 0} for buffer in read]
        message["node"].append(_node(str(number), node, inputs))
    return message


def _node(name: str, node: Any, inputs: list[Message]) -> Message:
    origins = sorted({origin.name for part in node.get_nodes() for origin in _origins(part)})
    kind = type(node).__name__.removesuffix("SchedulerNode") or "Kernel"
    return {
        "name": name,
        "op_type": "+".join(origins) or kind,
        "scope": "Default",
        "input": inputs,
        "attribute": [{"name": "kind", "value": {"dtype": 13, "str_val": kind}}],
        "full_name": f"Default/{node.get_name()}",
        "instance_name": str(node.get_name()),
    }


def _origins(part: Any) -> Any:
    return part.node.get_origins() if part.node is not None else ()
