# SPDX-License-Identifier: Apache-2.0
"""The arguments that an object was made with, as far as it keeps them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any, cast

_LONGEST_TEXT = 200
_MOST_ITEMS = 32
_MISSING = object()


def constructor_arguments(thing: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Arguments of the class that the object keeps under their name, and that are numbers, texts or lists of them."""
    if inspect.isfunction(thing) or inspect.isbuiltin(thing):
        return {}
    try:
        names = [name for name in inspect.signature(cast(Any, type(thing))).parameters if name not in without]
    except (TypeError, ValueError):
        return {}
    kept = {name: _attribute(thing, name) for name in names}
    return {name: plain(value) for name, value in kept.items() if is_plain(value)}


def _attribute(thing: Any, name: str) -> Any:
    """The attribute ``name`` or ``_name``; one that raises is missing."""
    for each in (name, f"_{name}"):
        try:
            return getattr(thing, each)
        except Exception:
            continue
    return _MISSING


def is_plain(value: Any) -> bool:
    """Whether it is a number, a text, a path, an object of torch or an enumeration, or a short collection of them.

    A list may hold None too.
    """
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        return len(items) <= _MOST_ITEMS and all(each is None or is_plain(each) for each in items)
    if isinstance(value, Mapping):
        return len(cast("dict[Any, Any]", value)) <= _MOST_ITEMS
    return isinstance(value, (bool, int, float, str, os.PathLike)) or type(value).__module__ in ("enum", "torch")


def plain(value: Any) -> Any:
    """Numbers and lists as they are, anything else as a short text."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in cast("list[Any]", value)]
    return str(value)[:_LONGEST_TEXT]
