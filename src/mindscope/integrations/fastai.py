# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for the ``Learner`` of fastai."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from mindscope.integrations.recording import TrainingRun, guarded

if TYPE_CHECKING:
    _Callback = object
    _ORDER = 0
else:
    from fastai.callback.core import Callback as _Callback
    from fastai.learner import Recorder

    _ORDER = Recorder.order


class MindscopeCallback(_Callback):
    """Records each fit, by the tags and steps of fastai's ``TensorBoardCallback``.

    After each batch of the training: ``train_loss``, which the recorder smooths, and the settings of the optimizer, as
    ``lr_0`` for the first group. After each epoch: the metrics by their names. The step is that of the batch. Epochs,
    rate, batch size, network, loss and optimizer become hyperparameters.

    Args:
        log_dir: directory of the run.
    """

    order = _ORDER + 1

    def __init__(self, log_dir: str | PathLike[str] = "runs/fastai") -> None:
        super().__init__()
        self.recorded = TrainingRun(log_dir)

    def before_fit(self) -> None:
        """Take no part in a search of a rate and a prediction, nor on another rank."""
        self.run = not hasattr(self._learner, "lr_finder") and not hasattr(self, "gather_preds") and _rank() == 0

    def before_train(self) -> None:
        """Begin the run with the first epoch: a validation has the event ``before_fit`` too."""
        learner = self._learner
        if learner.train_iter == 0:
            self.recorded.start(lambda: _settings(learner))

    @guarded
    def after_batch(self) -> None:
        """Record the loss and the settings of the optimizer."""
        learner = self._learner
        if learner.training and self.recorded.is_running:
            self.recorded.log({"train_loss": learner.smooth_loss}, learner.train_iter)
            groups = enumerate(learner.opt.hypers)
            self.recorded.log({f"{k}_{i}": v for i, group in groups for k, v in group.items()}, learner.train_iter)

    @guarded
    def after_epoch(self) -> None:
        """Record the metrics."""
        recorder = self._learner.recorder
        row = dict(zip(recorder.metric_names[1:-1], recorder.log[1:-1], strict=False))
        row.pop("train_loss", None)  # the smoothed one has this tag
        if self.recorded.is_running:  # else this is a validation or a prediction
            self.recorded.log(row, self._learner.train_iter)

    def after_fit(self) -> None:
        """Write everything."""
        if self.run:
            self.recorded.end()

    @property
    def _learner(self) -> Any:
        return cast(Any, self).learn


def _rank() -> int:
    from fastai.torch_core import rank_distrib

    return rank_distrib()


def _settings(learner: Any) -> dict[str, Any]:
    names = {name: getattr(learner, name) for name in ("model", "loss_func", "opt_func")}
    return {
        "epochs": learner.n_epoch,
        "batch_size": getattr(learner.dls.train, "bs", None),
        **{name: getattr(value, "__name__", type(value).__name__) for name, value in names.items()},
        **dict(learner.opt.hypers[-1]),
    }
