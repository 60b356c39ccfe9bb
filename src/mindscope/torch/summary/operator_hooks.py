# SPDX-License-Identifier: Apache-2.0
"""Hooks that loops and collectors call for summary operators and graph capture."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from mindscope.torch.core.context import CONTEXT
from mindscope.torch.summary import summary_buffer


def discard_stale_values() -> None:
    """Discard buffered values before a forward pass, so that a step holds the values of one pass."""
    if summary_buffer.is_collecting():
        summary_buffer.discard_values()


@contextmanager
def isolated_values() -> Generator[None]:
    """Restore the buffered values afterwards, and discard those of the block, for example an evaluation."""
    kept = summary_buffer.BUFFER.swap({}, {})
    try:
        yield
    finally:
        summary_buffer.BUFFER.swap(*kept)


def graph_of(network: Any, inputs: tuple[Any, ...], named_inputs: dict[str, Any], types: Any = None) -> Any:
    """Return the ``GraphProto`` of a network for such inputs; ``types`` are those that modules returned, by path."""
    return import_module("mindscope.torch.graphs").graph_of(network, inputs, named_inputs, types)


def save_stages(network: Any, inputs: Any, loss: Any, labels: tuple[Any, ...] = ()) -> None:
    """Write the graphs of the stages of compilation if ``set_context`` enabled it."""
    if CONTEXT.graphs_directory is not None:
        import_module("mindscope.torch.graphs.save_graphs").save_stages(
            network, _positional(network, inputs), loss, labels
        )


def _positional(network: Any, inputs: Any) -> tuple[Any, ...]:
    """Return columns as they are; the entries of a dict in the order of the arguments of ``forward``."""
    if isinstance(inputs, Mapping):
        return inspect.signature(network.forward).bind(**cast("Mapping[str, Any]", inputs)).args
    return tuple(cast("list[Any]", inputs)) if isinstance(inputs, (list, tuple)) else (inputs,)
