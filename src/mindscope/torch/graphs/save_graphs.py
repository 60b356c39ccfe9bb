# SPDX-License-Identifier: Apache-2.0
"""Graphs of the stages of compilation as ``.pb`` files (``ModelProto``), which the viewer shows beside the run.

``save_stages`` writes ``ms_output_exported.pb`` (the operators that the network calls), ``ms_output_decomposed.pb``
(core operators) and ``ms_output_joint.pb`` (forward and backward). While graphs are saved Inductor writes
``ms_output_after_hwopt.pb`` after fusion of the first graph that ``torch.compile`` compiles, ``_1``, ``_2`` for the
next. Other backends offer no such hook, and what Inductor decides after fusion is in no graph.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import MODEL
from mindscope.torch.core.context import CONTEXT
from mindscope.torch.core.naming import module_type
from mindscope.torch.graphs.capture import export, exported_message, trace_apart
from mindscope.torch.graphs.forked_process import ForkedProcessError
from mindscope.torch.graphs.fused import fused_message
from mindscope.torch.graphs.joint import joint_message
from mindscope.torch.graphs.traceable import make_traceable
from mindscope.types import Message

_LOG = logging.getLogger("mindscope")
_HOOK = "_post_fusion_custom_pass"  # private to torch: Inductor has no public access to its fused graph


class _Fused:
    """Numbers the graphs that Inductor compiles. One a process, as Inductor's settings are."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards the count: Inductor may compile in several threads
        self._count = 0  # since ``follow_inductor``

    def begin(self) -> None:
        """Reset the count."""
        self._count = 0

    def next_number(self) -> int:
        """Return the number of graphs before, and count one more."""
        with self._lock:
            self._count += 1
            return self._count - 1


_FUSED = _Fused()


def follow_inductor(is_on: bool) -> None:
    """Have Inductor hand over its graphs after fusion, or no longer."""
    from torch._inductor import config

    inductor: Any = config
    _FUSED.begin()
    if hasattr(inductor, _HOOK):
        setattr(inductor, _HOOK, _save_fused if is_on else None)
    elif is_on:
        _LOG.warning(
            "torch %s has no torch._inductor.config.%s, which hands the fused graph over; ms_output_after_hwopt.pb is "
            "not written, the other stages are", torch.__version__, _HOOK,
        )  # fmt: skip


def _save_fused(nodes: list[Any]) -> list[Any]:
    """Save the graph of Inductor's nodes.

    It is a function of a module, since Inductor copies its settings; it also bypasses its cache.
    """
    number = _FUSED.next_number()
    name = "ms_output_after_hwopt" + (f"_{number}" if number else "")
    if CONTEXT.graphs_directory is not None:
        _save(CONTEXT.graphs_directory, name, _result(lambda: fused_message(nodes, name)))
    return nodes


def save_stages(
    module: nn.Module, inputs: tuple[Any, ...], loss: Callable[..., Any] | None = None, labels: tuple[Any, ...] = ()
) -> None:
    """Write the stages before Inductor if ``set_context`` enabled this; logs a failure.

    ``loss`` is called with what the module returns for ``inputs``, and with ``labels``: in a forked process, as
    ``module`` is.
    """
    directory, name = CONTEXT.graphs_directory, module_type(module)
    if directory is None:
        return

    def trace(given: tuple[Any, ...], kwargs: Any) -> dict[str, Message | str]:
        inputs, labels = given
        if isinstance(loss, nn.Module):
            make_traceable(loss, ())
        return {
            "ms_output_exported": _result(lambda: exported_message(export(module, inputs), name, module)),
            "ms_output_decomposed": _result(lambda: _decomposed(module, inputs, name)),
            "ms_output_joint": _result(lambda: joint_message(module, inputs, name, loss, labels)),
        }

    try:
        stages = trace_apart(trace, module, (inputs, labels))
    except ForkedProcessError as error:
        _LOG.warning("the graphs of the stages were not saved: %s", error)
        return
    for stage, message in stages.items():
        _save(directory, stage, message)


def _decomposed(module: nn.Module, inputs: tuple[Any, ...], name: str) -> Message:
    return exported_message(export(module, inputs).run_decompositions(), name, module)


def _result(make: Callable[[], Message]) -> Message | str:
    """Return the graph, or why there is none."""
    try:
        return make()
    except Exception as error:  # whatever the tracer or the traced code raises
        return f"{type(error).__name__}: {error}"


def _save(directory: Path, name: str, graph: Message | str) -> None:
    """Write a file; log a warning in its stead where ``graph`` is a text."""
    problem = graph
    if not isinstance(graph, str):
        try:
            model = {"ir_version": 3, "domain": "mindscope", "model_version": 1, "graph": graph}
            (directory / f"{name}.pb").write_bytes(wire.encode(MODEL, model))
            return
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
    _LOG.warning("graph %s was not saved: %s", name, problem)
