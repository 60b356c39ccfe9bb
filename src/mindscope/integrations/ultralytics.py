# SPDX-License-Identifier: Apache-2.0
"""``record`` for the models of Ultralytics."""

from __future__ import annotations

import sys
from os import PathLike
from typing import Any, cast

from mindscope.integrations.recording import TrainingRun, guarded


def record(model: Any, log_dir: str | PathLike[str] | None = None) -> None:
    """Add callbacks to a model, which record each of its trainings by the tags of its TensorBoard callback.

    These are losses as ``train/NAME``, learning rates as ``lr/NAME``, and the results of validations by their names,
    with the number of the epoch from 1 as step. The arguments of the training become hyperparameters.

    Args:
        model: a model such as ``YOLO("yolo11n.yaml")``.
        log_dir: directory of the run; by default the one in which the trainer saves.
    """
    for event, callback in _Callbacks(log_dir).events().items():
        model.add_callback(event, callback)


class _Callbacks:
    def __init__(self, log_dir: str | PathLike[str] | None) -> None:
        self._directory = log_dir
        self._run: TrainingRun | None = None

    def events(self) -> dict[str, Any]:
        return {
            "on_pretrain_routine_start": self._begin, "on_train_epoch_end": self._train_epoch,
            "on_fit_epoch_end": self._fit_epoch, "on_train_end": self._end, "teardown": self._teardown,
        }  # fmt: skip

    @guarded
    def _begin(self, trainer: Any) -> None:
        if trainer.args and getattr(trainer, "rank", -1) in (-1, 0):
            self._run = TrainingRun(trainer.save_dir if self._directory is None else self._directory)
            self._run.start(lambda: cast("dict[str, Any]", vars(trainer.args)))

    @guarded
    def _train_epoch(self, trainer: Any) -> None:
        if self._run is not None:
            losses = trainer.label_loss_items(trainer.tloss, prefix="train")
            self._run.log({**losses, **trainer.lr}, trainer.epoch + 1)

    @guarded
    def _fit_epoch(self, trainer: Any) -> None:
        if self._run is not None:
            self._run.log(trainer.metrics, trainer.epoch + 1)

    @guarded
    def _end(self, trainer: Any) -> None:
        if self._run is not None:
            self._run.end()
            self._run = None

    @guarded
    def _teardown(self, trainer: Any) -> None:
        """End a training that failed: Ultralytics calls this after ``on_train_end`` of one that did not."""
        run, self._run = self._run, None
        if run is not None:
            run.error(sys.exc_info()[1] or RuntimeError("the training failed"))
