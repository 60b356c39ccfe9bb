# SPDX-License-Identifier: Apache-2.0
"""Finding the graph of a network: ``torch.export``, else ``torch.fx`` tracing, else the structure of its modules."""

from __future__ import annotations

import copy
import gc
import logging
import re
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import fx, nn
from torch._subclasses.fake_tensor import FakeCopyMode, FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

from mindscope.torch.core.naming import module_type
from mindscope.torch.graphs.message import graph_message
from mindscope.torch.graphs.structure import SeenType, structure_message, unwrapped
from mindscope.types import Message

_LONGEST_REASON = 160
_ELEMENTS = re.compile(r"(\w*(?:[Tt]ensor|array)\(|\[+(?=\s*[-+]?\d*\.\d)).*")
"""In the text of an error, the elements of a tensor or a list, and what follows."""


def graph_of(
    module: nn.Module,
    example_inputs: Any,
    example_kwargs: Mapping[str, Any] | None = None,
    seen_types: Mapping[str, SeenType] | None = None,
) -> Message:
    """The ``GraphProto`` of ``module`` as a dict, for inputs such as ``example_inputs`` (a tuple, or a single value).

    Nothing is computed: tensors are traced without their data, and the module stays as it is. Where ``torch.export``
    can't, e.g. for control flow that depends on data, ``torch.fx`` traces; where that can't either, the graph is the
    structure of the modules without data edges. The name is the class of the module, and then also says which of the
    two it is and why. ``seen_types`` are types of outputs by module path, for the last two.
    """
    inputs: tuple[Any, ...] = cast(Any, example_inputs) if isinstance(example_inputs, tuple) else (example_inputs,)
    name = module_type(module)
    if _is_sharded(module):
        return traced_message(module, inputs, seen_types)
    try:
        with _quietly():
            return exported_message(export(module, inputs, example_kwargs), name, module)
    except Exception as error:  # whatever the tracer or the traced code raises
        reason = f"torch.export: {_first_line(error)}"
    return traced_message(module, inputs, seen_types, reason)


def traced_message(
    module: nn.Module,
    inputs: tuple[Any, ...] = (),
    seen_types: Mapping[str, SeenType] | None = None,
    reason: str = "no inputs to export it with",
) -> Message:
    """The ``GraphProto`` of ``torch.fx`` or of the module structure; ``reason`` says why it is not the exported one."""
    name = module_type(unwrapped(module))
    if _is_sharded(module):
        return structure_message(module, f"{name} (module structure; FSDP can't be traced)", seen_types)
    try:
        with _quietly():
            return _fx_message(module, inputs, f"{name} (torch.fx; {reason})", seen_types or {})
    except Exception as error:  # whatever the tracer or the traced code raises
        return structure_message(
            module, f"{name} (module structure; {reason}; torch.fx: {_first_line(error)})", seen_types
        )


def _is_sharded(module: nn.Module) -> bool:
    """Torch's first FSDP keeps a state in its hooks, which a trace would leave in the middle of a step."""
    return any(type(each).__name__ == "FullyShardedDataParallel" for each in module.modules())


def export(
    module: nn.Module, inputs: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None
) -> torch.export.ExportedProgram:
    """The exported program. Raises whatever ``torch.export`` raises."""
    return torch.export.export(module, inputs, dict(kwargs or {}), strict=False)


def exported_message(program: torch.export.ExportedProgram, name: str, module: nn.Module | None = None) -> Message:
    """The ``GraphProto`` of an exported program."""
    return graph_message(program.graph, name, module, _names(program))


def _names(program: torch.export.ExportedProgram) -> dict[str, str]:
    """The names of placeholders in the network."""
    signature = program.graph_signature
    constants = {**signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_buffers}
    found = {name: f"constant:{target}" for name, target in constants.items()}
    return {**found, **signature.inputs_to_parameters}


def _fx_message(module: nn.Module, inputs: tuple[Any, ...], name: str, seen_types: Mapping[str, SeenType]) -> Message:
    traced = _with_shapes(fx.symbolic_trace(module), inputs)
    for node in traced.graph.nodes:
        if node.op == "call_module" and "val" not in node.meta and node.target in seen_types:
            dtype, shape = seen_types[str(node.target)]
            node.meta["val"] = torch.empty(shape, dtype=dtype, device="meta")
    return graph_message(traced.graph, name, module)


def _with_shapes(traced: fx.GraphModule, inputs: tuple[Any, ...]) -> fx.GraphModule:
    """A copy without data that knows shapes and types; the traced graph itself where they can't be found."""
    placeholders = sum(node.op == "placeholder" for node in traced.graph.nodes)
    mode = FakeTensorMode()
    try:
        with FakeCopyMode(mode):
            shaped = copy.deepcopy(traced)
        FakeTensorProp(shaped, mode).propagate(*inputs[:placeholders])
    except Exception as error:
        logging.getLogger("mindscope").debug("shapes of the graph are not known: %s", error)
        return traced
    return shaped


@contextmanager
def _quietly() -> Generator[None]:
    """Without warnings and garbage collection: the tracer makes so few cycles that collecting takes a third of it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if was_enabled:
            gc.enable()


def _first_line(error: Exception) -> str:
    """Class and first line of an error, without the numbers of tensors in it."""
    line = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {_ELEMENTS.sub(_without_elements, line)}"[:_LONGEST_REASON]


def _without_elements(elements: re.Match[str]) -> str:
    start = elements[1]
    return start + "..." + (")" if start.endswith("(") else "]")
