# SPDX-License-Identifier: Apache-2.0
"""What callbacks of trainers record: numbers and texts by name, and settings of any shape."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, cast

from mindscope.collector.hyper_parameters import flat_parameters
from mindscope.tensorboard import SummaryWriter

logger = logging.getLogger(__name__)
Given = ParamSpec("Given")
_SAME_RUN = "."


def guarded(method: Callable[Given, None]) -> Callable[Given, None]:
    """Log what a callback raises instead: a training continues whatever its values are."""

    @functools.wraps(method)
    def call(*args: Given.args, **options: Given.kwargs) -> None:
        try:
            method(*args, **options)
        except Exception:
            logger.exception("%s failed, and the training continues without what it records", method.__qualname__)

    return call


def add_values(writer: SummaryWriter, values: Mapping[Any, Any], step: Any = None) -> None:
    """Record numbers as scalars, texts as texts, and values of nested dicts as ``outer/inner``; None is left out."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            nested = cast("Mapping[Any, Any]", value)
            add_values(writer, {f"{name}/{inner}": nested[inner] for inner in nested}, step)
        elif isinstance(value, str):
            writer.add_text(str(name), value, step)
        elif value is not None:
            writer.add_scalar(str(name), value, step)


def add_settings(writer: SummaryWriter, settings: Mapping[Any, Any]) -> None:
    """Record settings as hyperparameters of this run: nested ones as ``outer.inner``, objects as their text."""
    given = {name: value for name, value in flat_parameters(settings).items() if value != "None"}
    if given:
        writer.add_hparams(given, {}, run_name=_SAME_RUN)
