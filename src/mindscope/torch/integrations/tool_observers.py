# SPDX-License-Identifier: Apache-2.0
"""Observers of trainings by PyTorch: what follows a training, for every trainer of another package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from mindscope.torch.core import distributed
from mindscope.torch.core.run_context import CallbackParams, RunContext
from mindscope.torch.running_data.recorder import RunningDataRecorder, configured
from mindscope.torch.summary.graph_probe import GraphProbe
from mindscope.torch.summary.landscape_collector import LandscapeCollector
from mindscope.torch.summary.operator_hooks import discard_stale_values
from mindscope.torch.summary.summary_collector import SummaryCollector
from mindscope.training.observer import Step, Training, TrainingObserver
from mindscope.training.observers import Observers

if TYPE_CHECKING:
    from mindscope.torch.debugging import Debugger
    from mindscope.torch.dump.dump import Dump
    from mindscope.torch.profiler import Profiler

    Tool = TrainingObserver | SummaryCollector | LandscapeCollector | Profiler | Debugger | Dump


class CollectorObserver(TrainingObserver):
    """Lets a collector record a training as ``Model`` does; its user may have entered it too.

    Like the others below, it raises TypeError for what is not its tool.
    """

    needs_metrics = True

    def __init__(self, collector: SummaryCollector | LandscapeCollector) -> None:
        self.collector = collector
        _check("collector", collector, "SummaryCollector", "LandscapeCollector")
        self._training: Training | None = None
        self._params: CallbackParams = CallbackParams()
        """The state of the training that runs, as callbacks of ``Model`` see it."""
        self._first: GraphProbe | None = None  # until the first step is over

    def begin(self, training: Training) -> None:
        network = training.network
        collectors = [observer.collector for observer in training.observers if isinstance(observer, CollectorObserver)]
        params = CallbackParams(
            mode="train", list_callback=collectors, network=network, train_network=network, net_outputs=None,
            dataset_sink_mode=False, train_dataset_element=None, graph_probe=None, cur_epoch_num=training.epoch,
            cur_step_num=training.steps, parallel_mode=distributed.parallel_mode(),
            device_number=distributed.get_group_size(), **training.facts(),
        )  # fmt: skip
        self.collector.__enter__()
        self._training, self._params = training, params
        self._first = GraphProbe(network) if isinstance(self.collector, SummaryCollector) else None
        self.collector.begin(self._context())

    def step_begin(self, step: Step) -> None:
        discard_stale_values()

    def step_end(self, step: Step) -> None:
        if self._first is not None:
            self._first.stop()
            self._params["graph_probe"] = self._first if self._first.network is not None else None
        context = self._context(
            cur_step_num=step.number, cur_epoch_num=step.epoch, net_outputs=step.loss,
            train_dataset_element=step.batch, learning_rates=step.learning_rates,
        )  # fmt: skip
        self.collector.step_end(context)
        self._first = self._params["graph_probe"] = None  # it holds the inputs of the network

    def epoch_end(self) -> None:
        self.collector.epoch_end(self._context())

    def log(self, values: Mapping[str, Any], step: int) -> None:
        self.collector.log(values, step=step)

    def evaluated(self, metrics: dict[str, Any], curves: dict[str, Any], dataset: Any) -> None:
        with self.collector:
            self.collector.evaluated(metrics, valid_dataset=dataset, curves=curves)

    def end(self) -> None:
        if self._params.get("epoch_num") is None:
            self._params["epoch_num"] = self._params["cur_epoch_num"]
        self.collector.end(self._context())
        self._leave(None)

    def error(self, error: BaseException) -> None:
        if self._training is not None:
            self._leave(error)

    def _context(self, **state: Any) -> RunContext:
        if self._training is not None:
            optimizers = self._training.optimizers
            self._params.update(optimizers=optimizers, optimizer=next(iter(optimizers), None))
            self._params.update(state, latest_ckpt_file=self._training.checkpoint)
        return RunContext(self._params)

    def _leave(self, error: BaseException | None) -> None:
        if self._first is not None:
            self._first.stop()
        self._training, self._params, self._first = None, CallbackParams(), None
        self.collector.__exit__(None if error is None else type(error), error, None)


class ProfilerObserver(TrainingObserver):
    """Lets a profiler follow the steps. List it after other observers, so that their work belongs to the steps."""

    needs_losses = False

    def __init__(self, profiler: Profiler) -> None:
        self._profiler = profiler
        _check("profiler", profiler, "Profiler")

    def begin(self, training: Training) -> None:
        self._profiler.in_loop().__enter__()
        self._profiler.recording.begin_run(training.steps)

    def batch_begin(self, step: Step) -> None:
        self._profiler.recording.resume()

    def step_end(self, step: Step) -> None:
        self._profiler.recording.step(step.number, is_step_next=step.is_next)

    def pause(self) -> None:
        self._profiler.recording.pause()

    def end(self) -> None:
        self._profiler.__exit__(None, None, None)


class DebuggerObserver(TrainingObserver):
    """Lets a debugger follow the steps, from their first batch until the optimizer changed the weights."""

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        _check("debugger", debugger, "Debugger")

    def begin(self, training: Training) -> None:
        self._debugger.in_loop().__enter__()
        self._debugger.recording.follow(training.network, training.steps)

    def step_begin(self, step: Step) -> None:
        self._debugger.recording.begin_step(step.number)

    def batch_end(self, step: Step) -> None:
        if step.is_over:
            self._debugger.recording.end_step(step.loss, step.number)

    def end(self) -> None:
        self._debugger.__exit__(None, None, None)

    def error(self, error: BaseException) -> None:
        self._debugger.__exit__(type(error), error, None)


class DumpObserver(TrainingObserver):
    """Lets a ``Dump`` follow the iterations, each of which is a step.

    Args:
        dump: made without a network; None for one of ``MINDSPORE_DUMP_CONFIG``, where nothing is dumped without it.
    """

    needs_losses = False

    def __init__(self, dump: Dump | None = None) -> None:
        self._dump: Dump = import_module("mindscope.torch").Dump() if dump is None else dump
        _check("dump", self._dump, "Dump")

    def begin(self, training: Training) -> None:
        self._dump.begin_loop(training.network)

    def batch_begin(self, step: Step) -> None:
        self._dump.begin_iteration()

    def batch_end(self, step: Step) -> None:
        if not step.is_over:
            self._dump.pause()

    def step_end(self, step: Step) -> None:
        self._dump.end_iteration()

    def end(self) -> None:
        self._dump.stop()


class RunningDataObserver(TrainingObserver):
    """The running data recorder: writes what a training did last, if it fails or ends.

    Args:
        config: a configuration file, whose ``rdr`` goes before ``MS_RDR_ENABLE``, ``MS_RDR_MODE`` and ``MS_RDR_PATH``,
            entry by entry; None for that of ``set_context``.

    Raises:
        SettingsError: the configuration can't be read, or is no JSON object.
    """

    needs_losses = False

    def __init__(self, config: str | PathLike[str] | None = None) -> None:
        configured(config)
        self._config = config
        self._recorder: RunningDataRecorder | None = None

    def begin(self, training: Training) -> None:
        self._recorder = RunningDataRecorder(training.network, training.optimizers, self._config).__enter__()

    def batch_begin(self, step: Step) -> None:
        if self._recorder is not None:
            self._recorder.step(step.batch, step.epoch, step.number)

    def end(self) -> None:
        self._leave(None)

    def error(self, error: BaseException) -> None:
        self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.__exit__(None if error is None else type(error), error, None)


_OBSERVERS: Mapping[str, Callable[[Any], TrainingObserver]] = {
    "SummaryCollector": CollectorObserver, "LandscapeCollector": CollectorObserver, "Profiler": ProfilerObserver,
    "Debugger": DebuggerObserver, "Dump": DumpObserver,
}  # fmt: skip


def observers_of(tools: Iterable[Tool]) -> Observers:
    """Return the observers, each tool of ``mindscope.torch`` as one. Raises TypeError for anything else."""
    return Observers(map(_observer_of, tools))


def _observer_of(tool: Tool) -> TrainingObserver:
    if isinstance(tool, TrainingObserver):
        return tool
    names = {kind.__name__ for kind in type(tool).__mro__ if kind.__module__.startswith("mindscope.torch.")}
    for name in names & _OBSERVERS.keys():
        return _OBSERVERS[name](tool)
    raise TypeError(f"observer is {type(tool).__name__}, want a TrainingObserver or a {', '.join(_OBSERVERS)}")


def _check(name: str, tool: Any, *kinds: str) -> None:
    """Raise TypeError for another kind. It imports a kind only here, since few trainings have one."""
    if not any(isinstance(tool, getattr(import_module("mindscope.torch"), kind)) for kind in kinds):
        raise TypeError(f"{name} is {type(tool).__name__}, want a {' or a '.join(kinds)} of mindscope.torch")
