# SPDX-License-Identifier: Apache-2.0
"""Lineage fields that a collector adds automatically: their keys, and values of types that the file can hold."""

from __future__ import annotations

import json
import numbers
from collections.abc import Iterable, Mapping
from typing import Any, cast

PREFIX = "env/"
"""Separates automatic fields from those of the user."""
_MOST_CHARACTERS = 4000


def fact(name: str) -> str:
    """Return the key of a fact of the run, such as its host."""
    return f"{PREFIX}{name}"


def parameter(name: str) -> str:
    """Return the key of a hyperparameter."""
    return f"{PREFIX}parameter/{name}"


def model(name: str) -> str:
    """Return the key of a property of the model."""
    return f"{PREFIX}model/{name}"


def storable(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with values that the file can hold. Booleans and lists become JSON texts; None is omitted."""
    found = {name: _plain(value) for name, value in fields.items()}
    return {_text(name): value for name, value in found.items() if value is not None}


def _plain(value: Any) -> Any:
    if value is None:
        return None
    if type(value).__name__ in ("bool", "bool_"):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [_item(each) for each in cast("Iterable[Any]", value)]
        return _text(json.dumps(items))
    return _text(str(value))


def _item(value: Any) -> Any:
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, (list, tuple)):
        return [_item(each) for each in cast("Iterable[Any]", value)]
    plain = _plain(value)
    return plain == "true" if plain in ("true", "false") else plain


def _text(text: str) -> str:
    """Return a text as UTF-8 can hold it; long texts are cut."""
    encodable = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return encodable if len(encodable) <= _MOST_CHARACTERS else encodable[: _MOST_CHARACTERS - 1] + "…"
