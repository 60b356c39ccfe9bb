# SPDX-License-Identifier: Apache-2.0
"""The recorder for loops of PyTorch: takes a network, and what summary operators were given."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from os import PathLike
from typing import Any, cast

import torch
from torch import nn

from mindscope.capture import SummaryRecord as Recorder
from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S
from mindscope.torch.summary.graph_probe import GraphProbe
from mindscope.torch.summary.operator_hooks import graph_of
from mindscope.torch.summary.summary_buffer import BUFFER, recordable_values


class SummaryRecord(Recorder):
    """``mindscope.SummaryRecord``, whose ``network`` may also be a ``torch.nn.Module``.

    The graph of a module is that of its first call after the recorder was made, and is recorded with the next
    ``record``. In mode ``train`` each ``record`` also takes what summary operators were given since the last one; not
    while a ``SummaryCollector``, a ``SummaryStep`` or ``collecting()`` collects them. Arguments and errors are those of
    ``mindscope.SummaryRecord``.
    """

    _is_open = False
    """Whether operators keep values for this recorder."""

    def __init__(
        self,
        log_dir: str | PathLike[str],
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Any = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, str | None] | None = None,
        *,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        traced = _Traced(network) if isinstance(network, nn.Module) else _with_graph(network, "")
        super().__init__(
            log_dir, file_prefix, file_suffix, num_process, traced, max_file_size, raise_exception, export_options,
            queue_timeout=queue_timeout,
        )  # fmt: skip
        BUFFER.open_recorder()
        self._is_open = True

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Add a value as ``mindscope.SummaryRecord.add_value``.

        A graph may also be a ``torch.export.ExportedProgram``, a ``torch.fx`` graph or module, a network, or a pair of
        a network and example inputs (a tuple, or a single value). A network alone has a graph without shapes.
        """
        super().add_value(plugin, name, _with_graph(value, name) if plugin == "graph" else value)

    def record(self, step: int, train_network: Any = None, plugin_filter: Callable[[str], bool] | None = None) -> bool:
        """Record a step as ``mindscope.SummaryRecord.record``.

        In mode ``train``, the step takes the values of summary operators.
        """
        if BUFFER.holds_values and self._is_open and not BUFFER.is_claimed:
            self._take_values()
        return super().record(step, train_network, plugin_filter)

    def _take_values(self) -> None:
        if self.mode != "train":
            BUFFER.discard()
            return
        for plugin, name, value in recordable_values():
            self.add_value(plugin, name, value)

    def close(self) -> None:
        """Close as ``mindscope.SummaryRecord.close``."""
        self._stop_keeping()
        super().close()

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_finalizing():
            self._stop_keeping()
        super().__del__(is_finalizing)

    def _stop_keeping(self) -> None:
        if self._is_open:
            self._is_open = False
            BUFFER.close_recorder()


def _with_graph(value: Any, name: str) -> Any:
    """Return a value of PyTorch as an object that offers its graph; another value as it is."""
    if isinstance(value, (tuple, nn.Module, torch.export.ExportedProgram, torch.fx.Graph)):
        graphs = import_module("mindscope.torch.graphs")
        return _Given(cast(Any, value), name) if graphs.is_graph(value) else cast(Any, value)
    return value


class _Given:
    """Offers the graph of a program or network that the script gave."""

    def __init__(self, value: Any, name: str) -> None:
        self._value, self._name = value, name

    def get_func_graph_proto(self) -> Any:
        """Return the ``GraphProto``."""
        return import_module("mindscope.torch.graphs").given_message(self._value, self._name)


class _Traced:
    """Offers the graph of a module once it was called."""

    def __init__(self, network: nn.Module) -> None:
        self._name = type(network).__name__
        self._first: GraphProbe | None = GraphProbe(network)

    def get_func_graph_proto(self) -> Any:
        """Return the ``GraphProto``. Raises RuntimeError before the first call."""
        first = self._first
        if first is None or first.network is None:
            raise RuntimeError(f"{self._name} was not called since the recorder was made")
        first.stop()
        self._first = None  # it holds the inputs
        return graph_of(first.network, first.args, first.kwargs, first.types_in(first.network))
