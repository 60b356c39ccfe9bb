# SPDX-License-Identifier: Apache-2.0
"""Encodes the statistics of the tensors of a step, and the descriptions of these tensors."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_kind import value_field
from mindscope.errors import ValueRejectedError
from mindscope.formats.tensor_statistics import MAX_ROWS, pack
from mindscope.types import Message

ROUNDED = frozenset(("sum", "sum_abs", "sum_squares", "mean_abs_update", "mean_abs_before"))
"""Statistics that are written with the precision of float32."""


@dataclass(frozen=True, slots=True)
class StepColumns:
    """One row for each tensor, in the order of execution."""

    tensor: NDArray[np.integer]
    """Indexes in the table. Shape (rows,)."""
    order: NDArray[np.integer]
    """Number of the operator in the order of execution, not negative. (rows,)."""
    statistics: Mapping[str, NDArray[np.float64]]
    """Statistics by name, each of shape (rows,); a column of only NaN is not written."""
    digest: NDArray[np.uint64]
    """Digests of the bytes, shape (rows,)."""


@dataclass(frozen=True, slots=True)
class StepRows:
    """The rows of a step, as ``SummaryRecord.add_value("tensor_statistics", ...)`` takes them.

    The recorder calls ``fetch`` on one of its threads; it may wait for a device.
    """

    table: int
    rank: int
    size_bytes: int
    fetch: Callable[[], StepColumns]


@dataclass(frozen=True, slots=True)
class TensorTable:
    """Descriptions of tensors that rows refer to: indexes ``first_tensor`` and following of the table.

    An index that is described again has the newer description.
    """

    table: int
    rank: int
    first_tensor: int
    tensors: Sequence[Message]
    """Values that JSON can hold, with the names of ``formats.tensor_statistics.TensorStatistics.tensors``."""
    facts: Message = field(default_factory=dict[str, object])

    @property
    def size_bytes(self) -> int:
        """About what the descriptions take in memory."""
        return 1000 * len(self.tensors)


def encode_statistics(tag: str, value: StepRows | TensorTable) -> bytes:
    """Return the ``Summary.value`` field. Thread-safe. Raises ValueRejectedError for columns of different lengths."""
    message: Message = {"table": value.table, "rank": value.rank}
    message |= _described(value) if isinstance(value, TensorTable) else _columns(value.fetch())
    return value_field(tag, "tensor_statistics", message)


def _described(table: TensorTable) -> Message:
    text = json.dumps(table.tensors, ensure_ascii=False, separators=(",", ":"))
    return {
        "first_tensor": table.first_tensor,
        "tensors": zlib.compress(text.encode("utf-8", "backslashreplace")),
        "facts": json.dumps(table.facts),
    }


def _columns(step: StepColumns) -> Message:
    rows = step.tensor.size
    kept = {name: column for name, column in step.statistics.items() if not _is_nan(column)}
    columns: dict[str, NDArray[np.generic]] = {
        "tensor": step.tensor, "order": step.order, "digest": step.digest, **kept
    }  # fmt: skip
    if rows > MAX_ROWS or any(column.shape != (rows,) for column in columns.values()):
        raise ValueRejectedError(f"columns have {rows} or other numbers of rows, want the same, at most {MAX_ROWS}")
    return {"rows": rows, "columns": [_column(name, column) for name, column in columns.items()]}


def _is_nan(column: NDArray[np.float64]) -> bool:
    return not column.size or bool(np.isnan(column[0]) and np.isnan(column).all())


def _column(name: str, values: NDArray[np.generic]) -> Message:
    packed = pack(values, name in ROUNDED)
    return {"name": name, "dtype": packed.dtype, "is_deflated": packed.is_deflated, "data": packed.data}
