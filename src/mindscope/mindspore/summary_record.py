# SPDX-License-Identifier: Apache-2.0
"""SummaryRecord for MindSpore."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

from mindspore import nn

from mindscope import capture
from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S
from mindscope.mindspore.graphs import NetworkGraph
from mindscope.mindspore.operator_values import OperatorValues


class SummaryRecord(capture.SummaryRecord):
    """Records values of a training, and with each step what MindSpore's summary operators kept in it.

    Arguments and methods are those of ``mindscope.SummaryRecord``, which are those of MindSpore's.

    Args:
        network: whose graph is recorded with the first ``record`` after it was compiled; in PyNative mode the structure
            of its cells.

    Raises:
        FrameworkError: this MindSpore hands the values of operators over in another way than 2.7 to 2.10.
    """

    def __init__(
        self,
        log_dir: str | PathLike[str],
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: nn.Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, str | None] | None = None,
        *,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        self._values = OperatorValues()
        super().__init__(
            log_dir, file_prefix, file_suffix, num_process, _graph("network", network), max_file_size, raise_exception,
            export_options, queue_timeout=queue_timeout,
        )  # fmt: skip
        self._values.discard()

    def record(
        self, step: int, train_network: nn.Cell | None = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Record a step as ``mindscope.SummaryRecord.record``.

        In mode ``train``, the step takes the values of summary operators.
        """
        if self.mode == "train":
            for plugin, tag, value in self._values.take():
                self.add_value(plugin, tag, value)
        return super().record(step, _graph("train_network", train_network), plugin_filter)


def _graph(name: str, network: Any) -> NetworkGraph | None:
    if network is None:
        return None
    if not isinstance(network, nn.Cell):
        raise TypeError(f"{name} is {type(network).__name__}, want a mindspore.nn.Cell or None")
    return NetworkGraph(network)
