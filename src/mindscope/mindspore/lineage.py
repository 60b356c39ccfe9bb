# SPDX-License-Identifier: Apache-2.0
"""Lineage out of the state of a MindSpore loop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindspore.train import ModelCheckpoint

from mindscope.lineage.model import EvalLineage, TrainLineage
from mindscope.mindspore.datasets import dataset_path, sample_count
from mindscope.mindspore.learning_rate import initial_rate_of
from mindscope.mindspore.loss import loss_of
from mindscope.mindspore.naming import loss_function_of, optimizer_of, type_name


def train_lineage(params: Any) -> TrainLineage:
    """Return the parts and the results of the training until now; None for what its loop doesn't know."""
    optimizer, dataset = optimizer_of(params), params["train_dataset"]
    checkpoint = checkpoint_path(params["list_callback"])
    return TrainLineage(
        optimizer=type_name(optimizer),
        learning_rate=learning_rate(params),
        loss_function=type_name(loss_function_of(params)),
        epoch=params.get("epoch_num"),
        parallel_mode=params.get("parallel_mode"),
        device_num=params.get("device_number"),
        batch_size=dataset.get_batch_size(),
        dataset_path=dataset_path(dataset),
        dataset_size=sample_count(dataset),
        network=type_name(params.get("network")),
        loss=loss_of(params.get("net_outputs")),
        model_path=checkpoint,
        model_size=Path(checkpoint).stat().st_size if checkpoint else None,
    )


def learning_rate(params: Any) -> float | None:
    """Return the learning rate with which the optimizer of the loop began, of the first parameters."""
    optimizer = optimizer_of(params)
    return None if optimizer is None else initial_rate_of(optimizer)


def eval_lineage(params: Any) -> EvalLineage:
    """Return the results of the evaluation."""
    dataset = params["valid_dataset"]
    return EvalLineage(
        metric=params.get("metrics"), dataset_path=dataset_path(dataset), dataset_size=sample_count(dataset)
    )


def checkpoint_path(callbacks: Any) -> str | None:
    """Return the newest checkpoint of the last callback that saves any, if it is there."""
    files: list[Any] = [
        callback.latest_ckpt_file_name for callback in callbacks if isinstance(callback, ModelCheckpoint)
    ]
    return str(Path(files[-1]).resolve()) if files and files[-1] and Path(files[-1]).exists() else None
