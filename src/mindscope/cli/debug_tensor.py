# SPDX-License-Identifier: Apache-2.0
"""Prints how far tensors of two trainings are apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mindscope.cli.printed_table import printed_table

if TYPE_CHECKING:
    from mindscope.debug.compare import TensorDifferences
    from mindscope.debug.compare.tensor_differences import ComparedTensor
    from mindscope.debug.tensor_difference import TensorDifference

_FIGURES = ("cosine", "max_abs", "max_rel", "rmse", "norm_error")


def tensor_lines(found: TensorDifferences) -> Iterator[Any]:
    """Yield lines and tables: a row for each tensor, then the largest error and the ULPs of each whole one."""
    step, other = found.steps
    yield f"Tensors of step {step}" + ("" if other == step else f" and step {other} of OTHER") + ":"
    yield printed_table(
        ("operator", "tensor", "dtype", "shape", *(name.replace("_", " ") for name in _FIGURES), "beyond", "level"),
        [_row(tensor) for tensor in found.tensors],
    )
    for tensor in found.tensors:
        if tensor.is_whole and tensor.difference.is_shape_equal:
            yield from _details(tensor)
    if not all(tensor.is_whole for tensor in found.tensors):
        yield (
            "Of some tensors only statistics were recorded, so that most figures are not known. Record whole tensors "
            "of both trainings with mindscope.torch.Dump or another dump."
        )


def _row(found: ComparedTensor) -> tuple[str, ...]:
    left = found.pair.tensors[0]
    difference = found.difference
    figures = [_number(getattr(difference, name)) for name in _FIGURES]
    beyond = "-" if math.isnan(difference.share_beyond) else f"{difference.share_beyond:.3%}"
    problems = f" ({', '.join(found.problems)})" if found.problems else ""
    dtype, shape = _both(difference)
    return left.operator, f"{left.role} {left.slot}", dtype, shape, *figures, beyond, f"{found.level}{problems}"


def _both(found: TensorDifference) -> tuple[str, str]:
    dtypes = dict.fromkeys((found.got_dtype, found.want_dtype))
    shapes = dict.fromkeys((str(list(found.got_shape)), str(list(found.want_shape))))
    return " / ".join(dtypes), " / ".join(shapes)


def _details(found: ComparedTensor) -> Iterator[str]:
    left, difference = found.pair.tensors[0], found.difference
    if difference.max_abs > 0:
        index = ", ".join(map(str, difference.index))
        values = f"{difference.got_at_index:.9g} and {difference.want_at_index:.9g}"
        yield f"{left.role} {left.slot}: largest error at [{index}]: {values}"
    if difference.ulps and difference.max_abs > 0:
        counts = ", ".join(f"{_ulps(end)}: {count:,}" for end, count in difference.ulps.items())
        yield f"{left.role} {left.slot}: ULPs {counts}"


def _ulps(end: int) -> str:
    return str(end) if end < 2 else f"up to {end:,}"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.6g}"
