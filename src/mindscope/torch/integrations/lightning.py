# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` and ``MindscopeLogger`` for the ``Trainer`` of ``lightning`` or ``pytorch_lightning``."""

from __future__ import annotations

import math
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from torch import nn

from mindscope.torch.callbacks.learning_rate import rates_of
from mindscope.torch.integrations import tool_observers
from mindscope.torch.integrations.lightning_logger import MindscopeLogger
from mindscope.torch.integrations.lightning_metrics import LoggedMetrics
from mindscope.torch.integrations.lightning_packages import classes_of
from mindscope.training.observer import Step, Training, TrainingFacts

if TYPE_CHECKING:
    from lightning.pytorch import Callback as _Callback

    from mindscope.torch.debugging import Debugger
    from mindscope.torch.dump.dump import Dump
    from mindscope.torch.integrations.tool_observers import Tool
    from mindscope.torch.profiler import Profiler
    from mindscope.torch.summary.landscape_collector import LandscapeCollector
    from mindscope.torch.summary.summary_collector import SummaryCollector
else:
    _Callback = type("_Callback", classes_of("Callback"), {})


__all__ = [
    "CollectorCallback", "DebuggerCallback", "DumpCallback", "MindscopeCallback", "MindscopeLogger", "ProfilerCallback",
    "RunningDataCallback",
]  # fmt: skip


class MindscopeCallback(_Callback):
    """Lets observers follow a ``Trainer`` of Lightning, with the tags and steps that ``Model`` gives.

    A step is one in which an optimizer changed weights, counted from 1, also over checkpoints: batches that only
    accumulate gradients are none. The loss is what ``training_step`` returns. What a module logs in training is
    recorded under its own name: values of a step with the steps that are collected, values of an epoch at its end.
    So are metrics that a validation logs; one that the training logs too becomes ``eval_NAME/auto``. Metrics of a test
    are beside those of the validation in the lineage, as ``test_NAME`` where both have the name. What
    ``save_hyperparameters`` saved, of the module and of its data module, becomes user-defined lineage.

    ``observers`` are SummaryCollector, LandscapeCollector, Profiler, Debugger, Dump, RunningDataObserver or your own
    TrainingObserver, in the order in which they get the events: a profiler last. Others are a TypeError.
    """

    def __init__(self, *observers: Tool) -> None:
        super().__init__()
        self._observers = tool_observers.observers_of(observers)
        self._metrics = LoggedMetrics()
        self._steps = 0  # over all trainings of the trainer
        self._global_step = 0  # what the trainer counted at the last batch
        self._rates: dict[str, Any] | None = None  # with which the optimizers make this step

    def state_dict(self) -> dict[str, Any]:
        """Return the state that a checkpoint keeps: the number of steps."""
        return {"steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Count on from a checkpoint."""
        self._steps = int(state_dict["steps"])

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._global_step = trainer.global_step
        self._metrics.begin_training()
        callbacks = [callback for callback in trainer.callbacks if isinstance(callback, MindscopeCallback)]
        training = Training(
            pl_module, list(trainer.optimizers), self._steps, trainer.current_epoch + 1,
            lambda: self._facts(trainer, pl_module), [each for ours in callbacks for each in ours._observers.all],
        )  # fmt: skip
        self._observers.begin(training)

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Report what was logged for the epoch before."""
        if self._observers.need_metrics:
            self._observers.log(self._metrics.of_epoch(trainer), self._steps)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Begin a batch, with the rates of this step: schedulers change them before the batch ends for callbacks."""
        if self._observers.need_metrics:
            self._rates = rates_of(*trainer.optimizers)
        self._observers.batch_begin(Step(self._steps + 1, trainer.current_epoch + 1, batch))

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """End a batch, and its step if an optimizer changed weights."""
        if trainer.global_step == self._global_step:
            self._observers.batch_end(Step(self._steps + 1, trainer.current_epoch + 1, batch))
            return
        self._global_step = trainer.global_step
        self._steps += 1
        loss = cast("dict[str, Any]", outputs).get("loss") if isinstance(outputs, dict) else outputs
        epoch, is_next = trainer.current_epoch + 1, not trainer.is_last_batch
        step = Step(self._steps, epoch, batch, loss, self._rates, is_over=True, is_next=is_next)
        self._observers.batch_end(step)
        self._keep_checkpoint(trainer)
        self._observers.step_end(step)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """End an epoch; what is logged for it is reported later."""
        if self._observers.need_metrics:
            self._metrics.end_epoch(trainer)
        self._observers.epoch_end()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        if self._observers.need_metrics:
            self._observers.log(self._metrics.of_epoch(trainer), self._steps)
        self._keep_checkpoint(trainer)
        self._observers.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._observers.end(exception)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """Pause, and remember what was logged before."""
        self._observers.pause()
        self.on_test_start(trainer, pl_module)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Report the metrics, but not those of the check before the training."""
        if self._observers.need_metrics and not trainer.sanity_checking:
            self._observers.evaluated(*self._metrics.validated(trainer))

    def on_test_start(self, trainer: Any, pl_module: Any) -> None:
        """Remember what was logged before."""
        if self._observers.need_metrics:
            self._metrics.begin_evaluation(trainer)

    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        """Report the metrics, beside those of the validation before."""
        if self._observers.need_metrics:
            self._observers.evaluated(*self._metrics.tested(trainer))

    def _keep_checkpoint(self, trainer: Any) -> None:
        """Note the newest checkpoint of the first callback that saved any."""
        if self._observers.training is not None and self._observers.need_metrics:
            saved = [callback.last_model_path or callback.best_model_path for callback in trainer.checkpoint_callbacks]
            self._observers.training.checkpoint = next((file for file in saved if file), None)

    def _facts(self, trainer: Any, pl_module: Any) -> TrainingFacts:
        total, steps = trainer.estimated_stepping_batches, _steps_of_an_epoch(trainer)
        epochs = trainer.max_epochs if trainer.max_steps == -1 else math.ceil(total / steps) if steps else None
        return TrainingFacts(
            loss_fn=_loss_function(pl_module), train_dataset=trainer.train_dataloader,
            epoch_num=epochs if epochs and epochs > 0 else None, batch_num=steps,
            scheduler=[entry.scheduler for entry in trainer.lr_scheduler_configs],
            precision_level=str(trainer.precision),
            hyper_parameters=lambda: _hyper_parameters(trainer, pl_module),
            logged_values=lambda: self._metrics.of_step(trainer),
        )  # fmt: skip


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

    state_dict, load_state_dict = _Callback.state_dict, _Callback.load_state_dict  # a trainer may have several

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


def _hyper_parameters(trainer: Any, pl_module: Any) -> dict[str, Any]:
    owners = [each for each in (trainer.datamodule, pl_module) if each is not None]
    return {name: value for owner in owners for name, value in owner.hparams.items()}


def _steps_of_an_epoch(trainer: Any) -> int | None:
    """Return the steps of an epoch, or None where the data doesn't say."""
    batches = trainer.num_training_batches
    return None if math.isinf(batches) else math.ceil(batches / trainer.accumulate_grad_batches)


def _loss_function(network: nn.Module) -> nn.Module | None:
    """Return the first loss of torch.nn among the modules, for the lineage."""
    return next((module for module in network.modules() if isinstance(module, nn.modules.loss._Loss)), None)  # pyright: ignore[reportPrivateUsage]
