# SPDX-License-Identifier: Apache-2.0
"""Finding the graph of a network: ``torch.export``, else ``torch.fx`` tracing, else the structure of its modules.

Tracers run the Python code of a network: it may print, count, draw random numbers, or keep what it computed. So all
tracing happens in a forked process, on a copy of the network and of everything that it refers to.
"""

from __future__ import annotations

import copy
import logging
import re
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar, cast

import torch
from torch import fx, nn
from torch._subclasses.fake_tensor import FakeCopyMode, FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils._python_dispatch import _disable_current_modes  # pyright: ignore[reportPrivateUsage]

from mindscope.torch.core.context import CONTEXT
from mindscope.torch.core.naming import module_type
from mindscope.torch.graphs.forked_process import ForkedProcessError, run_forked
from mindscope.torch.graphs.message import graph_message
from mindscope.torch.graphs.structure import SeenType, structure_message, unwrapped
from mindscope.torch.graphs.traceable import make_traceable
from mindscope.types import Message

_LONGEST_REASON = 160
_ELEMENTS = re.compile(r"(\w*(?:[Tt]ensor|array)\(|\[+(?=\s*[-+]?\d*\.\d)).*")
"""Pattern of the elements of a tensor or a list in an error, and of the text after them."""
_TRACERS = ("torch.export._trace", "torch._dynamo", "torch._export.non_strict_utils")
"""Take seconds to import, which each forked process would spend again."""
_Result = TypeVar("_Result")


def graph_of(
    module: nn.Module,
    example_inputs: Any,
    example_kwargs: Mapping[str, Any] | None = None,
    seen_types: Mapping[str, SeenType] | None = None,
) -> Message:
    """Return the ``GraphProto`` of ``module`` as a dict, for inputs such as ``example_inputs`` (a tuple, or a single
    value).

    Nothing is computed, and nothing of this process changes: a forked process traces tensors without their data. Where
    ``torch.export`` can't, e.g. for control flow that depends on data, ``torch.fx`` traces; where that can't either,
    the graph is the structure of the modules without data edges. The name is the class of the module, and then also
    says which of the two it is and why. ``seen_types`` are types of outputs by module path, for the last two.
    """
    inputs: tuple[Any, ...] = cast(Any, example_inputs) if isinstance(example_inputs, tuple) else (example_inputs,)

    def trace(inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Message:
        try:
            return exported_message(export(module, inputs, kwargs), module_type(module), module)
        except Exception as error:  # whatever the tracer or the traced code raises
            return _fx_or_structure(module, inputs, seen_types, f"torch.export: {_first_line(error)}")

    return _message_of_trace(trace, module, inputs, example_kwargs, seen_types)


def traced_message(module: nn.Module) -> Message:
    """Return the ``GraphProto`` of a module whose inputs are not known: of ``torch.fx``, or of the module structure."""

    def trace(inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Message:
        return _fx_or_structure(module, inputs, None, "no inputs to export it with")

    return _message_of_trace(trace, module, (), None, None)


def trace_apart(
    trace: Callable[[tuple[Any, ...], dict[str, Any]], _Result],
    module: nn.Module,
    inputs: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
) -> _Result:
    """Return the result of ``trace`` for these inputs in a forked process, where ``module`` is a copy.

    Raises ForkedProcessError.
    """
    for name in _TRACERS:
        import_module(name)

    def run() -> _Result:
        warnings.simplefilter("ignore")
        CONTEXT.print_file = None
        with _disable_current_modes():
            return trace(*make_traceable(module, (inputs, dict(kwargs or {}))))

    return run_forked(run)


def _message_of_trace(
    trace: Callable[[tuple[Any, ...], dict[str, Any]], Message],
    module: nn.Module,
    inputs: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None,
    seen_types: Mapping[str, SeenType] | None,
) -> Message:
    if _has_flat_parameters(module):
        return _structure(module, "FSDP can't be traced", seen_types)
    try:
        return trace_apart(trace, module, inputs, kwargs)
    except ForkedProcessError as error:
        return _structure(module, f"it was not traced: {_first_line(error)}", seen_types)


def _has_flat_parameters(module: nn.Module) -> bool:
    """Return whether the first FSDP of torch took its parameters: their shapes are gone."""
    return any(type(part).__name__ == "FullyShardedDataParallel" for part in module.modules())


def export(
    module: nn.Module, inputs: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None
) -> torch.export.ExportedProgram:
    """Return the exported program. Calls ``module``; raises whatever ``torch.export`` raises."""
    return torch.export.export(module, inputs, dict(kwargs or {}), strict=False)


def exported_message(program: torch.export.ExportedProgram, name: str, module: nn.Module | None = None) -> Message:
    """Return the ``GraphProto`` of an exported program."""
    return graph_message(program.graph, name, module, _names(program))


def _names(program: torch.export.ExportedProgram) -> dict[str, str]:
    """Return the names of placeholders in the network."""
    signature = program.graph_signature
    constants = {**signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_buffers}
    found = {name: f"constant:{target}" for name, target in constants.items()}
    first: dict[int, str] = {}  # a weight that several modules have is one parameter, under its first name
    for target in signature.inputs_to_parameters.values():
        first.setdefault(id(program.state_dict.get(target, target)), target)
    tied = {
        name: first[id(program.state_dict.get(target, target))]
        for name, target in signature.inputs_to_parameters.items()
    }
    return {**found, **tied}


def _fx_or_structure(
    module: nn.Module, inputs: tuple[Any, ...], seen_types: Mapping[str, SeenType] | None, reason: str
) -> Message:
    """Return the graph of ``torch.fx``, else the structure; ``reason`` says why it is not the exported one."""
    try:
        return _fx_message(module, inputs, f"{module_type(module)} (torch.fx; {reason})", seen_types or {})
    except Exception as error:  # whatever the tracer or the traced code raises
        return _structure(module, f"{reason}; torch.fx: {_first_line(error)}", seen_types)


def _structure(module: nn.Module, reason: str, seen_types: Mapping[str, SeenType] | None) -> Message:
    name = f"{module_type(unwrapped(module))} (module structure; {reason})"
    return structure_message(module, name, seen_types)


def _fx_message(module: nn.Module, inputs: tuple[Any, ...], name: str, seen_types: Mapping[str, SeenType]) -> Message:
    traced = _with_shapes(fx.symbolic_trace(module), inputs)
    for node in traced.graph.nodes:
        if node.op == "call_module" and "val" not in node.meta and node.target in seen_types:
            dtype, shape = seen_types[str(node.target)]
            node.meta["val"] = torch.empty(shape, dtype=dtype, device="meta")
    return graph_message(traced.graph, name, module)


def _with_shapes(traced: fx.GraphModule, inputs: tuple[Any, ...]) -> fx.GraphModule:
    """Return a copy without data that knows shapes and types; the traced graph itself where they can't be found."""
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


def _first_line(error: Exception) -> str:
    """Return class and first line of an error, without the numbers of tensors in it."""
    line = next(iter(str(error).strip().splitlines()), "")
    return f"{type(error).__name__}: {_ELEMENTS.sub(_without_elements, line)}"[:_LONGEST_REASON]


def _without_elements(elements: re.Match[str]) -> str:
    start = elements[1]
    return start + "..." + (")" if start.endswith("(") else "]")
