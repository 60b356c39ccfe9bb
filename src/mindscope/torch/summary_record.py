# SPDX-License-Identifier: Apache-2.0
"""The recorder, for scripts that hand it a network of PyTorch."""

from __future__ import annotations

from os import PathLike
from typing import Any

from torch import nn

from mindscope.capture import SummaryRecord as Recorder
from mindscope.torch.companions import graph_of
from mindscope.torch.first_call import FirstCall
from mindscope.torch.naming import plain_network


class SummaryRecord(Recorder):
    """``mindscope.SummaryRecord``, whose ``network`` may also be a ``torch.nn.Module``.

    The graph of a module is that of its first call after the recorder was made, and is recorded with the next
    ``record``. Arguments and errors are those of ``mindscope.SummaryRecord``.
    """

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
    ) -> None:
        traced = _Traced(network) if isinstance(network, nn.Module) else network
        super().__init__(
            log_dir, file_prefix, file_suffix, num_process, traced, max_file_size, raise_exception, export_options
        )


class _Traced:
    """Offers the graph of a module once it was called."""

    def __init__(self, network: nn.Module) -> None:
        self._name = type(network).__name__
        self._first: FirstCall | None = FirstCall(plain_network(network))

    def get_func_graph_proto(self) -> Any:
        """The ``GraphProto``. Raises RuntimeError before the first call."""
        first = self._first
        if first is None or first.network is None:
            raise RuntimeError(f"{self._name} was not called since the recorder was made")
        first.stop()
        self._first = None  # it holds the inputs
        return graph_of(first.network, first.args, first.kwargs)
