# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for the ``Trainer`` of Transformers, and its name for ``report_to``."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from torch import nn
from transformers import TrainerCallback
from transformers.integrations import integration_utils

from mindscope.collector import tags
from mindscope.collector.lineage_fields import model as model_property
from mindscope.collector.lineage_fields import parameter
from mindscope.integrations.followed_training import FollowedTraining
from mindscope.tensorboard.directories import default_directory
from mindscope.torch.callbacks.learning_rate import rates_of
from mindscope.torch.core.naming import plain_network
from mindscope.torch.integrations import tool_observers
from mindscope.torch.integrations.returned_losses import ReturnedLosses
from mindscope.training.observer import Step, Training, TrainingFacts

if TYPE_CHECKING:
    from mindscope.torch.debugging import Debugger
    from mindscope.torch.dump.dump import Dump
    from mindscope.torch.integrations.tool_observers import Tool
    from mindscope.torch.profiler import Profiler
    from mindscope.torch.summary.landscape_collector import LandscapeCollector
    from mindscope.torch.summary.summary_collector import SummaryCollector

_NO_SETTINGS = ("id2label", "label2id")
"""Names of classes."""
_NOT_METRICS = ("_runtime", "_per_second", "epoch", "_preparation_time")


class MindscopeCallback(FollowedTraining, TrainerCallback):
    """Lets observers follow a ``Trainer`` of Transformers, with the tags and steps that ``Model`` gives.

    A step is one of the optimizer. Its loss is the mean of those that the model returned for it; where the trainer
    computes the loss itself, it is the one that the trainer logs, at the steps at which it logs. Every number that the
    trainer logs becomes a curve of the name that its TensorBoard callback gives it, such as ``train/grad_norm``;
    metrics of evaluations become ``eval_NAME/auto``. In the lineage, the arguments of the trainer become parameters
    ``args.NAME``, and the configuration of the model its properties ``config.NAME``.

    Trainers report no failure to callbacks. What was recorded is written all the same: a failed training ends with the
    cell of a notebook, at the next training, with the process, or at once by ``with callback: trainer.train()``.

    ``observers`` are SummaryCollector, LandscapeCollector, Profiler, Debugger, Dump, RunningDataObserver or your own
    TrainingObserver, in the order in which they get the events: a profiler last. Others are a TypeError.
    """

    def __init__(self, *observers: Tool) -> None:
        self._observers = tool_observers.observers_of(observers)
        self._seen: ReturnedLosses | None = None
        self._step: Step | None = None  # between the change of its weights and its end
        self._rates: dict[str, Any] | None = None  # with which the optimizer made this step
        self._results: dict[str, Any] = {}  # of all evaluations since a training began; the trainer gives prefixes

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._start()
        model: nn.Module = given["model"]
        self._results = {}
        self._observers.begin(
            Training(model, _optimizers(given), state.global_step, facts=lambda: _facts(args, state, given))
        )
        if self._observers.need_losses:
            self._seen = ReturnedLosses(model, args.world_size if args.average_tokens_across_devices else 1)

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if self._seen is not None:
            self._seen.is_step = True
        self._observers.batch_begin(Step(state.global_step + 1, math.floor(state.epoch or 0) + 1))

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End the batches of a step, before a scheduler changes its rates and other callbacks call the model."""
        self._rates = rates_of(given.get("optimizer")) if self._observers.need_metrics else None
        if self._observers.need_batch_ends:  # else the loss is computed when no observer sees operators any more
            self._step = self._batch_end(state.global_step + 1, math.floor(state.epoch or 0) + 1)

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End a step; the next one begins at once, unless the trainer does something else before."""
        epoch = max(1, math.ceil(state.epoch or 1))
        step, self._step = self._step or self._batch_end(state.global_step, epoch), None
        is_other_next = control.should_evaluate or control.should_save or control.should_training_stop
        is_epoch_over = bool(state.epoch) and float(state.epoch).is_integer()
        step.epoch, step.is_next = epoch, not (is_other_next or is_epoch_over)
        if self._observers.training is not None:
            self._observers.training.optimizers = _optimizers(given)
        self._observers.step_end(step)

    def _batch_end(self, number: int, epoch: int) -> Step:
        loss, inputs = (None, None) if self._seen is None else self._seen.take()
        step = Step(number, epoch, inputs, loss, self._rates, is_over=True)
        self._observers.batch_end(step)
        return step

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **given: Any) -> None:
        """Report what the trainer logs, and its loss as that of the step where the model returns none."""
        values = {tag: value for name, value in (logs or {}).items() if (tag := _logged_tag(name))}
        if logs and "loss" in logs and self._seen is not None and not self._seen.has_losses:
            values[tags.LOSS] = logs["loss"]
        self._observers.log(values, state.global_step)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._observers.epoch_end()

    def on_save(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if self._observers.training is not None:
            self._observers.training.checkpoint = _checkpoint(args, state)

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        metrics: dict[str, Any] = given["metrics"]
        results = {name: value for name, value in metrics.items() if not name.endswith(_NOT_METRICS)}
        self._results |= results  # a run has one lineage for evaluations of several data sets, and for a test
        self._observers.evaluated(self._results, tags.evaluation_curves(results), given.get("eval_dataloader"))

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if self._observers.training is not None:
            self._observers.training.checkpoint = _checkpoint(args, state) or self._observers.training.checkpoint
        self._end(None)

    def _stop(self, error: BaseException | None) -> None:
        if self._seen is not None:
            self._seen.stop()
        self._seen = self._step = None
        self._observers.end(error)


class ReportCallback(MindscopeCallback):
    """What ``TrainingArguments(report_to="mindscope")`` adds: a ``SummaryCollector`` in the main process.

    It records in the directory that the trainer's TensorBoard callback would choose: ``TENSORBOARD_LOGGING_DIR``, the
    argument ``logging_dir`` of older versions, or a directory with time and host below ``output_dir/runs``.
    """

    def __init__(self) -> None:
        super().__init__()

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if state.is_world_process_zero:
            collector = import_module("mindscope.torch").SummaryCollector(_report_directory(args, state))
            self._observers = tool_observers.observers_of([collector])
        super().on_train_begin(args, state, control, **given)


cast("dict[str, Any]", integration_utils.INTEGRATION_TO_CALLBACK)["mindscope"] = ReportCallback


def _report_directory(args: Any, state: Any) -> Path:
    chosen = os.environ.get("TENSORBOARD_LOGGING_DIR") or getattr(args, "logging_dir", None)
    directory = Path(chosen).expanduser() if chosen else Path(args.output_dir) / default_directory("")
    is_trial = getattr(state, "is_hyper_param_search", False) and state.trial_name
    return directory / state.trial_name if is_trial else directory


class CollectorCallback(MindscopeCallback):
    """The former name of ``MindscopeCallback(collector)``; write that instead."""

    def __init__(self, collector: SummaryCollector | LandscapeCollector) -> None:
        super().__init__(tool_observers.CollectorObserver(collector))


class ProfilerCallback(MindscopeCallback):
    """The former name of ``MindscopeCallback(profiler)``; write that instead."""

    def __init__(self, profiler: Profiler) -> None:
        super().__init__(tool_observers.ProfilerObserver(profiler))


class DumpCallback(MindscopeCallback):
    """The former name of ``MindscopeCallback(Dump())``; write that instead."""

    def __init__(self, dump: Dump | None = None) -> None:
        super().__init__(tool_observers.DumpObserver(dump))


class DebuggerCallback(MindscopeCallback):
    """The former name of ``MindscopeCallback(debugger)``; write that instead."""

    def __init__(self, debugger: Debugger) -> None:
        super().__init__(tool_observers.DebuggerObserver(debugger))


class RunningDataCallback(MindscopeCallback):
    """The former name of ``MindscopeCallback(RunningDataObserver(config))``; write that instead."""

    def __init__(self, config: str | PathLike[str] | None = None) -> None:
        super().__init__(tool_observers.RunningDataObserver(config))


def _facts(args: Any, state: Any, given: Mapping[str, Any]) -> TrainingFacts:
    model, epochs = given["model"], math.ceil(state.num_train_epochs)
    return TrainingFacts(
        loss_fn=getattr(model, "loss_function", None), train_dataset=given.get("train_dataloader"), epoch_num=epochs,
        batch_num=math.ceil(state.max_steps / epochs), scheduler=given.get("lr_scheduler"),
        precision_level=_precision_level(args), hyper_parameters=lambda: _settings(args, model),
    )  # fmt: skip


def _settings(args: Any, model: nn.Module) -> dict[str, Any]:
    """Return the arguments of the trainer, without its tokens, and the configuration of the model."""
    config: Any = getattr(plain_network(model), "config", None)
    found = {parameter("args"): _given(args.to_dict())}
    return {**found, model_property("config"): _given(config.to_dict())} if hasattr(config, "to_dict") else found


def _given(settings: Mapping[Any, Any], levels: int = 4) -> dict[str, Any]:
    """Return settings without None, what is empty, tokens, and the names of classes."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if name in _NO_SETTINGS or str(name).endswith("_token"):
            continue
        if isinstance(value, Mapping):
            value = _given(cast("Mapping[Any, Any]", value), levels - 1) if levels else None
        if value is not None and (value or not isinstance(value, (str, list, tuple, dict))):
            found[str(name)] = value
    return found


def _precision_level(args: Any) -> str | None:
    """Return the argument that sets mixed precision, if one does."""
    return next((name for name in ("bf16", "fp16") if getattr(args, name, False)), None)


def _optimizers(given: Mapping[str, Any]) -> list[Any]:
    """Return the optimizer of torch inside of what accelerate wraps around it; nothing where the trainer has none."""
    optimizer = given.get("optimizer")
    return [] if optimizer is None else [getattr(optimizer, "optimizer", optimizer)]


def _checkpoint(args: Any, state: Any) -> str | None:
    """Return the file of weights of the checkpoint of this step, if there is one."""
    directory = Path(args.output_dir) / f"checkpoint-{state.global_step}"
    return next((str(file) for file in sorted(directory.glob("*model*.safetensors"))), None)


def _logged_tag(name: str) -> str | None:
    """Return the tag as the trainer's own TensorBoard callback names it.

    It is None for a metric, which ``on_evaluate`` records.
    """
    if not name.startswith("eval_"):
        return f"train/{name}"
    return f"eval/{name.removeprefix('eval_')}" if name.endswith(_NOT_METRICS) else None
