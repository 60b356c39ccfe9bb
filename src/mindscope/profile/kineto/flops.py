# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of an operator from the shapes of its inputs.

The formulas are those of ``torch.profiler`` (``torch/csrc/profiler/util.cpp``), so that totals agree with its tables.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import prod
from typing import Any, cast

Shapes = list[list[int]]


def flops_of(name: str, dims: str, values: str) -> int:
    """Return the operations of one run; 0 for other operators, and where a shape is missing.

    Args:
        name: such as ``aten::mm``.
        dims: JSON of the shapes of its inputs.
        values: JSON of the values of those inputs that are no tensors, as texts.
    """
    count = _FORMULAS.get(name)
    if count is None or not dims:
        return 0
    try:
        return max(int(count(_shapes(dims), json.loads(values) if values else [])), 0)
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        return 0


def _shapes(text: str) -> Shapes:
    """Raises ValueError for anything but lists of numbers."""
    found: Any = json.loads(text)
    if not isinstance(found, list):
        raise ValueError(f"{text} is no list of shapes")
    shapes = [cast("list[Any]", each) if isinstance(each, list) else [] for each in cast("list[Any]", found)]
    return [shape if all(isinstance(size, int) for size in shape) else [] for shape in shapes]


def _matrix_product(shapes: Shapes, values: list[str]) -> int:
    left, right = shapes[0], shapes[1]
    return 2 * prod(left) * right[-1] if left and right else 0


def _added_matrix_product(shapes: Shapes, values: list[str]) -> int:
    return _matrix_product(shapes[1:], values)


def _elements(shapes: Shapes, values: list[str]) -> int:
    return prod(shapes[0]) if shapes[0] else 0


def _convolution(shapes: Shapes, values: list[str]) -> int:
    """Count those of a convolution in 2-D; inputs: input, weight, bias, stride, padding, dilation, groups."""
    batch, in_channels, height, width = shapes[0]
    out_channels, _, kernel_height, kernel_width = shapes[1]
    stride, padding, dilation = (_pair(values[index]) for index in (3, 4, 5))
    groups = int(values[6])
    out_height = (height + 2 * padding[0] - dilation[0] * (kernel_height - 1) - 1) // stride[0] + 1
    out_width = (width + 2 * padding[1] - dilation[1] * (kernel_width - 1) - 1) // stride[1] + 1
    kernel = kernel_height * kernel_width * in_channels * out_channels // groups
    return 2 * batch * out_height * out_width * kernel


def _pair(text: str) -> tuple[int, int]:
    found: Any = json.loads(text)
    numbers = cast("list[int]", found) if isinstance(found, list) else [int(found)]
    return int(numbers[0]), int(numbers[-1])


_FORMULAS: dict[str, Callable[[Any, Any], int]] = {
    "aten::mm": _matrix_product,
    "aten::bmm": _matrix_product,
    "aten::addmm": _added_matrix_product,
    "aten::baddbmm": _added_matrix_product,
    "aten::conv2d": _convolution,
    "aten::mul": _elements,
    "aten::add": _elements,
}
