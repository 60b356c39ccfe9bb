# SPDX-License-Identifier: Apache-2.0
"""Exports scalars as one table of all tags: tag, step, wall_time, value; every number exactly as stored."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

import numpy as np

from mindscope.reading.scalars import Scalars
from mindscope.table.columns import Column, TextColumn
from mindscope.table.file import Line, csv_text, lines_of
from mindscope.table.frames import pyarrow_module
from mindscope.table.schema import TEXT

COLUMNS = ("tag", "step", "wall_time", "value")


def write_csv(series: Iterable[Scalars], file: BinaryIO) -> None:
    """Write CSV in UTF-8. Numbers have enough digits to restore every bit; NaN, Infinity, -Infinity."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    text.writelines(csv_text(_lines(series)))
    text.detach().flush()


def _lines(series: Iterable[Scalars]) -> Iterator[Line]:
    yield COLUMNS
    for scalars in series:
        tag: dict[str, Column] = {"tag": TextColumn.constant(scalars.tag, len(scalars))}
        yield from islice(lines_of(tag | scalars.columns(), {"tag": TEXT, **scalars.schema()}), 1, None)


def write_parquet(series: Iterable[Scalars], file: BinaryIO) -> None:
    """Write a Parquet file with a row group for each tag: tag string, step int64, wall_time float64, value.

    ``value`` is float32, or float64 if a value of any tag does not fit float32.
    """
    pyarrow, parquet = pyarrow_module(), pyarrow_module("pyarrow.parquet")
    series = list(series)
    is_wide = any(scalars.value.dtype == np.float64 for scalars in series)
    types = (pyarrow.string(), pyarrow.int64(), pyarrow.float64(), pyarrow.float64() if is_wide else pyarrow.float32())
    schema = pyarrow.schema(list(zip(COLUMNS, types, strict=True)))
    with parquet.ParquetWriter(file, schema) as writer:
        for scalars in series:
            tag = np.full(len(scalars), scalars.tag, dtype=object)
            writer.write_table(pyarrow.table({"tag": tag, **scalars.arrays()}, schema))
