# SPDX-License-Identifier: Apache-2.0
"""Hyper-parameters as TensorBoard's plugin stores them."""

from __future__ import annotations

from collections.abc import Iterable

from mindscope.types import Message

HparamValue = float | bool | str | None

_VALUE_FIELDS = ("number_value", "string_value", "bool_value")


def merge_hparams(messages: Iterable[Message]) -> dict[str, HparamValue]:
    """The values that sessions started with, by name; of a name given twice the later one."""
    hparams: dict[str, HparamValue] = {}
    for message in messages:
        values: dict[str, Message] = message.get("session_start_info", {}).get("hparams", {})
        hparams |= {name: _value(value) for name, value in values.items()}
    return hparams


def _value(message: Message) -> HparamValue:
    return next((message[field] for field in _VALUE_FIELDS if field in message), None)
