# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters in the format of TensorBoard's plugin."""

from __future__ import annotations

from collections.abc import Iterable

from mindscope.types import Message

HparamValue = float | bool | str | None

_VALUE_FIELDS = ("number_value", "string_value", "bool_value")


Hparams = dict[str, HparamValue]


def session_hparams(message: Message) -> Hparams:
    """Return the hyperparameters of a session start, by name; empty for the plugin's other messages."""
    values: dict[str, Message] = message.get("session_start_info", {}).get("hparams", {})
    return {name: _value(value) for name, value in values.items()}


def merge_hparams(sessions: Iterable[Hparams]) -> Hparams:
    """Return the values of all sessions; for a repeated name, the later value."""
    return {name: value for session in sessions for name, value in session.items()}


def _value(message: Message) -> HparamValue:
    return next((message[field] for field in _VALUE_FIELDS if field in message), None)
