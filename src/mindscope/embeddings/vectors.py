# SPDX-License-Identifier: Apache-2.0
"""Reads the vectors of an embedding. Of more than fit, it reads evenly spaced rows."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.format import Progress, no_progress
from mindscope.artifacts.open_below import open_below
from mindscope.embeddings.config import EmbeddingFiles
from mindscope.errors import FormatError
from mindscope.reasons import Reason

Floats = NDArray[np.float32]

MOST_VALUES = 40_000_000
"""Numbers of an embedding that are read: 160 MB."""
MOST_POINTS = 200_000
_MOST_DIMENSIONS = 1_000_000
_CHUNK_BYTES = 8 << 20
_MOST_LINE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Finite vectors (N, D) as float32, and the row of each in its file.

    ``total`` counts the rows of the file, of which every ``stride``-th was read; ``not_finite`` of these have NaN or
    infinities and are left out.
    """

    values: Floats
    rows: NDArray[np.int64]
    total: int
    stride: int
    not_finite: int


def read_vectors(run: Path, files: EmbeddingFiles, on_progress: Progress = no_progress) -> Vectors:
    """Return the vectors of an embedding. Raises FormatError, OSError."""
    if files.problem is not None:
        raise FormatError(files.problem)
    with os.fdopen(open_below(run, files.tensor_path), "rb") as file:
        if files.tensor_path.endswith(".tsv") or len(files.shape) != 2:
            total, stride, values = _from_text(file, files.tensor_path, on_progress)
        else:
            total, stride, values = _from_bytes(file, files, on_progress)
    is_finite = np.isfinite(values).all(axis=1)
    rows = np.arange(len(values), dtype=np.int64) * stride
    not_finite = len(values) - int(is_finite.sum())
    if not_finite:
        values, rows = values[is_finite], rows[is_finite]
    if not len(values):
        raise FormatError(Reason("embedding_empty", file=files.tensor_path, rows=total))
    return Vectors(values, rows, total, stride, not_finite)


def _stride_of(rows: int, dimensions: int) -> int:
    return max(1, -(-rows * dimensions // MOST_VALUES), -(-rows // MOST_POINTS))


def _from_bytes(file: BinaryIO, files: EmbeddingFiles, on_progress: Progress) -> tuple[int, int, Floats]:
    rows, dimensions = files.shape
    size, want = os.fstat(file.fileno()).st_size, rows * dimensions * 4
    if size < want or not want or dimensions > _MOST_DIMENSIONS:
        raise FormatError(
            Reason("embedding_size", file=files.tensor_path, bytes=size, want=want, rows=rows, columns=dimensions)
        )
    stride = _stride_of(rows, dimensions)
    chosen = np.empty((-(-rows // stride), dimensions), np.float32)
    block = max(1, _CHUNK_BYTES // (4 * dimensions * stride))
    for start in range(0, len(chosen), block):
        # mapped pages of a large file would count as memory of the viewer
        length = min(block * stride, rows - start * stride) * dimensions * 4
        content = os.pread(file.fileno(), length, start * stride * dimensions * 4)
        if len(content) < length:
            raise FormatError(
                Reason("embedding_size", file=files.tensor_path, bytes=size, want=want, rows=rows, columns=dimensions)
            )
        part = np.frombuffer(content, "<f4").reshape(-1, dimensions)[::stride]
        chosen[start : start + len(part)] = part
        on_progress(start * stride * dimensions * 4 + length)
    return rows, stride, chosen


def _from_text(file: BinaryIO, name: str, on_progress: Progress) -> tuple[int, int, Floats]:
    """Read lines of numbers with tabs between them. Empty lines count as no vector, as for TensorBoard."""
    rows, dimensions = _shape_of_text(file, name)
    stride = _stride_of(rows, dimensions)
    chosen = np.empty((-(-rows // stride), dimensions), np.float32)
    file.seek(0)
    row = written = read = 0
    for lines in _line_blocks(file, name):
        read += sum(map(len, lines)) + len(lines)
        filled = [(row + index, line) for index, line in enumerate(line for line in lines if line.strip())]
        picked = [(number, line) for number, line in filled if number % stride == 0][: len(chosen) - written]
        if picked:
            chosen[written : written + len(picked)] = _numbers(picked, dimensions, name)
        written, row = written + len(picked), row + len(filled)
        on_progress(read)
    return row, stride, chosen[:written]


def _shape_of_text(file: BinaryIO, name: str) -> tuple[int, int]:
    rows = dimensions = 0
    for lines in _line_blocks(file, name):
        filled = [line for line in lines if line.strip()]
        if filled and not dimensions:
            dimensions = filled[0].count(b"\t") + 1
        rows += len(filled)
    if not rows:
        raise FormatError(Reason("embedding_empty", file=name, rows=0))
    if dimensions > _MOST_DIMENSIONS:
        raise FormatError(Reason("embedding_line", file=name, line=1, detail=f"it has {dimensions} columns"))
    return rows, dimensions


def _line_blocks(file: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """Yield the lines of a file, some megabytes at a time. Raises FormatError for a line without end."""
    rest = b""
    while chunk := file.read(_CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > _MOST_LINE_BYTES:
            raise FormatError(Reason("embedding_line", file=name, line=1, detail="it has no end"))
        yield lines
    if rest:
        yield [rest]


def _numbers(lines: list[tuple[int, bytes]], dimensions: int, name: str) -> Floats:
    """Return lines as numbers. Raises FormatError with the first line that is no vector."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # numbers that end early
            values = np.fromstring(b"\t".join(line for _, line in lines).decode("ascii"), dtype=np.float32, sep="\t")
        if values.size == len(lines) * dimensions and all(line.count(b"\t") == dimensions - 1 for _, line in lines):
            return values.reshape(len(lines), dimensions)
    except (ValueError, DeprecationWarning):
        pass
    return np.stack([_vector(line, number, dimensions, name) for number, line in lines])


def _vector(line: bytes, number: int, dimensions: int, name: str) -> Floats:
    texts = line.split(b"\t")
    try:
        if len(texts) == dimensions:
            return np.array([float(text) for text in texts], np.float32)
        detail = f"it has {len(texts)} columns, the first line has {dimensions}"
    except ValueError as error:
        detail = str(error)
    raise FormatError(Reason("embedding_line", file=name, line=number + 1, detail=detail))
