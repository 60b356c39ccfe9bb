# SPDX-License-Identifier: Apache-2.0
"""Writes tensors as text: a description, the cells of a window, and a slice as CSV or NPY."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceKey, check_table, default_slice, read_slice, sliced_shape
from mindscope.analysis.tensor_statistics import is_whole
from mindscope.analysis.tensors import TensorSource
from mindscope.formats.portable_array import portable_array
from mindscope.server.tensors.schema import AxisSpan, TensorAnswer, TensorWindowAnswer
from mindscope.table.file import text_cell


def describe_tensor(source: TensorSource) -> TensorAnswer:
    """Return the description of a tensor, with the slice that a page shows first."""
    return TensorAnswer(
        dtype=source.dtype_name or str(source.dtype),
        shape=list(source.shape),
        size=math.prod(source.shape),
        size_bytes=source.size_bytes,
        is_exact=source.is_exact,
        is_text=source.dtype == object,
        is_complex=source.dtype.kind == "c",
        is_whole=is_whole(source.dtype),
        slice=list(default_slice(source.shape)),
    )


def read_window(
    source: TensorSource, texts: Sequence[str], row: int, rows: int, column: int, columns: int
) -> TensorWindowAnswer:
    """Read at most ``rows`` by ``columns`` cells of a slice, from ``row`` and ``column`` on. Raises SliceError."""
    key = table_key(source, texts)
    down, across = axis_spans(key)
    window = _cut(key, row, rows, column, columns)
    cells = source.take(window)
    table = cells.reshape((-1, 1) if cells.ndim < 2 else cells.shape)
    return TensorWindowAnswer(
        shape=list(sliced_shape(key)), rows=down, columns=across, row=row, column=column, cells=cell_texts(table)
    )


def table_key(source: TensorSource, texts: Sequence[str]) -> SliceKey:
    """Return a slice with at most two dimensions; without texts the default slice. Raises SliceError."""
    key = read_slice(texts or default_slice(source.shape), source.shape)
    check_table(key)
    return key


def axis_spans(key: SliceKey) -> tuple[AxisSpan, AxisSpan]:
    """Return the dimensions on the rows and on the columns of the table."""
    spans = [
        AxisSpan(dimension=number, start=part.start, step=part.step, size=len(part))
        for number, part in enumerate(key)
        if isinstance(part, range)
    ]
    one = AxisSpan(dimension=None, start=0, step=1, size=1)
    down, across = [*spans, one, one][:2]
    return down, across


def _cut(key: SliceKey, row: int, rows: int, column: int, columns: int) -> SliceKey:
    """Return the part of a slice in a window."""
    cuts = iter((slice(row, row + rows), slice(column, column + columns)))
    return tuple(part[next(cuts)] if isinstance(part, range) else part for part in key)


def cell_texts(table: NDArray[Any]) -> list[list[str]]:
    """Return the cells of a 2-D array, each as the shortest text that parses to the same value."""
    if table.dtype == object:
        table = portable_array(table)
    portable: NDArray[Any] = portable_array(table)
    return cast("list[list[str]]", portable.astype(np.str_).tolist())


def csv_chunks(source: TensorSource, key: SliceKey) -> Iterator[str]:
    """Yield the slice row by row, without a header, with exact values. A vector is a column."""
    width = sliced_shape(key)[1] if len(sliced_shape(key)) == 2 else 1
    for origin, block in source.blocks(key):
        begin = origin[1] if len(origin) == 2 else 0
        lines = cell_texts(block if block.ndim == 2 else block.reshape(-1, 1))
        if source.dtype == object:
            lines = [[text_cell(cell) for cell in line] for line in lines]
        end = "\r\n" if begin + len(lines[0]) == width else ""
        yield ("," if begin else "") + "\r\n".join(",".join(map(_quoted, line)) for line in lines) + end


def npy_chunks(source: TensorSource, key: SliceKey) -> Iterator[bytes]:
    """Yield the slice as a NumPy file, in a dtype of plain NumPy; texts have one fixed width."""
    if source.dtype == object:
        buffer = io.BytesIO()
        np.save(buffer, portable_array(source.take(key)), allow_pickle=False)
        yield buffer.getvalue()
        return
    dtype = portable_array(np.empty(0, source.dtype)).dtype
    yield _npy_head(dtype, sliced_shape(key))
    for _, block in source.blocks(key):
        yield np.ascontiguousarray(block, dtype).tobytes()


def _npy_head(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    head = io.BytesIO()
    facts = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, facts)  # pyright: ignore[reportArgumentType]
    return head.getvalue()


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(sign in cell for sign in ',"\r\n') else cell
