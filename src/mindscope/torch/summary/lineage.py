# SPDX-License-Identifier: Apache-2.0
"""Lineage out of the state of a loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindscope.lineage.model import EvalLineage, TrainLineage
from mindscope.torch.callbacks.checkpoint import ModelCheckpoint
from mindscope.torch.callbacks.learning_rate import initial_rate_of
from mindscope.torch.core.datasets import batch_size, dataset_path, sample_count
from mindscope.torch.core.loss import loss_number
from mindscope.torch.core.naming import type_name


def train_lineage(params: Any) -> TrainLineage:
    """What the training is and gave until now; None for what its loop doesn't know."""
    optimizer, dataset = params.get("optimizer"), params.get("train_dataset")
    element, checkpoint = params.get("train_dataset_element"), checkpoint_path(params)
    return TrainLineage(
        optimizer=type_name(optimizer),
        learning_rate=learning_rate(params),
        loss_function=type_name(params.get("loss_fn")),
        epoch=params.get("epoch_num"),
        parallel_mode=params.get("parallel_mode"),
        device_num=params.get("device_number"),
        batch_size=batch_size(dataset, element),
        dataset_path=None if dataset is None else dataset_path(dataset),
        dataset_size=None if dataset is None else sample_count(dataset, element),
        network=type_name(params.get("network")),
        loss=loss_number(params.get("net_outputs")),
        model_path=checkpoint,
        model_size=Path(checkpoint).stat().st_size if checkpoint else None,
    )


def learning_rate(params: Any) -> float | None:
    """The one that the optimizer began with; the present one while no scheduler of torch knows another."""
    optimizer = params.get("optimizer")
    return None if optimizer is None else initial_rate_of(optimizer)


def eval_lineage(params: Any) -> EvalLineage:
    """What the evaluation gave."""
    dataset, element = params.get("valid_dataset"), params.get("eval_dataset_element")
    return EvalLineage(
        metric=params.get("metrics"),
        dataset_path=None if dataset is None else dataset_path(dataset),
        dataset_size=None if dataset is None else sample_count(dataset, element),
    )


def checkpoint_path(params: Any) -> str | None:
    """The newest checkpoint, if it is there: what the loop says, else of the last callback that saves any."""
    callbacks: list[Any] = params.get("list_callback", [])
    files = [each.latest_ckpt_file_name for each in callbacks if isinstance(each, ModelCheckpoint)]
    newest = params.get("latest_ckpt_file") or (files[-1] if files else None)
    return str(Path(newest).resolve()) if newest and Path(newest).exists() else None
