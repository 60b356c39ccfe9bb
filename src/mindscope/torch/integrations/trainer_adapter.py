# SPDX-License-Identifier: Apache-2.0
"""Adapter between a collector and the trainer of another package."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch import nn

from mindscope.torch.core import distributed
from mindscope.torch.core.run_context import CallbackParams, RunContext
from mindscope.torch.summary.graph_probe import GraphProbe
from mindscope.torch.summary.landscape_collector import LandscapeCollector
from mindscope.torch.summary.operator_hooks import discard_stale_values
from mindscope.torch.summary.summary_collector import SummaryCollector

if TYPE_CHECKING:
    from mindscope.torch.debugging import Debugger
    from mindscope.torch.dump.dump import Dump
    from mindscope.torch.profiler import Profiler

AnyCollector = SummaryCollector | LandscapeCollector


class TrainerAdapter:
    """Calls a collector at the events of a training, as ``Model`` does.

    Args:
        collector: may be entered by its user too.

    Raises:
        TypeError: it is no collector.
    """

    def __init__(self, collector: AnyCollector) -> None:
        if not isinstance(collector, AnyCollector):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"collector is {type(collector).__name__}, want a SummaryCollector or a LandscapeCollector")
        self.collector = collector
        self.params: CallbackParams | None = None
        """The state of the training that runs, None outside of one."""
        self._first: GraphProbe | None = None  # until the first step is over
        self._is_new_step = True  # no forward pass since the last step of the optimizer

    def begin(self, collectors: list[AnyCollector], network: nn.Module, **state: Any) -> None:
        """A training begins, after ``state["cur_step_num"]`` steps; one that failed before is left."""
        self.fail(None)
        self._is_new_step = True
        self.collector.__enter__()
        self.params = CallbackParams(
            mode="train", list_callback=collectors, network=network, train_network=network, net_outputs=None,
            dataset_sink_mode=False, train_dataset_element=None, graph_probe=None,
            parallel_mode=distributed.parallel_mode(), device_number=distributed.get_group_size(),
        )  # fmt: skip
        self.params.update(state)
        self._first = GraphProbe(network) if isinstance(self.collector, SummaryCollector) else None
        try:
            self.collector.begin(RunContext(self.params))
        except BaseException as error:
            self.fail(error)
            raise

    def begin_pass(self) -> None:
        """Before a forward pass: what operators kept before the first one of a step is not of this step."""
        if self._is_new_step:
            self._is_new_step = False
            discard_stale_values()

    def step(self, **state: Any) -> None:
        """A step of the optimizer is over."""
        self._is_new_step = True
        if self.params is None:
            return
        self.params.update(state)
        if self._first is not None:
            self._first.stop()
            self.params["graph_probe"] = self._first if self._first.network is not None else None
        self.collector.step_end(RunContext(self.params))
        if self._first is not None:
            self._first = self.params["graph_probe"] = None  # it holds the inputs of the network

    def log(self, values: Mapping[str, Any], step: int) -> None:
        """The trainer logs values."""
        if self.params is not None and values:
            self.collector.log(values, step=step)

    def end_epoch(self) -> None:
        """An epoch is over."""
        if self.params is not None:
            self.collector.epoch_end(RunContext(self.params))

    def evaluated(self, metrics: dict[str, Any], curves: dict[str, Any] | None, dataset: Any) -> None:
        """An evaluation is over, inside of the training or by itself: ``curves`` become series of the training.

        They are values by tag; None for the metrics with the tags that ``Model`` gives.
        """
        with self.collector:
            self.collector.evaluated(metrics, valid_dataset=dataset, curves=curves)

    def end(self, **state: Any) -> None:
        """The training is over."""
        if self.params is not None:
            self.params.update(state)
            self.collector.end(RunContext(self.params))
            self._leave(None)

    def fail(self, error: BaseException | None) -> None:
        """The training failed; what was recorded until then is written."""
        if self.params is not None:
            self._leave(error or sys.exc_info()[1])

    def _leave(self, error: BaseException | None) -> None:
        if self._first is not None:
            self._first.stop()
        self.params = self._first = None
        self.collector.__exit__(None if error is None else type(error), error, None)


def check_profiler(value: Any) -> Profiler:
    """Raises TypeError for what is no Profiler. Imports the profiler only here, since few trainings have one."""
    from mindscope.torch.profiler import Profiler

    if not isinstance(value, Profiler):
        raise TypeError(f"profiler is {type(value).__name__}, want a mindscope.torch.Profiler")
    return value


def check_dump(value: Any) -> Dump:
    """Return the dump, or that of the environment for None. Raises TypeError for what is no Dump."""
    from mindscope.torch.dump.dump import Dump

    if value is None:
        return Dump()
    if not isinstance(value, Dump):
        raise TypeError(f"dump is {type(value).__name__}, want a mindscope.torch.Dump")
    return value


def check_debugger(value: Any) -> Debugger:
    """Raises TypeError for what is no Debugger. Imports the debugger only here, since few trainings have one."""
    from mindscope.torch.debugging import Debugger

    if not isinstance(value, Debugger):
        raise TypeError(f"debugger is {type(value).__name__}, want a mindscope.torch.Debugger")
    return value
