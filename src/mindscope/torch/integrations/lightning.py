# SPDX-License-Identifier: Apache-2.0
"""A collector, a profiler, a debugger and recorders in the ``Trainer`` of ``lightning`` or ``pytorch_lightning``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from torch import nn

from mindscope.errors import MissingPackageError
from mindscope.torch.callbacks.learning_rate import rates_of
from mindscope.torch.integrations.trainer_adapter import (
    AnyCollector,
    TrainerAdapter,
    check_debugger,
    check_dump,
    check_profiler,
)
from mindscope.torch.running_data.recorder import RunningDataRecorder, configured

_PACKAGES = {"lightning": "lightning.pytorch", "pytorch_lightning": "pytorch_lightning"}


def _callbacks() -> tuple[type, ...]:
    """Return the Callback of each package of Lightning that is installed: a trainer wants its own."""
    found = tuple(import_module(module).Callback for name, module in _PACKAGES.items() if find_spec(name))
    if not found:
        raise MissingPackageError("lightning is not there, and its collector needs it; pip install lightning")
    return found


if TYPE_CHECKING:
    from lightning.pytorch import Callback as _Callback

    from mindscope.torch.debugging import Debugger
    from mindscope.torch.dump.dump import Dump
    from mindscope.torch.profiler import Profiler
else:
    _Callback = type("_Callback", _callbacks(), {})


class CollectorCallback(_Callback):
    """Has a collector record what a ``Trainer`` of Lightning does, with the tags and steps that ``Model`` gives.

    A step is one in which an optimizer changed weights, counted from 1, also over checkpoints: batches that only
    accumulate gradients are none. The loss is what ``training_step`` returns. What a module logs in training is
    recorded under its own name: values of a step with the steps that are collected, values of an epoch at its end.
    So are metrics that a validation logs; one that the training logs too becomes ``eval_NAME/auto``. Metrics of a test
    are beside those of the validation in the lineage, as ``test_NAME`` where both have the name. What
    ``save_hyperparameters`` saved, of the module and of its data module, becomes user-defined lineage.

    A ``LandscapeCollector`` only keeps the weights, and may be there beside a ``SummaryCollector``.

    Raises:
        TypeError: ``collector`` is no SummaryCollector and no LandscapeCollector.
    """

    def __init__(self, collector: AnyCollector) -> None:
        super().__init__()
        self._driven = TrainerAdapter(collector)
        self._steps = 0  # over all trainings of the trainer
        self._global_step = 0  # what the trainer counted at the last batch
        self._logged_before: dict[str, Any] = {}  # metrics when the evaluation began
        self._epoch = _EpochLogs()
        self._names = _CurveNames()
        self._results = _Results()
        self._rates: dict[str, Any] = {}  # with which the optimizers make this step

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: the number of steps."""
        return {"steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Count on from a checkpoint."""
        self._steps = int(state_dict["steps"])

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to collect."""
        self._global_step = trainer.global_step
        self._results = _Results()
        others = [each for each in trainer.callbacks if isinstance(each, CollectorCallback)]
        total, batches = trainer.estimated_stepping_batches, _steps_of_an_epoch(trainer)
        epochs = trainer.max_epochs if trainer.max_steps == -1 else math.ceil(total / batches) if batches else None
        self._driven.begin(
            [each._driven.collector for each in others], pl_module,
            optimizer=trainer.optimizers[0] if trainer.optimizers else None,
            loss_fn=_loss_function(pl_module), train_dataset=trainer.train_dataloader,
            epoch_num=epochs if epochs and epochs > 0 else None, batch_num=batches,
            cur_epoch_num=trainer.current_epoch + 1, cur_step_num=self._steps,
            optimizers=list(trainer.optimizers), precision_level=str(trainer.precision),
            scheduler=[each.scheduler for each in trainer.lr_scheduler_configs],
            hyper_parameters=lambda: _hyper_parameters(trainer, pl_module),
            logged_values=lambda: self._names.of_training(_logged(trainer)),
        )  # fmt: skip

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Record what was logged for the epoch before."""
        self._driven.log(self._names.of_training(self._epoch.take(trainer)), self._steps)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Forget what operators kept in a batch that only accumulated gradients; note the rates of this step."""
        self._driven.begin_pass()
        self._rates = rates_of(*trainer.optimizers)  # schedulers change them before the batch ends for callbacks

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """Collect, if an optimizer changed weights."""
        if trainer.global_step == self._global_step:
            return
        self._global_step = trainer.global_step
        self._steps += 1
        loss = cast("dict[str, Any]", outputs).get("loss") if isinstance(outputs, dict) else outputs
        self._driven.step(
            cur_step_num=self._steps, cur_epoch_num=trainer.current_epoch + 1,
            net_outputs=loss, train_dataset_element=batch, latest_ckpt_file=_checkpoint(trainer),
            learning_rates=self._rates,
        )  # fmt: skip

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Keep the weights for a landscape, if they are due; what is logged for the epoch is recorded later."""
        self._epoch.end(trainer)
        self._driven.end_epoch()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Record the lineage."""
        self._driven.log(self._names.of_training(self._epoch.take(trainer)), self._steps)
        state: dict[str, Any] = {"latest_ckpt_file": _checkpoint(trainer)}
        params = self._driven.params
        if params is not None and params["epoch_num"] is None:
            state["epoch_num"] = params["cur_epoch_num"]
        self._driven.end(**state)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Write what was recorded until then."""
        self._driven.fail(exception)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """Remember what was logged before."""
        self._logged_before = dict(trainer.callback_metrics)

    def on_validation_batch_start(self, *arguments: Any, **named: Any) -> None:
        """Forget what operators kept in the batch before."""
        self._driven.begin_pass()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Record the metrics, but not those of the check before the training."""
        if not trainer.sanity_checking:
            logged = self._evaluated(trainer)
            self._results.validated, self._results.loaders = logged, trainer.val_dataloaders
            self._record_evaluation(trainer, logged)

    def on_test_start(self, trainer: Any, pl_module: Any) -> None:
        """Remember what was logged before."""
        self._logged_before = dict(trainer.callback_metrics)

    def on_test_batch_start(self, *arguments: Any, **named: Any) -> None:
        """Forget what operators kept in the batch before."""
        self._driven.begin_pass()

    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        """Record the metrics, beside those of the validation before."""
        logged = self._evaluated(trainer)
        self._results.tested = logged
        if self._results.loaders is None:
            self._results.loaders = trainer.test_dataloaders
        self._record_evaluation(trainer, logged)

    def _evaluated(self, trainer: Any) -> dict[str, Any]:
        """What the evaluation logged."""
        before, self._logged_before = self._logged_before, {}
        return {name: value.item() for name, value in trainer.callback_metrics.items() if before.get(name) is not value}

    def _record_evaluation(self, trainer: Any, logged: dict[str, Any]) -> None:
        curves = self._names.of_evaluation(logged, _logged_in_training(trainer))
        self._driven.evaluated(self._results.by_name(), curves, self._results.loaders)


class ProfilerCallback(_Callback):
    """Has a profiler follow the steps of a ``Trainer`` of Lightning; they are numbered as ``CollectorCallback`` does.

    The profiler ends with the training. List it after other callbacks, so that their work belongs to the steps.

    Raises:
        TypeError: ``profiler`` is no Profiler.
    """

    def __init__(self, profiler: Profiler) -> None:
        super().__init__()
        self._profiler = check_profiler(profiler)
        self._steps = self._global_step = 0
        self._is_entered = False

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: the number of steps."""
        return {"steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Count on from a checkpoint."""
        self._steps = int(state_dict["steps"])

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start."""
        self._global_step = trainer.global_step
        self._profiler.in_loop().__enter__()
        self._is_entered = True
        self._profiler.recording.begin_run(self._steps)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Begin a step that did not begin with the end of the one before."""
        self._profiler.recording.resume()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """End a step, if an optimizer changed weights."""
        if trainer.global_step != self._global_step:
            self._global_step = trainer.global_step
            self._steps += 1
            self._profiler.recording.step(self._steps, is_step_next=not trainer.is_last_batch)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """A validation belongs to no step."""
        self._profiler.recording.pause()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop."""
        self._leave()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Write what is recorded."""
        self._leave()

    def _leave(self) -> None:
        if self._is_entered:
            self._is_entered = False
            self._profiler.__exit__(None, None, None)


class DumpCallback(_Callback):
    """Has a ``Dump`` follow the steps of a ``Trainer`` of Lightning.

    An iteration ends when an optimizer changed weights. The names have the modules of the LightningModule. The dump
    ends with the training.

    Args:
        dump: made without a network; None for one of ``MINDSPORE_DUMP_CONFIG``, where nothing is dumped without it.

    Raises:
        TypeError: ``dump`` is no Dump.
    """

    def __init__(self, dump: Dump | None = None) -> None:
        super().__init__()
        self._dump = check_dump(dump)
        self._global_step = 0

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start."""
        self._global_step = trainer.global_step
        self._dump.begin_loop(pl_module)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Begin an iteration, or continue one that accumulates gradients."""
        self._dump.begin_iteration()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """End an iteration, if an optimizer changed weights."""
        if trainer.global_step == self._global_step:
            self._dump.pause()
            return
        self._global_step = trainer.global_step
        self._dump.end_iteration()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop."""
        self._dump.stop()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Write what is left."""
        self._dump.stop()


class DebuggerCallback(_Callback):
    """Has a debugger follow the steps of a ``Trainer`` of Lightning; they are numbered as ``CollectorCallback`` does.

    A step begins with its first batch, and ends when an optimizer changed weights. The debugger ends with the training.

    Raises:
        TypeError: ``debugger`` is no Debugger.
    """

    def __init__(self, debugger: Debugger) -> None:
        super().__init__()
        self._debugger = check_debugger(debugger)
        self._steps = self._global_step = 0
        self._is_entered = False
        self._is_new_step = True

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint keeps: the number of steps."""
        return {"steps": self._steps}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Count on from a checkpoint."""
        self._steps = int(state_dict["steps"])

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Follow the module."""
        self._global_step = trainer.global_step
        self._debugger.in_loop().__enter__()
        self._is_entered = self._is_new_step = True
        self._debugger.recording.follow(pl_module, self._steps)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Begin a step, unless this batch only accumulates gradients of one."""
        if self._is_new_step:
            self._is_new_step = False
            self._debugger.recording.begin_step(self._steps + 1)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """End a step, if an optimizer changed weights."""
        if trainer.global_step != self._global_step:
            self._global_step = trainer.global_step
            self._steps += 1
            self._is_new_step = True
            loss = cast("dict[str, Any]", outputs).get("loss") if isinstance(outputs, dict) else outputs
            self._debugger.recording.end_step(loss, self._steps)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop."""
        self._leave(None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Write what is recorded, with the step that failed."""
        self._leave(exception)

    def _leave(self, error: BaseException | None) -> None:
        if self._is_entered:
            self._is_entered = False
            self._debugger.__exit__(None if error is None else type(error), error, None)


class RunningDataCallback(_Callback):
    """The running data recorder: writes what a ``Trainer`` of Lightning did last, if it fails or ends.

    Args:
        config: a configuration file, whose ``rdr`` goes before ``MS_RDR_ENABLE``, ``MS_RDR_MODE`` and ``MS_RDR_PATH``,
            entry by entry; None for that of ``set_context``.

    Raises:
        SettingsError: the configuration can't be read, or is no JSON object.
    """

    def __init__(self, config: str | PathLike[str] | None = None) -> None:
        super().__init__()
        configured(config)
        self._config = config
        self._recorder: RunningDataRecorder | None = None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Follow the module."""
        self._recorder = RunningDataRecorder(pl_module, list(trainer.optimizers), self._config).__enter__()

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """Begin a step, or continue one that accumulates gradients."""
        if self._recorder is not None:
            self._recorder.step(batch, trainer.current_epoch + 1, trainer.global_step + 1)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Stop."""
        self._leave(None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Write."""
        self._leave(exception)

    def _leave(self, error: BaseException | None) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.__exit__(None if error is None else type(error), error, None)


class _CurveNames:
    """Tags of what a module logs: the name that it has there, for a training or for its evaluations, but not both.

    A name that both log belongs to the training, or to what logged it first where that is known only later.
    """

    def __init__(self) -> None:
        self._trained: set[str] = set()
        self._evaluated: set[str] = set()

    def of_training(self, logged: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by tag: the name, or ``train_NAME/auto``."""
        self._trained |= logged.keys() - self._evaluated
        return {name if name in self._trained else f"train_{name}/auto": value for name, value in logged.items()}

    def of_evaluation(self, logged: Mapping[str, Any], trained: set[str]) -> dict[str, Any]:
        """Return the values by tag: the name, or ``eval_NAME/auto``; ``trained`` are names that the training logs."""
        self._trained |= trained - self._evaluated
        self._evaluated |= logged.keys() - self._trained
        return {name if name in self._evaluated else f"eval_{name}/auto": value for name, value in logged.items()}


class _Results:
    """What the last validation and the last test gave since a training began: a run has one lineage for both."""

    def __init__(self) -> None:
        self.validated: dict[str, Any] = {}
        self.tested: dict[str, Any] = {}
        self.loaders: Any = None
        """Of the validation; of the test where there was none."""

    def by_name(self) -> dict[str, Any]:
        """Return all metrics: one that the test has under the name of a validation becomes ``test_NAME``."""
        tested = {f"test_{name}" if name in self.validated else name: value for name, value in self.tested.items()}
        return self.validated | tested


class _EpochLogs:
    """What a module logs for an epoch, taken after Lightning computed it.

    Lightning calls some hooks of an epoch's end after ours, in which a module may log. And to compute a value early
    would wait for other processes, which are elsewhere.
    """

    def __init__(self) -> None:
        self._before: dict[str, Any] | None = None  # what was logged until the end of the epoch; None within one

    def end(self, trainer: Any) -> None:
        """An epoch ends."""
        self._before = dict(trainer._logger_connector._logged_metrics)

    def take(self, trainer: Any) -> dict[str, Any]:
        """What was logged for the epoch that ended; nothing where none has."""
        before, self._before = self._before, None
        if before is None:
            return {}
        return {name: value for name, value in trainer.logged_metrics.items() if before.get(name) is not value}


def _logged(trainer: Any) -> dict[str, Any]:
    """What is logged for this step; ``trainer.logged_metrics`` also holds values of epochs and of validations."""
    return dict(trainer._logger_connector.metrics["log"])


def _logged_in_training(trainer: Any) -> set[str]:
    """Return the names of what the module logs in training; of a value for step and epoch Lightning makes two."""
    try:
        kinds = [result.meta for result in trainer.fit_loop.epoch_loop._results.values()]
    except AttributeError:  # of another version
        return set()
    return {
        name
        for kind in kinds
        for name in ((f"{kind.name}_step", f"{kind.name}_epoch") if kind.on_step and kind.on_epoch else (kind.name,))
    }


def _hyper_parameters(trainer: Any, pl_module: Any) -> dict[str, Any]:
    owners = [each for each in (trainer.datamodule, pl_module) if each is not None]
    return {name: value for each in owners for name, value in each.hparams.items()}


def _checkpoint(trainer: Any) -> str | None:
    """Return the newest checkpoint of the first callback that saved any."""
    saved: list[str] = [each.last_model_path or each.best_model_path for each in trainer.checkpoint_callbacks]
    return next((file for file in saved if file), None)


def _steps_of_an_epoch(trainer: Any) -> int | None:
    """None where the data doesn't say."""
    batches = trainer.num_training_batches
    return None if math.isinf(batches) else math.ceil(batches / trainer.accumulate_grad_batches)


def _loss_function(network: nn.Module) -> nn.Module | None:
    """Return the first loss of torch.nn among the modules, for the lineage."""
    return next((each for each in network.modules() if isinstance(each, nn.modules.loss._Loss)), None)  # pyright: ignore[reportPrivateUsage]
