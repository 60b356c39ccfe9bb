# SPDX-License-Identifier: Apache-2.0
"""The wire format of curves and histograms: ``application/vnd.mindscope.columns``.

    byte 0   "MSC1"
         4   uint32, little endian: length H of the header
         8   H bytes: the header, JSON in UTF-8, padded with spaces so that 8 + H is a multiple of 8
         8+H data: the columns one after the other, little endian, each padded with zeros to a multiple of 8

The header is a ``CurvesHeader`` or a ``HistogramsHeader``; offsets in it count from the start of the data, so that a
client can lay typed arrays over the bytes without copying.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.server.curve_schema import Curve, CurveColumns, CurvesHeader
from mindscope.server.schema import Answer, Column

MEDIA_TYPE = "application/vnd.mindscope.columns"
MAGIC = b"MSC1"
ALIGNMENT = 8


@dataclass(slots=True)
class ColumnData:
    """The part behind the header, as it is laid out; ``size`` is in bytes and always a multiple of 8."""

    columns: list[tuple[int, np.dtype[np.generic], NDArray[np.generic]]] = field(
        default_factory=list[tuple[int, "np.dtype[np.generic]", NDArray[np.generic]]]
    )  # offset, type on the wire, values
    size: int = 0

    def add(self, values: NDArray[np.generic], bytes_each: int = 8) -> Column:
        column = Column(dtype=f"float{8 * bytes_each}", offset=self.size, length=values.size)
        self.columns.append((self.size, np.dtype(f"<f{bytes_each}"), values))
        self.size += _aligned(values.size * bytes_each)
        return column

    def write(self, body: NDArray[np.uint8]) -> None:
        """Write each column to its place, which is the only time that its values are copied."""
        for offset, dtype, values in self.columns:
            body[offset : offset + values.size * dtype.itemsize].view(dtype)[:] = values


def pack(curves: Iterable[tuple[Curve, dict[str, NDArray[np.generic]]]]) -> memoryview:
    """Curves, each with its arrays by column name (none for a curve with an error), as bytes."""
    data = ColumnData()
    return join(CurvesHeader(series=[_with_columns(curve, arrays, data) for curve, arrays in curves]), data)


def join(header: Answer, data: ColumnData) -> memoryview:
    """A header whose columns stand in ``data``, and the data, as bytes."""
    text = header.model_dump_json().encode()
    start = _aligned(8 + len(text))
    body = np.zeros(start + data.size, np.uint8)
    front = MAGIC + (start - 8).to_bytes(4, "little") + text.ljust(start - 8)
    body[:start] = np.frombuffer(front, np.uint8)
    data.write(body[start:])
    return body.data


def _with_columns(curve: Curve, arrays: dict[str, NDArray[np.generic]], data: ColumnData) -> Curve:
    if not arrays:
        return curve
    columns = CurveColumns(
        step=data.add(arrays["step"], 8),
        wall_time=data.add(arrays["wall_time"], 8),
        value=data.add(arrays["value"], 4),
        smoothed=data.add(arrays["smoothed"], 4) if "smoothed" in arrays else None,
    )
    return curve.model_copy(update={"columns": columns})


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
