# SPDX-License-Identifier: Apache-2.0
"""``RunningDataRecorder``: the running data recorder of a loop of your own, and of trainers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike
from types import TracebackType
from typing import Any

from torch import nn
from torch.optim import Optimizer

from mindscope.debug.settings import RunningDataSettings, read_config, settings_from_environment
from mindscope.log_settings import configure_log
from mindscope.torch.core import distributed
from mindscope.torch.core.context import running_data_settings
from mindscope.torch.core.run_context import CallbackParams
from mindscope.torch.running_data.running_data import RunningData


class RunningDataRecorder:
    """Writes what a loop of your own did last, if it fails or ends in ``with``: to ``PATH/rank_N/rdr/``.

    Call ``step`` before each step. ``Model`` records by itself. Without settings nothing is kept or written.

    Args:
        network: what is trained.
        optimizer: for its memory; several in a list.
        config: a configuration file, whose ``rdr`` goes before ``MS_RDR_ENABLE``, ``MS_RDR_MODE`` and ``MS_RDR_PATH``,
            entry by entry; None for that of ``set_context``.

    Raises:
        TypeError: ``network`` is no module.
        SettingsError: the configuration can't be read, or is no JSON object.
    """

    def __init__(
        self,
        network: nn.Module,
        optimizer: Optimizer | Sequence[Optimizer] | None = None,
        config: str | PathLike[str] | None = None,
    ) -> None:
        configure_log()
        if not isinstance(network, nn.Module):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"network is {type(network).__name__}, want a torch.nn.Module")
        settings = configured(config)
        optimizers = [] if optimizer is None else list(optimizer) if isinstance(optimizer, Sequence) else [optimizer]
        self._params = CallbackParams(
            mode="train", network=network, train_network=network, loss_fn=None,
            optimizer=next(iter(optimizers), None), optimizers=optimizers,
            cur_epoch_num=None, cur_step_num=0, epoch_num=None, batch_num=None, train_dataset_element=None,
            parallel_mode=distributed.parallel_mode(), device_number=distributed.get_group_size(), process=os.getpid(),
        )  # fmt: skip
        self._data = RunningData(network, self._params, settings)

    def step(self, batch: Any = None, epoch: int | None = None, number: int | None = None) -> None:
        """Begin a step.

        Args:
            batch: its inputs, which are summarized, and with which the graph is traced; None for those of the network.
            epoch: its number.
            number: of the step; if None, one more than the last.
        """
        self._params["cur_step_num"] = self._params["cur_step_num"] + 1 if number is None else number
        self._params["train_dataset_element"], self._params["cur_epoch_num"] = batch, epoch

    def __enter__(self) -> RunningDataRecorder:
        self._data.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._data.__exit__(kind, error, trace)


def configured(config: str | PathLike[str] | None) -> RunningDataSettings:
    """Return the settings of the process; with a configuration file, its entries in place of those of ``set_context``.

    Raises SettingsError.
    """
    if config is None:
        return running_data_settings()
    return settings_from_environment(os.environ).overridden(read_config(config).running_data)
