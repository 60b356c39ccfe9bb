# SPDX-License-Identifier: Apache-2.0
"""The state of a loop as it begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core import distributed
from mindscope.torch.core.batches import count_batches
from mindscope.torch.core.run_context import CallbackParams
from mindscope.torch.training.model_parts import ModelParts


def training_state(
    parts: ModelParts, callbacks: list[Callback], dataset: Iterable[Any], batch_num: int | None, epoch: int,
    initial_epoch: int, is_sink: bool, sink_size: int,
) -> CallbackParams:  # fmt: skip
    """Return the state of a training from ``initial_epoch`` to ``epoch``."""
    return _shared(
        "train", parts, callbacks,
        train_network=parts.network, train_dataset=dataset, train_dataset_element=None,
        epoch_num=epoch - initial_epoch, cur_epoch_num=initial_epoch, initial_epoch=initial_epoch,
        batch_num=batch_num, dataset_sink_mode=is_sink, sink_size=sink_size,
        last_save_ckpt_step=None, latest_ckpt_file=None,
        precision_level=parts.precision.level, compute_dtype=parts.precision.compute_dtype,
    )  # fmt: skip


def evaluation_state(parts: ModelParts, callbacks: list[Callback], dataset: Iterable[Any]) -> CallbackParams:
    """Return the state of an evaluation, by itself or inside of a training."""
    return _shared(
        "eval", parts, callbacks,
        eval_network=parts.eval_network, valid_dataset=dataset, eval_dataset_element=None,
        batch_num=count_batches(dataset), dataset_sink_mode=False,
    )  # fmt: skip


def _shared(mode: str, parts: ModelParts, callbacks: list[Callback], **own: Any) -> CallbackParams:
    return CallbackParams(
        mode=mode, network=parts.network, loss_fn=parts.loss_fn, optimizer=parts.optimizer,
        list_callback=callbacks, parallel_mode=distributed.parallel_mode(),
        device_number=distributed.get_group_size(), net_outputs=None, cur_step_num=0, **own,
    )  # fmt: skip
