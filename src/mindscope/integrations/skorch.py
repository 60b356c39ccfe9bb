# SPDX-License-Identifier: Apache-2.0
"""``MindscopeCallback`` for the networks of skorch."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from skorch.callbacks import logging

from mindscope.integrations.recording import TrainingRun, guarded

if TYPE_CHECKING:
    _Callback = object
else:
    from skorch.callbacks import Callback as _Callback

_NO_PARAMETERS = ("callbacks", "dataset", "iterator_train", "iterator_valid", "train_split", "verbose")


class MindscopeCallback(_Callback):
    """Records the history of a network after each epoch, by the tags of skorch's ``TensorBoard`` callback.

    Epochs count from 1. Parameters of the network become hyperparameters by the names of ``set_params``.

    Args:
        log_dir: directory of the run.
    """

    def __init__(self, log_dir: str | PathLike[str] = "runs/skorch") -> None:
        self.log_dir = log_dir

    def initialize(self) -> MindscopeCallback:
        """Forget the run of an earlier network."""
        self.run_ = TrainingRun(self.log_dir)
        return self

    def on_train_begin(self, net: Any, X: Any = None, y: Any = None, **kwargs: Any) -> None:  # noqa: N803
        """Begin the run."""
        self.run_.start(lambda: _parameters(net))

    @guarded
    def on_epoch_end(self, net: Any, dataset_train: Any = None, dataset_valid: Any = None, **kwargs: Any) -> None:
        """Record the newest row of the history."""
        row: dict[str, Any] = net.history[-1]
        names = cast("list[str]", list(cast(Any, logging).filter_log_keys(row, keys_ignored={"batches"})))
        rename = cast("Callable[[str], str]", logging.rename_tensorboard_key)
        self.run_.log({rename(name): row[name] for name in names}, row["epoch"])

    def on_train_end(self, net: Any, X: Any = None, y: Any = None, **kwargs: Any) -> None:  # noqa: N803
        """Write everything."""
        self.run_.end()


def _parameters(net: Any) -> dict[str, Any]:
    given: dict[str, Any] = net.get_params(deep=False)
    return {
        name: getattr(value, "__name__", value)
        for name, value in given.items()
        if name not in _NO_PARAMETERS and not name.startswith("callbacks__")
    }
