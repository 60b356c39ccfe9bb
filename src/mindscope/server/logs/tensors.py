# SPDX-License-Identifier: Apache-2.0
"""Printed tensors as messages."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.print_file import PrintedValue, printed_tensors
from mindscope.debug.logs.message_index import MessageIndex
from mindscope.debug.logs.print_index import PrintIndex
from mindscope.server.logs.schema import LogTensor

_MOST_TENSORS = 20
_MOST_ROWS = 100
_MOST_COLUMNS = 50


def tensors_of(index: MessageIndex, row: int, text: str) -> list[LogTensor]:
    """Those of a message: a value of a print file, or what its text holds. Raises OSError."""
    if isinstance(index, PrintIndex):
        value = index.value(row)
        return [] if value.array is None else [_tensor(value)]
    return [_tensor(each) for each in islice(printed_tensors(text), _MOST_TENSORS)]


def _tensor(value: PrintedValue) -> LogTensor:
    array = value.array
    if array is None:
        return LogTensor(
            dtype=value.dtype, shape=list(value.shape or ()), rows=[], is_cut=True,
            min=None, max=None, mean=None, non_finite=0,
        )  # fmt: skip
    table = array.reshape(-1, array.shape[-1]) if array.ndim and array.size else array.reshape(1, -1)
    finite = array[np.isfinite(array)].astype(np.float64)
    return LogTensor(
        dtype=value.dtype,
        shape=list(array.shape),
        rows=[[_text(each) for each in row] for row in table[:_MOST_ROWS, :_MOST_COLUMNS]],
        is_cut=table.shape[0] > _MOST_ROWS or table.shape[1] > _MOST_COLUMNS,
        min=_figure(finite, np.min),
        max=_figure(finite, np.max),
        mean=_figure(finite, np.mean),
        non_finite=int(array.size - finite.size),
    )


def _figure(finite: NDArray[np.float64], compute: Any) -> float | None:
    return float(compute(finite)) if finite.size else None


def _text(number: np.generic) -> str:
    return f"{number:.6g}" if isinstance(number, np.floating) else str(number)
