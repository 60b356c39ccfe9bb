# SPDX-License-Identifier: Apache-2.0
"""The arguments that an object was made with, as far as it keeps them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from torch import Tensor

_LONGEST_TEXT = 200
_MOST_ITEMS = 32
_MISSING = object()
_PLAIN = (bool, int, float, str, os.PathLike, np.ndarray)


def constructor_arguments(thing: Any, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return arguments of the class that the object keeps under their name.

    They are numbers, texts or lists of them.
    """
    if inspect.isfunction(thing) or inspect.isbuiltin(thing):
        return {}
    try:
        names = [name for name in inspect.signature(cast(Any, type(thing))).parameters if name not in without]
    except (TypeError, ValueError):
        return {}
    kept = {name: _attribute(thing, name) for name in names}
    return {name: plain(value) for name, value in kept.items() if is_plain(value)}


def _attribute(thing: Any, name: str) -> Any:
    """Return the attribute ``name`` or ``_name``; one that raises is missing."""
    for each in (name, f"_{name}"):
        try:
            return getattr(thing, each)
        except Exception:
            continue
    return _MISSING


def is_plain(value: Any) -> bool:
    """Return whether it is a number, a text, a path, an array, an object of torch, an enumeration, or a short list of
    them.

    A list may hold None too.
    """
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        return len(items) <= _MOST_ITEMS and all(item is None or is_plain(item) for item in items)
    if isinstance(value, Mapping):
        return len(cast("dict[Any, Any]", value)) <= _MOST_ITEMS
    return isinstance(value, _PLAIN) or type(value).__module__ in ("enum", "torch")


def plain(value: Any) -> Any:
    """Return numbers and lists as they are, tensors and arrays by type, shape and size.

    Anything else is a short text.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        value = {name: plain(each) for name, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (Tensor, np.ndarray)):
        return _described(value)
    return str(value)[:_LONGEST_TEXT]


def _described(array: Any) -> str:
    """Return the type, shape and size of data, such as ``float32 (60000, 784), 188160000 bytes``; never its
    elements.
    """
    return f"{str(array.dtype).removeprefix('torch.')} {tuple(array.shape)}, {array.nbytes} bytes"
