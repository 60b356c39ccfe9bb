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

from mindscope.server.schema import Answer, Column, Curve, CurveColumns, CurvesHeader

MEDIA_TYPE = "application/vnd.mindscope.columns"
MAGIC = b"MSC1"
ALIGNMENT = 8


@dataclass(slots=True)
class ColumnData:
    """The part behind the header, as it grows; ``size`` is in bytes and always a multiple of 8."""

    chunks: list[bytes] = field(default_factory=list[bytes])
    size: int = 0

    def add(self, values: NDArray[np.generic]) -> Column:
        column = Column(dtype=f"float{8 * values.itemsize}", offset=self.size, length=values.size)
        data = values.astype(f"<f{values.itemsize}", copy=False).tobytes()
        self.chunks.append(data.ljust(_aligned(len(data)), b"\0"))
        self.size += _aligned(len(data))
        return column


def pack(curves: Iterable[tuple[Curve, dict[str, NDArray[np.generic]]]]) -> bytes:
    """Curves, each with its arrays by column name (none for a curve with an error), as bytes."""
    data = ColumnData()
    return join(CurvesHeader(series=[_with_columns(curve, arrays, data) for curve, arrays in curves]), data)


def join(header: Answer, data: ColumnData) -> bytes:
    """A header whose columns stand in ``data``, and the data, as bytes."""
    text = header.model_dump_json().encode()
    padded = text.ljust(_aligned(8 + len(text)) - 8)
    return b"".join([MAGIC, len(padded).to_bytes(4, "little"), padded, *data.chunks])


def _with_columns(curve: Curve, arrays: dict[str, NDArray[np.generic]], data: ColumnData) -> Curve:
    if not arrays:
        return curve
    smoothed = data.add(arrays["smoothed"]) if "smoothed" in arrays else None
    columns = CurveColumns(
        step=data.add(arrays["step"].astype(np.float64)),
        wall_time=data.add(arrays["wall_time"]),
        value=data.add(arrays["value"]),
        smoothed=smoothed,
    )
    return curve.model_copy(update={"columns": columns})


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
