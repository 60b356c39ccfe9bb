# SPDX-License-Identifier: Apache-2.0
"""Parses slices of a tensor: one text for each dimension, in Python's slice syntax."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mindscope.errors import SettingsError
from mindscope.reasons import Reason, Value

SliceKey = tuple[int | range, ...]
"""An index or a range of indices for each dimension, all inside the dimension."""

_NUMBER = re.compile(r"[+-]?\d{1,18}", re.ASCII)


class SliceError(SettingsError):
    """The tensor has no such slice."""


def read_slice(texts: Sequence[str], shape: Sequence[int]) -> SliceKey:
    """Return the slice of a tensor of ``shape``. Raises SliceError, which names dimension and text."""
    if len(texts) != len(shape):
        raise SliceError(Reason("slice_parts", count=len(texts), want=len(shape)))
    return tuple(_read(text, size, number) for number, (text, size) in enumerate(zip(texts, shape, strict=True)))


def default_slice(shape: Sequence[int]) -> tuple[str, ...]:
    """Return the whole of the last two dimensions, the first index of all others."""
    return tuple(":" if number >= len(shape) - 2 or size == 0 else "0" for number, size in enumerate(shape))


def sliced_shape(key: SliceKey) -> tuple[int, ...]:
    """Return the shape of the slice; a single index removes its dimension."""
    return tuple(len(part) for part in key if isinstance(part, range))


def check_table(key: SliceKey) -> None:
    """Raises SliceError if the slice has more than two dimensions."""
    left = [number for number, part in enumerate(key) if isinstance(part, range)]
    if len(left) > 2:
        raise SliceError(Reason("slice_dimensions", count=len(left), dimensions=", ".join(map(str, left))))


def _read(text: str, size: int, dimension: int) -> int | range:
    parts = [part.strip() for part in text.split(":")]
    if len(parts) > 3 or any(part and not _NUMBER.fullmatch(part) for part in parts) or parts == [""]:
        raise SliceError(Reason("slice_unreadable", dimension=dimension, text=text))
    numbers = [int(part) if part else None for part in parts]
    return _index(numbers[0], text, size, dimension) if len(parts) == 1 else _range(numbers, text, size, dimension)


def _index(index: int | None, text: str, size: int, dimension: int) -> int:
    if index is None or not -size <= index < size:
        if size == 0:
            raise SliceError(Reason("slice_empty", dimension=dimension, index=text.strip()))
        room: dict[str, Value] = {"size": size, "low": -size, "high": size - 1}
        raise SliceError(Reason("slice_outside", dimension=dimension, index=text.strip(), **room))
    return index % size


def _range(numbers: list[int | None], text: str, size: int, dimension: int) -> range:
    if len(numbers) == 3 and numbers[2] == 0:
        raise SliceError(Reason("slice_step", dimension=dimension, text=text))
    return range(*slice(*numbers).indices(size))
