# SPDX-License-Identifier: Apache-2.0
"""Texts about debugging data, from the catalog that the page reads too."""

from __future__ import annotations

from mindscope.texts import Value, fill, texts_of

_ENGLISH = texts_of("debug")


def say(section: str, code: str, **values: Value) -> str:
    """Return an English text, filled. Raises KeyError if there is none, or a value is missing."""
    return fill(_ENGLISH[section][code]["text"], values)
