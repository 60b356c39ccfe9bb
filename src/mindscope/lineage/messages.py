# SPDX-License-Identifier: Apache-2.0
"""Converts MindSpore's lineage messages to the lineage model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from mindscope.formats.json_text import parse_json
from mindscope.lineage.model import CustomValue, EvalLineage, TrainLineage
from mindscope.types import Message

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_CUSTOM_MAPS = ("map_int32", "map_double", "map_str", "map_bool", "map_int64")
"""The last two are mindscope's own, and repeat entries of the others as what they were."""


def read_train_lineage(message: Message) -> TrainLineage:
    """Return a decoded TrainLineage message."""
    hyper: Message = message.get("hyper_parameters", {})
    dataset: Message = message.get("train_dataset", {})
    algorithm: Message = message.get("algorithm", {})
    model: Message = message.get("model", {})
    paths = _parse_object(model.get("path"))
    return TrainLineage(
        optimizer=hyper.get("optimizer"),
        learning_rate=_shortest(hyper.get("learning_rate")),
        loss_function=hyper.get("loss_function"),
        epoch=hyper.get("epoch"),
        parallel_mode=hyper.get("parallel_mode"),
        device_num=hyper.get("device_num"),
        batch_size=hyper.get("batch_size"),
        dataset_path=dataset.get("train_dataset_path"),
        dataset_size=dataset.get("train_dataset_size"),
        network=algorithm.get("network"),
        loss=_shortest(algorithm.get("loss")),
        model_path=_checkpoint(paths, model.get("path")),
        model_paths=paths,
        model_size=model.get("size") or None,  # MindSpore writes 0 if there is no checkpoint
    )


def read_eval_lineage(message: Message) -> EvalLineage:
    """Return a decoded EvaluationLineage message."""
    dataset: Message = message.get("valid_dataset", {})
    return EvalLineage(
        metric=_with_numbers(_parse_object(message.get("metric"))),
        dataset_path=dataset.get("valid_dataset_path"),
        dataset_size=dataset.get("valid_dataset_size"),
    )


def read_custom(message: Message) -> dict[str, CustomValue]:
    """Return the keys and values of a decoded UserDefinedInfo; nested keys are joined with ``/``."""
    values: dict[str, CustomValue] = {}
    for part in message.get("user_info", []):
        values |= read_custom(part)
    for name in _CUSTOM_MAPS:
        values |= message.get(name, {})
    nested: Mapping[str, Message] = message.get("map_dict", {})
    for name, inner in nested.items():
        values |= {f"{name}/{key}": value for key, value in read_custom(inner).items()}
    return values


def _shortest(value: float | None) -> float | None:
    """Return a float32 as the shortest decimal number: 0.002, not 0.0020000000949949026."""
    return None if value is None else float(str(np.float32(value)))


def _parse_object(text: str | None) -> Mapping[str, Any] | None:
    """Return the object in a JSON text; None if the text is not an object.

    Raises FormatError if it is nested too deep.
    """
    try:
        value = parse_json(text or "null")
    except json.JSONDecodeError:
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _with_numbers(value: Any) -> Any:
    """Return a value of JSON with numbers for the texts NaN, Infinity and -Infinity, as strict JSON has them."""
    if isinstance(value, dict):
        return {name: _with_numbers(each) for name, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_with_numbers(each) for each in cast("list[Any]", value)]
    return _NOT_FINITE.get(value, value) if isinstance(value, str) else value


def _checkpoint(paths: Mapping[str, Any] | None, text: str | None) -> str | None:
    """Return the checkpoint's path; older programs write the plain path instead of JSON."""
    if paths is None:
        return text or None
    path = paths.get("ckpt")
    return str(path) if path else None
