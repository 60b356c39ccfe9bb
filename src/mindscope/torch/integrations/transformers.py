# SPDX-License-Identifier: Apache-2.0
"""A collector, a profiler, a debugger and recorders in the ``Trainer`` of Transformers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle
from transformers import TrainerCallback

from mindscope.collector import tags
from mindscope.collector.lineage_fields import model as model_property
from mindscope.collector.lineage_fields import parameter
from mindscope.torch.callbacks.learning_rate import rates_of
from mindscope.torch.core.call_hooks import Hook
from mindscope.torch.core.naming import plain_network
from mindscope.torch.integrations.followed_training import FollowedTraining
from mindscope.torch.integrations.trainer_adapter import (
    AnyCollector,
    TrainerAdapter,
    check_debugger,
    check_dump,
    check_profiler,
)
from mindscope.torch.running_data.recorder import RunningDataRecorder, configured

if TYPE_CHECKING:
    from mindscope.torch.debugging import Debugger
    from mindscope.torch.dump.dump import Dump
    from mindscope.torch.profiler import Profiler

_NO_SETTINGS = ("id2label", "label2id")
"""Names of classes."""
_NOT_METRICS = ("_runtime", "_per_second", "epoch", "_preparation_time")


class CollectorCallback(TrainerCallback):
    """Has a collector record what a ``Trainer`` of Transformers does, with the tags and steps that ``Model`` gives.

    A step is one of the optimizer. Its loss is the mean of those that the model returned for it; where the trainer
    computes the loss itself, it is the one that the trainer logs, at the steps at which it logs. Every number that the
    trainer logs becomes a curve of the name that its TensorBoard callback gives it, such as ``train/grad_norm``;
    metrics of evaluations become ``eval_NAME/auto``. In the lineage, the arguments of the trainer become parameters
    ``args.NAME``, and the configuration of the model its properties ``config.NAME``.

    The trainer says nothing to callbacks when it fails. What was recorded until then is written all the same; the
    collector ends at the next training, or with the process.

    A ``LandscapeCollector`` only keeps the weights, and may be there beside a ``SummaryCollector``.

    Raises:
        TypeError: ``collector`` is no SummaryCollector and no LandscapeCollector.
    """

    def __init__(self, collector: AnyCollector) -> None:
        self._driven = TrainerAdapter(collector)
        self._seen: _Losses | None = None
        self._rates: dict[str, Any] | None = None  # with which the optimizer made this step
        self._results: dict[
            str, Any
        ] = {}  # of all evaluations since a training began, which the trainer gives prefixes

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin to collect."""
        model: nn.Module = given["model"]
        epochs = math.ceil(state.num_train_epochs)
        self._stop_seeing()
        self._results = {}
        self._driven.begin(
            [self._driven.collector], model, optimizer=_plain_optimizer(given.get("optimizer")),
            loss_fn=getattr(model, "loss_function", None), train_dataset=given.get("train_dataloader"),
            epoch_num=epochs, batch_num=math.ceil(state.max_steps / epochs),
            cur_epoch_num=1, cur_step_num=state.global_step,
            scheduler=given.get("lr_scheduler"), precision_level=_precision_level(args),
            hyper_parameters=lambda: _settings(args, model),
        )  # fmt: skip
        self._seen = _Losses(model, args.world_size if args.average_tokens_across_devices else 1)

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin with a new batch."""
        self._driven.begin_pass()
        if self._seen is not None:
            self._seen.is_step = True

    def on_substep_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Forget what operators kept in a batch that only accumulated gradients."""
        self._driven.begin_pass()

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Remember the learning rates before their scheduler changes them."""
        self._rates = rates_of(given.get("optimizer"))

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Collect, if this step is due."""
        if self._seen is not None:
            loss, inputs = self._seen.take()
            self._driven.step(
                cur_step_num=state.global_step, cur_epoch_num=max(1, math.ceil(state.epoch or 1)),
                net_outputs=loss, train_dataset_element=inputs, optimizer=_plain_optimizer(given.get("optimizer")),
                learning_rates=self._rates,
            )  # fmt: skip

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **given: Any) -> None:
        """Record what the trainer logs, and its loss as that of the step where the model returns none."""
        if self._seen is None or not logs:
            return
        values = {tag: value for name, value in logs.items() if (tag := _logged_tag(name))}
        if not self._seen.has_losses and "loss" in logs:
            values[tags.LOSS] = logs["loss"]
        self._driven.log(values, state.global_step)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Keep the weights for a landscape, if they are due."""
        self._driven.end_epoch()

    def on_save(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Remember a checkpoint."""
        if self._driven.params is not None:
            self._driven.params["latest_ckpt_file"] = _checkpoint(args, state)

    def on_prediction_step(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Forget what operators kept in a batch of an evaluation."""
        self._driven.begin_pass()

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Record the metrics."""
        metrics: dict[str, Any] = given["metrics"]
        results = {name: value for name, value in metrics.items() if not name.endswith(_NOT_METRICS)}
        self._results |= results  # a run has one lineage for evaluations of several data sets, and for a test
        self._driven.evaluated(self._results, tags.evaluation_curves(results), given.get("eval_dataloader"))

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Record the lineage."""
        self._stop_seeing()
        newest = self._driven.params.get("latest_ckpt_file") if self._driven.params is not None else None
        self._driven.end(latest_ckpt_file=_checkpoint(args, state) or newest)

    def _stop_seeing(self) -> None:
        if self._seen is not None:
            self._seen.stop()
            self._seen = None


class ProfilerCallback(TrainerCallback):
    """Has a profiler follow the steps of a ``Trainer`` of Transformers, which are those of the optimizer.

    The profiler ends with the training; if that fails, with the process or by ``stop``. List it after other callbacks,
    so that their work belongs to the steps.

    Raises:
        TypeError: ``profiler`` is no Profiler.
    """

    def __init__(self, profiler: Profiler) -> None:
        self._profiler = check_profiler(profiler)

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Start."""
        self._profiler.in_loop().__enter__()
        self._profiler.recording.begin_run(state.global_step)

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin a step that did not begin with the end of the one before."""
        self._profiler.recording.resume()

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End a step; the next one begins at once, unless the trainer does something else before."""
        is_other_next = control.should_evaluate or control.should_save or control.should_training_stop
        is_epoch_over = bool(state.epoch) and float(state.epoch).is_integer()
        self._profiler.recording.step(state.global_step, is_step_next=not (is_other_next or is_epoch_over))

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Stop."""
        self._profiler.__exit__(None, None, None)


class DumpCallback(FollowedTraining):
    """Has a ``Dump`` follow the steps of a ``Trainer`` of Transformers, which are those of the optimizer.

    The dump ends with the training. Trainers report no failure to callbacks: a failed training ends with the cell of a
    notebook, at the next training, with the process, or at once by ``with callback: trainer.train()``.

    Args:
        dump: made without a network; None for one of ``MINDSPORE_DUMP_CONFIG``, where nothing is dumped without it.

    Raises:
        TypeError: ``dump`` is no Dump.
    """

    def __init__(self, dump: Dump | None = None) -> None:
        self._dump = check_dump(dump)

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Start."""
        self._start()
        self._dump.begin_loop(given["model"])

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin an iteration."""
        self._dump.begin_iteration()

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End an iteration."""
        self._dump.end_iteration()

    def _stop(self, error: BaseException | None) -> None:
        self._dump.stop()


class DebuggerCallback(FollowedTraining):
    """Has a debugger follow the steps of a ``Trainer`` of Transformers, which are those of the optimizer.

    The debugger ends with the training. Trainers report no failure to callbacks: the ring of a failed training is
    written when the cell of a notebook ends, at the next training, with the process, or at once by ``with callback:
    trainer.train()``.

    Raises:
        TypeError: ``debugger`` is no Debugger.
    """

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = check_debugger(debugger)
        self._seen: _Losses | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Follow the model."""
        self._start()
        self._debugger.in_loop().__enter__()
        self._debugger.recording.follow(given["model"], state.global_step)
        self._seen = _Losses(given["model"], args.world_size if args.average_tokens_across_devices else 1)

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin a step."""
        if self._seen is not None:
            self._seen.is_step = True
        self._debugger.recording.begin_step(state.global_step + 1)

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """End a step, before other callbacks call the model."""
        loss = None if self._seen is None else self._seen.take()[0]
        self._debugger.recording.end_step(loss, state.global_step + 1)

    def _stop(self, error: BaseException | None) -> None:
        if self._seen is not None:
            self._seen.stop()
            self._seen = None
        self._debugger.__exit__(None if error is None else type(error), error, None)


class RunningDataCallback(FollowedTraining):
    """The running data recorder: writes what a ``Trainer`` of Transformers did last, if it fails or ends.

    Trainers report no failure to callbacks. So what a failed training did last is written when the cell of a notebook
    ends, at the next training, with the process, or at once by ``with callback: trainer.train()``.

    Args:
        config: a configuration file, whose ``rdr`` goes before ``MS_RDR_ENABLE``, ``MS_RDR_MODE`` and ``MS_RDR_PATH``,
            entry by entry; None for that of ``set_context``.

    Raises:
        SettingsError: the configuration can't be read, or is no JSON object.
    """

    def __init__(self, config: str | PathLike[str] | None = None) -> None:
        configured(config)
        self._config = config
        self._recorder: RunningDataRecorder | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Follow the model."""
        self._start()
        optimizer = _plain_optimizer(given.get("optimizer"))
        self._recorder = RunningDataRecorder(given["model"], optimizer, self._config).__enter__()

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Begin a step, with the inputs of the model as its batch."""
        if self._recorder is not None:
            self._recorder.step(None, math.floor(state.epoch or 0) + 1, state.global_step + 1)

    def _stop(self, error: BaseException | None) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.__exit__(None if error is None else type(error), error, None)


class _Losses:
    """The losses that a model in training returns, left on their device, and what it was called with last.

    A model that gets ``num_items_in_batch`` returns its share of the loss of the step, which is their sum times
    ``processes`` if those items are of all processes; others return the mean of a batch.
    """

    def __init__(self, model: nn.Module, processes: int) -> None:
        self.has_losses = False
        """Whether the model ever returned one."""
        self.is_step = False
        """Whether a step runs; else the model is called for an evaluation or for its graph."""
        self._losses: list[Tensor] = []  # of the batches of this step
        self._inputs: Any = None
        self._processes = processes
        self._are_shares = False
        self._handle: RemovableHandle = model.register_forward_hook(Hook(self._see, is_compiled=True), with_kwargs=True)

    def take(self) -> tuple[Tensor | None, Any]:
        """Return the loss of the step, and the inputs of its last batch."""
        losses, inputs = self._losses, self._inputs
        self._losses, self._inputs, self.is_step = [], None, False
        if not losses:
            return None, inputs
        stacked = torch.stack(losses)
        return (stacked.sum() * self._processes if self._are_shares else stacked.mean()), inputs

    def stop(self) -> None:
        """See no more."""
        self._handle.remove()

    def _see(self, model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        if not self.is_step:
            return
        self._inputs = kwargs or args
        loss = getattr(outputs, "loss", None)
        if isinstance(loss, Tensor):
            self.has_losses = True
            self._are_shares = kwargs.get("num_items_in_batch") is not None
            self._losses.append(loss.detach().float().mean())


def _settings(args: Any, model: nn.Module) -> dict[str, Any]:
    """Return the arguments of the trainer, without its tokens, and the configuration of the model."""
    config: Any = getattr(plain_network(model), "config", None)
    found = {parameter("args"): _given(args.to_dict())}
    return {**found, model_property("config"): _given(config.to_dict())} if hasattr(config, "to_dict") else found


def _given(settings: Mapping[Any, Any], levels: int = 4) -> dict[str, Any]:
    """Settings without None, what is empty, tokens, and the names of classes."""
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


def _plain_optimizer(optimizer: Any) -> Any:
    """Return the optimizer of torch inside of what accelerate wraps around it."""
    return getattr(optimizer, "optimizer", optimizer)


def _checkpoint(args: Any, state: Any) -> str | None:
    """Return the file of weights of the checkpoint of this step, if there is one."""
    directory = Path(args.output_dir) / f"checkpoint-{state.global_step}"
    return next((str(file) for file in sorted(directory.glob("*model*.safetensors"))), None)


def _logged_tag(name: str) -> str | None:
    """As the trainer's own TensorBoard callback names it; None for a metric, which ``on_evaluate`` records."""
    if not name.startswith("eval_"):
        return f"train/{name}"
    return f"eval/{name.removeprefix('eval_')}" if name.endswith(_NOT_METRICS) else None
