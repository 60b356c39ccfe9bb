# SPDX-License-Identifier: Apache-2.0
"""Tensors in text that a training printed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.print_file import PrintedValue
from mindscope.debug.formats.shapes import is_possible_shape
from mindscope.debug.model.elements import elements_of

_TENSOR = re.compile(
    r"Tensor\(shape=\[(?P<shape>[\d, ]*)\], dtype=(?P<dtype>\w+), value=\s*(?P<values>[^()]*)\)", re.ASCII
)
_OLD_TENSOR = re.compile(
    r"Tensor shape:\[\[const vector\]\[(?P<shape>[\d, ]*)\]\](?P<dtype>\w+)\s*"
    r"val:(?P<values>[\s\d.,eE+\-\[\]infaINF]*)",
    re.ASCII,
)
_MOST_DIGITS = 18
"""Limit of the digits of a size of a tensor."""
_NUMBER = re.compile(r"True|False|[-+]?(?:inf|nan|\d+\.?\d*(?:[eE][-+]?\d+)?)", re.IGNORECASE | re.ASCII)


def printed_tensors(text: str) -> Iterator[PrintedValue]:
    """Yield the tensors in a captured text, as Print writes them in graph mode, also in the form of r1.0."""
    for pattern in (_TENSOR, _OLD_TENSOR):
        for match in pattern.finditer(text):
            yield _printed(match)


def _printed(match: re.Match[str]) -> PrintedValue:
    shape = tuple(int(size[:_MOST_DIGITS]) for size in match["shape"].replace(" ", "").split(",") if size)
    array = None if "..." in match["values"] else _array(match["values"], match["dtype"], shape)
    return PrintedValue(match[0], None if array is None else elements_of(array), match["dtype"], shape)


def _array(values: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any] | None:
    """Return the elements; None if they don't fit the shape or the dtype."""
    element = element_type(dtype)
    numbers = _NUMBER.findall(values)
    if element is None or not is_possible_shape(shape) or len(numbers) != math.prod(shape):
        return None
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            array = np.array([_number(number) for number in numbers]).reshape(shape)
            return array.astype(np.float32 if element.decode else element.stored)
    except (OverflowError, ValueError):  # larger than 64 bits
        return None


def _number(text: str) -> float:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return float(text)
