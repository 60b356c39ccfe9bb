# SPDX-License-Identifier: Apache-2.0
"""The tensors in the arguments and results of modules and operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from torch import Tensor

_DEEPEST = 8


def tensors_in(value: Any, slot: str = "", depth: int = 0) -> Iterator[tuple[str, Tensor]]:
    """Slots and tensors: ``0``, ``1.2`` in nested lists, ``mask`` and ``cache.key`` in mappings and data classes."""
    if isinstance(value, Tensor):
        yield slot or "0", value
    elif isinstance(value, (list, tuple)):
        if depth < _DEEPEST:
            for place, each in enumerate(cast("list[Any]", value)):
                if each is not None:
                    yield from tensors_in(each, f"{slot}.{place}" if slot else str(place), depth + 1)
    elif isinstance(value, Mapping):
        if depth < _DEEPEST:
            for name, each in cast("Mapping[Any, Any]", value).items():
                yield from tensors_in(each, f"{slot}.{name}" if slot else str(name), depth + 1)
    elif is_dataclass(value) and not isinstance(value, type) and depth < _DEEPEST:
        for each in fields(value):
            name = f"{slot}.{each.name}" if slot else each.name
            yield from tensors_in(getattr(value, each.name, None), name, depth + 1)
