# SPDX-License-Identifier: Apache-2.0
"""Reasons: English texts that also carry a code and values, so that the page can translate them."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from typing import cast

from mindscope.texts import Value, fill, texts_of

_SURROGATE = re.compile("[\ud800-\udfff]")

UNCODED = "uncoded"
"""The code of a text without a code of its own."""

TEXTS = texts_of("errors")["errors"]
"""The English text of each code, and its remedy if it has one."""


class Reason(str):
    """An English text with its remedy. ``code`` is stable, and one of ``TEXTS``; ``values`` are the values in the text.

    Invalid UTF-8 in file names becomes a replacement character, so that every text can be sent as UTF-8.
    """

    code: str
    values: Mapping[str, Value]
    remedy: str
    """Advice to the user; empty if the text says all."""

    def __new__(cls, code: str, /, **values: Value) -> Reason:
        """Return the text of a code. Raises KeyError for an unknown code, or if a value of its text is missing."""
        readable = {name: _readable(value) for name, value in values.items()}
        text, remedy = fill(TEXTS[code]["text"], readable), TEXTS[code].get("remedy", "")
        made = super().__new__(cls, f"{text} {remedy}" if remedy else text)
        made.code, made.values, made.remedy = code, readable, remedy
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return _of, (self.code, dict(self.values))


def reason_of(error: object) -> Reason:
    """Return the reason of an error or a text: with its own code, or else ``uncoded``."""
    known = error.args[0] if isinstance(error, Exception) and len(error.args) == 1 else error
    return known if isinstance(known, Reason) else Reason(UNCODED, detail=str(error))


def unforeseen_reason(error: Exception) -> Reason:
    """Return the reason for an unexpected exception: a bug in our code, or bytes that no test covers."""
    return Reason("internal", error=type(error).__name__, detail=str(error))


def damage_reason(error: Exception) -> Reason:
    """Return the reason why a message can't be decoded."""
    reason = reason_of(error)
    return Reason("damaged_message", detail=str(error)) if reason.code == UNCODED else reason


def reason_to_json(text: str) -> object:
    """Return a text as JSON: a list of code and values, or the text itself if it has no code."""
    return [text.code, dict(text.values)] if isinstance(text, Reason) else text


def reason_from_json(state: object) -> str:
    """Return restores a text from the result of ``reason_to_json``."""
    if isinstance(state, str):
        return state
    code, values = cast("tuple[str, dict[str, Value]]", state)
    return _of(code, values) if code in TEXTS else code


def os_reason(error: OSError) -> dict[str, Value]:
    """Return the values of a text for a system error: its ``reason`` in English, and ``errno``, such as ENOSPC."""
    return {"reason": error.strerror or str(error), "errno": errno.errorcode.get(error.errno or 0, "")}


def _readable(value: Value) -> Value:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value) if isinstance(value, str) else value


def _of(code: str, values: Mapping[str, Value]) -> Reason:
    return Reason(code, **values)
