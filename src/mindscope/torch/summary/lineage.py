# SPDX-License-Identifier: Apache-2.0
"""Lineage out of the state of a loop."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mindscope.lineage.model import EvalLineage, TrainLineage
from mindscope.torch.callbacks.checkpoint import ModelCheckpoint
from mindscope.torch.callbacks.learning_rate import initial_rate_of
from mindscope.torch.core.datasets import batch_size, dataset_path, sample_count
from mindscope.torch.core.loss import loss_number
from mindscope.torch.core.naming import type_name

_LOG = logging.getLogger("mindscope")


def train_lineage(params: Any) -> TrainLineage:
    """Return the parts and the results of the training until now.

    A field is None if its loop doesn't know it, or can't say it without an error.
    """
    optimizer, dataset = params.get("optimizer"), params.get("train_dataset")
    element = params.get("train_dataset_element")
    fields: dict[str, Callable[[], Any]] = {
        "optimizer": lambda: type_name(optimizer),
        "learning_rate": lambda: learning_rate(params),
        "loss_function": lambda: type_name(params.get("loss_fn")),
        "epoch": lambda: params.get("epoch_num"),
        "parallel_mode": lambda: params.get("parallel_mode"),
        "device_num": lambda: params.get("device_number"),
        "batch_size": lambda: batch_size(dataset, element),
        "dataset_path": lambda: None if dataset is None else dataset_path(dataset),
        "dataset_size": lambda: None if dataset is None else sample_count(dataset, element),
        "network": lambda: type_name(params.get("network")),
        "loss": lambda: loss_number(params.get("net_outputs")),
        "model_path": lambda: checkpoint_path(params),
        "model_size": lambda: Path(path).stat().st_size if (path := checkpoint_path(params)) else None,
    }
    return TrainLineage(**{name: _attempt(name, find) for name, find in fields.items()})


def _attempt(field: str, find: Callable[[], Any]) -> Any:
    try:
        return find()
    except Exception as error:  # of a class of the user
        _LOG.debug("%s of the lineage was not collected: %s: %s", field, type(error).__name__, error)
        return None


def learning_rate(params: Any) -> float | None:
    """Return the learning rate with which the optimizer began.

    It is the present one while no scheduler of torch knows another.
    """
    optimizer = params.get("optimizer")
    return None if optimizer is None else _attempt("learning_rate", lambda: initial_rate_of(optimizer))


def eval_lineage(params: Any) -> EvalLineage:
    """Return the results of the evaluation."""
    dataset, element = params.get("valid_dataset"), params.get("eval_dataset_element")
    return EvalLineage(
        metric=params.get("metrics"),
        dataset_path=_attempt("dataset_path", lambda: None if dataset is None else dataset_path(dataset)),
        dataset_size=_attempt("dataset_size", lambda: None if dataset is None else sample_count(dataset, element)),
    )


def checkpoint_path(params: Any) -> str | None:
    """Return the newest checkpoint, if it is there: what the loop says, else of the last callback that saves any."""
    callbacks: list[Any] = params.get("list_callback", [])
    files = [callback.latest_ckpt_file_name for callback in callbacks if isinstance(callback, ModelCheckpoint)]
    newest = params.get("latest_ckpt_file") or (files[-1] if files else None)
    return str(Path(newest).resolve()) if newest and Path(newest).exists() else None
