# SPDX-License-Identifier: Apache-2.0
"""Lineage as the messages that are recorded."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.capture.messages import to_json
from mindscope.lineage.model import EvalLineage, TrainLineage
from mindscope.types import Message

_LOG = logging.getLogger("mindscope")
_INT32_MAX = (1 << 31) - 1
_FLOAT32_MAX = 3.4028234663852886e38


def train_message(lineage: TrainLineage) -> Message:
    """Return the ``TrainLineage`` message; leaves out what is None, except the model path."""
    return {
        "hyper_parameters": _known(
            optimizer=lineage.optimizer,
            learning_rate=_float32(lineage.learning_rate),
            loss_function=lineage.loss_function,
            epoch=lineage.epoch,
            parallel_mode=lineage.parallel_mode,
            device_num=lineage.device_num,
            batch_size=_int32(lineage.batch_size),
        ),
        "train_dataset": _known(
            train_dataset_path=lineage.dataset_path, train_dataset_size=_int32(lineage.dataset_size)
        ),
        "algorithm": _known(network=lineage.network, loss=_float32(lineage.loss)),
        "model": _known(path=to_json({"ckpt": lineage.model_path}), size=lineage.model_size),
    }


def eval_message(lineage: EvalLineage) -> Message:
    """Return the ``EvaluationLineage`` message; metrics may be numbers and arrays of any library."""
    dataset = _known(valid_dataset_path=lineage.dataset_path, valid_dataset_size=_int32(lineage.dataset_size))
    return _known(metric=None if lineage.metric is None else metric_text(lineage.metric), valid_dataset=dataset)


def add_lineage(record: SummaryRecord, plugin: str, find: Callable[[], Message | None]) -> bool:
    """Add the message that ``find`` gives, if any, to the next event; a failure is logged, the training continues."""
    try:
        message = find()
    except Exception as error:
        _LOG.warning("%s was not collected: %s: %s", plugin, type(error).__name__, error)
        return False
    if message is not None:
        record.add_value(plugin, plugin, message)
    return message is not None


def metric_text(metrics: Mapping[str, Any]) -> str:
    """Return metrics as JSON text."""
    return to_json(dict(metrics))


def _known(**entries: Any) -> Message:
    return {name: value for name, value in entries.items() if value is not None}


def _int32(value: int | None) -> int | None:
    """Return a number as the message can hold it, at most the largest int32."""
    return None if value is None else min(value, _INT32_MAX)


def _float32(value: float | None) -> float | None:
    """Return a number as float32, which is infinite beyond its range."""
    if value is None or not math.isfinite(value) or abs(value) <= _FLOAT32_MAX:
        return value
    return math.copysign(math.inf, value)
