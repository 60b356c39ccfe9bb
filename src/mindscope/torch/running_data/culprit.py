# SPDX-License-Identifier: Apache-2.0
"""Finds where a training failed: phase, module, line of the program, and the first tensor that is not finite."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Container, Iterable, Sequence
from types import FrameType
from typing import Any, cast

from torch import nn

from mindscope.torch.debugging.source_lines import is_of_user, source_line
from mindscope.torch.running_data.last_step import tensor_shapes
from mindscope.torch.running_data.last_tensors import LastTensor

_PHASES = {"torch.optim": "optimizer", "torch.utils.data": "data"}


def culprit(error: BaseException | None, network: nn.Module, tensors: Iterable[LastTensor]) -> dict[str, Any]:
    """Find the error of a training; the result is empty if there is none.

    Args:
        error: with which it failed.
        network: what is trained.
        tensors: in the order of a step.

    Returns:
        Of an error ``error``; ``phase``: forward, backward, optimizer, data, or "" elsewhere; ``module``, ``type``
        and ``inputs`` of the innermost module; ``call``: the innermost line that called something, often an operator;
        ``lines``: those of the user's program, innermost first. ``operator``: the operator of ATen that raised it, if a
        Debugger saw it at level ``operator``. ``first_not_finite``: the first tensor with a NaN or an infinity, of the
        last steps of a Debugger, else of the tensors that still exist.
    """
    failure = {} if error is None else _failure(error, network)
    debugged = _debugged(error, network)
    failure |= {name: value for name, value in debugged.items() if value is not None}
    bad = next((tensor for tensor in tensors if tensor.is_finite is False), None)
    if bad is not None and "first_not_finite" not in failure:
        failure["first_not_finite"] = {"kind": bad.kind, "name": bad.name, "dtype": bad.dtype, "shape": bad.shape}
    return failure


def _debugged(error: BaseException | None, network: nn.Module) -> dict[str, Any]:
    """Return the facts of a Debugger of the network, if this process has one."""
    if "mindscope.torch.debugging.recording" not in sys.modules:
        return {}
    from mindscope.torch.debugging.last_failure import failed_operator, first_not_finite

    return {
        "operator": None if error is None else failed_operator(error, network),
        "first_not_finite": first_not_finite(network),
    }


def _failure(error: BaseException, network: nn.Module) -> dict[str, Any]:
    """Find where an error was raised, by the frames of its traceback."""
    frames = list(traceback.walk_tb(error.__traceback__))
    modules = cast("Iterable[tuple[str, nn.Module]]", network.named_modules())
    names = {id(module): name for name, module in modules}
    found: dict[str, Any] = {"error": f"{type(error).__name__}: {error}", "phase": _phase(frames, names)}
    for frame, _ in reversed(frames):
        module = frame.f_locals.get("self")
        if id(module) in names:
            found |= {"module": names[id(module)], "type": type(module).__name__, "inputs": _inputs(frames, module)}
            break
    if frames:
        found["call"] = source_line(*_location(*frames[-1]))
    found["lines"] = [source_line(*_location(*each)) for each in reversed(frames) if is_of_user(each[0].f_code)]
    return found


def _phase(frames: Sequence[tuple[FrameType, int]], names: Container[int]) -> str:
    """Return the phase of the innermost frame that has one.

    A module that runs inside of autograd is of a checkpoint.
    """
    phases = [_phase_of(frame, names) for frame, _ in frames]
    known = next(filter(None, reversed(phases)), "")
    return "backward" if known == "forward" and "backward" in phases else known


def _phase_of(frame: FrameType, names: Container[int]) -> str:
    module = f"{frame.f_globals.get('__name__', '')}."
    found = next((phase for name, phase in _PHASES.items() if module.startswith(f"{name}.")), "")
    if module == "torch.autograd.":  # backward and grad; torch.autograd.function calls forward too
        found = "backward"
    return "forward" if id(frame.f_locals.get("self")) in names else found


def _inputs(frames: Iterable[tuple[FrameType, int]], module: Any) -> Any:
    """Return the shapes of what a module was called with, from the frame of PyTorch that called its ``forward``."""
    for frame, _ in frames:
        variables = frame.f_locals
        if frame.f_code.co_name == "_call_impl" and variables.get("self") is module:
            args, kwargs = variables.get("args", ()), variables.get("kwargs", {})
            return tensor_shapes((args, kwargs) if kwargs else args)
    return None


def _location(frame: FrameType, line: int) -> tuple[Any, int, dict[str, Any]]:
    return frame.f_code, line, frame.f_globals
