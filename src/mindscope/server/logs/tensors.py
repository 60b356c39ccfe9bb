# SPDX-License-Identifier: Apache-2.0
"""Printed tensors as messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import reduce
from itertools import islice

import numpy as np

from mindscope.debug.formats.print_file import PrintedValue
from mindscope.debug.formats.printed_text import printed_tensors
from mindscope.debug.formats.stored_array import PIECE, merged_statistics, statistics_of
from mindscope.debug.logs.message_index import MessageIndex
from mindscope.debug.logs.print_index import PrintIndex
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.fields import FIELDS, Field
from mindscope.server.logs.schema import LogTensor

_MOST_TENSORS = 20
_MOST_ROWS = 100
_MOST_COLUMNS = 50


def tensors_of(index: MessageIndex, row: int, text: str) -> list[LogTensor]:
    """Return the tensors of a message: a value of a print file, or the tensors in its text. Raises OSError."""
    if isinstance(index, PrintIndex):
        value = index.value(row)
        return [] if value.elements is None else [_tensor(value)]
    return [_tensor(each) for each in islice(printed_tensors(text), _MOST_TENSORS)]


def _tensor(value: PrintedValue) -> LogTensor:
    elements = value.elements
    if elements is None:
        return LogTensor(
            dtype=value.dtype, shape=list(value.shape or ()), rows=[], is_cut=True,
            min=None, max=None, mean=None, non_finite=0,
        )  # fmt: skip
    columns = elements.shape[-1] if elements.shape and elements.count else elements.count
    rows = elements.count // columns if columns else 0
    figures = _figures(elements)
    return LogTensor(
        dtype=value.dtype,
        shape=list(elements.shape),
        rows=[
            [_text(number) for number in elements.read(row * columns, min(columns, _MOST_COLUMNS))]
            for row in range(min(rows, _MOST_ROWS))
        ],
        is_cut=rows > _MOST_ROWS or columns > _MOST_COLUMNS,
        min=_finite(figures[Field.MIN]),
        max=_finite(figures[Field.MAX]),
        mean=_finite(figures[Field.SUM] / finite) if (finite := elements.count - _non_finite(figures)) else None,
        non_finite=_non_finite(figures),
    )


def _figures(elements: TensorElements) -> dict[Field, float]:
    """Return the statistics, for which only a piece of the elements is in memory."""
    starts = range(0, max(elements.count, 1), PIECE)
    pieces = (statistics_of(elements.read(start, PIECE), elements.dtype) for start in starts)
    return dict(zip(FIELDS, reduce(merged_statistics, pieces).tolist(), strict=True))


def _non_finite(figures: Mapping[Field, float]) -> int:
    counts = [figures[field] for field in (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)]
    return int(sum(count for count in counts if math.isfinite(count)))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _text(number: np.generic) -> str:
    return f"{number:.6g}" if isinstance(number, np.floating) else str(number)
