# SPDX-License-Identifier: Apache-2.0
"""Values of operators in ``dump.json``: tensors with their statistics, and plain values."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.extremes import counts_from_extremes
from mindscope.debug.formats.shapes import is_possible_shape
from mindscope.debug.formats.stored_array import digest_of, digest_of_text
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.tensors import Role

_PARTS = {
    "input_args": Role.INPUT, "input_kwargs": Role.INPUT, "input": Role.INPUT, "parameters": Role.PARAMETER,
    "output": Role.OUTPUT,
}  # fmt: skip
_MOST_DEPTH = 32
_LONGEST_SLOT = 200
"""Limit of the characters of the keys of a value; all values of a list repeat the keys around it."""


class ProbedTensor(NamedTuple):
    """One tensor of an operator."""

    role: Role
    slot: str
    dtype: str
    shape: tuple[int, ...] | None
    values: NDArray[np.float64]
    digest: int
    file: str
    """Name of the file with the whole tensor; empty without one."""
    requires_grad: bool | None
    checksum: str

    @property
    def characters(self) -> int:
        """Number of characters of its texts."""
        return len(self.slot) + len(self.dtype) + len(self.file) + len(self.checksum)


def tensors_of(entry: Mapping[str, Any], is_gradient: bool) -> Iterator[ProbedTensor]:
    """Yield the tensors of an entry: inputs, then parameters, then outputs.

    Gradients have the names of their parameters.
    """
    if is_gradient:
        for name, value in entry.items():
            values = cast("list[Any]", value) if isinstance(value, list) else [value]
            yield from _tensors(values[0] if len(values) == 1 else values, Role.GRADIENT, name, 0)
        return
    for part, role in _PARTS.items():
        yield from _tensors(entry.get(part), role, "", 0)


def plain_values_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return arguments and results that are no tensors, as JSON by part and slot: ``input_args.1``."""
    items = (found for part in _PARTS for found in _items(entry.get(part), part, 0))
    return {slot: json.dumps(item["value"]) for slot, item in items if not _is_tensor(item)}


def _tensors(value: Any, role: Role, slot: str, depth: int) -> Iterator[ProbedTensor]:
    for inner, item in _items(value, slot, depth):
        if _is_tensor(item):
            yield _tensor(item, role, inner or "0")


def _items(value: Any, slot: str, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield tensors and plain values in nested lists and objects, with their slots."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, list):
        for index, each in enumerate(cast("list[Any]", value)):
            yield from _items(each, _inner(slot, str(index)), depth + 1)
    elif isinstance(value, dict):
        item = cast("dict[str, Any]", value)
        if _is_tensor(item) or ("type" in item and "value" in item):
            yield slot, item
        else:
            for key, each in item.items():
                yield from _items(each, _inner(slot, key), depth + 1)


def _inner(slot: str, key: str) -> str:
    return (f"{slot}.{key}" if slot else key)[:_LONGEST_SLOT]


def _is_tensor(item: Mapping[str, Any]) -> bool:
    return "dtype" in item and "shape" in item


def _tensor(item: Mapping[str, Any], role: Role, slot: str) -> ProbedTensor:
    shape = _shape(item["shape"])
    file, checksum, requires_grad = item.get("data_name"), item.get("md5"), item.get("requires_grad")
    return ProbedTensor(
        role,
        slot,
        _dtype(str(item["dtype"])),
        shape,
        _statistics(item, shape),
        _digest(checksum),
        file if isinstance(file, str) and "/" not in file and file not in ("-1", "..") else "",
        requires_grad if isinstance(requires_grad, bool) else None,
        checksum.lower() if isinstance(checksum, str) else "",
    )


def _shape(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    sizes = cast("list[Any]", value)
    return _possible_shape(tuple(sizes)) if all(isinstance(size, int) for size in sizes) else None


@lru_cache
def _possible_shape(sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return a shape, as the same object for all tensors that have it."""
    return sizes if is_possible_shape(sizes) else None


@lru_cache
def _dtype(name: str) -> str:
    element = element_type(name)
    return element.name if element else name.removeprefix("torch.")


def _statistics(item: Mapping[str, Any], shape: tuple[int, ...] | None) -> NDArray[np.float64]:
    """Extremes, mean and norm are of all elements: one that is not finite makes them so."""
    values = [math.nan] * len(FIELDS)
    count = values[COLUMN[Field.COUNT]] = math.nan if shape is None else float(math.prod(shape))
    least, largest = number_of(item.get("Min")), number_of(item.get("Max"))
    if item.get("Min") is not None and item.get("Max") is not None:
        for field, number in counts_from_extremes(least, largest).items():
            values[COLUMN[field]] = number
    values[COLUMN[Field.MIN]] = least if math.isfinite(least) else math.nan
    values[COLUMN[Field.MAX]] = largest if math.isfinite(largest) else math.nan
    if values[COLUMN[Field.NAN]] == 0:
        total, norm = number_of(item.get("Mean")) * count, number_of(item.get("Norm"))
        values[COLUMN[Field.SUM]] = total if math.isfinite(total) else math.nan
        values[COLUMN[Field.SUM_SQUARES]] = norm * norm if math.isfinite(norm) and abs(norm) < 1e154 else math.nan
    return np.array(values)


def number_of(value: Any) -> float:
    """Return a number, a truth value, or a text of one such as ``-inf``; NaN for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _digest(text: Any) -> int:
    """Return a digest of the key ``md5``, which holds a CRC or XOR in hexadecimal, or another text."""
    if not isinstance(text, str) or not text:
        return 0
    return digest_of_text(text) or digest_of(hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False))
