# SPDX-License-Identifier: Apache-2.0
"""Exports scalars as one table of all tags: tag, step, wall_time, value; every number exactly as stored."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

from mindscope.formats.csv_cells import text_cell
from mindscope.reading.scalars import Scalars
from mindscope.tables import pyarrow_module

COLUMNS = ("tag", "step", "wall_time", "value")


def write_csv(series: Iterable[Scalars], file: BinaryIO) -> None:
    """Write CSV in UTF-8. Numbers have enough digits to restore every bit; NaN, Infinity, -Infinity."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for scalars in series:
        tag = text_cell(scalars.tag)
        for point in scalars:
            writer.writerow((tag, point.step, number_text(point.wall_time), number_text(point.value)))
    text.detach().flush()


def number_text(number: float) -> str:
    """Return the shortest text that parses to the same float64."""
    text = repr(number)
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text, text)


def write_parquet(series: Iterable[Scalars], file: BinaryIO) -> None:
    """Write a Parquet file with a row group for each tag: tag string, step int64, wall_time float64, value.

    ``value`` is float32, or float64 if a value of any tag does not fit float32.
    """
    pyarrow, parquet = pyarrow_module(), pyarrow_module("pyarrow.parquet")
    series = list(series)
    is_wide = any(scalars.value.dtype == np.float64 for scalars in series)
    value_type = pyarrow.float64() if is_wide else pyarrow.float32()
    types = (pyarrow.string(), pyarrow.int64(), pyarrow.float64(), value_type)
    schema = pyarrow.schema([pyarrow.field(name, type) for name, type in zip(COLUMNS, types, strict=True)])
    with parquet.ParquetWriter(file, schema) as writer:
        for scalars in series:
            tag = np.full(len(scalars), scalars.tag, dtype=object)
            columns = [
                tag,
                scalars.step,
                scalars.wall_time,
                scalars.value.astype(np.float64 if is_wide else np.float32),
            ]
            arrays = [pyarrow.array(column, type) for column, type in zip(columns, types, strict=True)]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
