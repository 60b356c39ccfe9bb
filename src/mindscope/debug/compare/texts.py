# SPDX-License-Identifier: Apache-2.0
"""Texts about comparisons, from the catalog that the page reads too."""

from __future__ import annotations

from mindscope.texts import Value, english, fill

_ENGLISH = english("debug")["compare"]


def say(code: str, **values: Value) -> str:
    """Return the English text with the code, filled. Raises KeyError if there is none, or a value is missing."""
    return fill(_ENGLISH[code]["text"], values)
