# SPDX-License-Identifier: Apache-2.0
"""``statistic.csv`` of every version: one row for each tensor, columns by their names.

``Negative Zero Count`` counts the elements below zero, ``Positive Zero Count`` those above, ``Zero Count`` both zeros.
Up to r2.2, extremes and average are of the finite elements. Later, one NaN makes them NaN and infinities take part. So
there, finite extremes say that all elements are finite, and others that there is at least one NaN or infinity; then
that count is 1 where the file has none. A revision between writes ``L2 Value``: its average of more than 10,000
elements is wrong, and its extremes may hide a NaN.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.extremes import counts_from_extremes
from mindscope.debug.formats.mindspore_dump.file_names import LONGEST_NAME, DumpName
from mindscope.debug.formats.shapes import is_possible_shape
from mindscope.debug.formats.stored_array import digest_of_text
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.tensors import Role
from mindscope.formats.text_lines import csv_rows
from mindscope.reasons import Reason

_FIXED = ("op type", "op name", "timestamp", "io", "slot")
_CHUNK = 10_000
_HASHES = ("md5", "sha1", "hash", "hash:sha1", "hash:md5")
_ROLES = {"input": Role.INPUT, "output": Role.OUTPUT}
_LONGEST_LINE = 1 << 20
MOST_ROWS = 250_000
"""Limit of the rows of a step; they take 0.5 GB in memory."""


class StatisticRow(NamedTuple):
    """One line of the file."""

    name: DumpName
    values: NDArray[np.float64]
    digest: int


class _Generation(Enum):
    FINITE = "finite"  # r1.6 to r2.2
    CHUNKED = "chunked"  # between
    ALL = "all"  # r2.3.1 and later


def read_statistics(path: Path, problems: Problems) -> Iterator[StatisticRow]:
    """Yield the rows of a file; those that can't be read are counted in a problem. Raises OSError."""
    skipped = 0
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header: list[str] = []
        generation = _Generation.ALL
        given = 0
        for cells in csv_rows(file, _LONGEST_LINE):
            if cells is None:
                skipped += 1
                continue
            if not any(cell.strip() for cell in cells):
                continue
            if not header or cells[0].strip().lower() == _FIXED[0]:
                generation, header = _generation(cells), [cell.strip().lower() for cell in cells]
                if not set(_FIXED) <= set(header):
                    problems.note(path, Reason("debug_columns_missing", file=path.name, columns=", ".join(_FIXED)))
                    return
                continue
            row = _row(dict(zip(header, (cell.strip() for cell in cells), strict=False)), generation)
            if row is None:
                skipped += 1
            elif given == MOST_ROWS:
                problems.note(path, Reason("debug_entries_left", file=path.name, most=MOST_ROWS))
                break
            else:
                given += 1
                yield row
    if skipped:
        problems.note(path, Reason("debug_rows_skipped", file=path.name, count=skipped))


def _generation(header: list[str]) -> _Generation:
    names = {cell.strip() for cell in header}
    if "L2 Value" in names:
        return _Generation.CHUNKED
    return _Generation.FINITE if "NaN Count" in names else _Generation.ALL


def _row(cells: Mapping[str, str], generation: _Generation) -> StatisticRow | None:
    role = _ROLES.get(cells.get("io", "").lower())
    try:
        slot, timestamp = int(cells["slot"]), int(cells["timestamp"])
        shape = _shape(cells.get("shape", ""))
        task, stream = int(cells.get("task id") or 0), int(cells.get("stream id") or 0)
    except (KeyError, ValueError):
        return None
    if role is None or not 0 < len(cells["op name"]) <= LONGEST_NAME:
        return None
    name = DumpName(
        cells["op type"], cells["op name"], timestamp, role, slot, task, stream,
        dtype=cells.get("data type", "").lower(), shape=shape,
    )  # fmt: skip
    digest = next((digest_of_text(cells[hash_]) for hash_ in _HASHES if cells.get(hash_)), 0)
    return StatisticRow(name, _values(cells, shape, generation), digest)


def _shape(text: str) -> tuple[int, ...] | None:
    """Read a shape such as ``(32,96,55,55)``, ``[32 96]``, ``()``; None for an empty text. Raises ValueError."""
    if not text or not re.fullmatch(r"[(\[][\d,; ]*[)\]]", text, re.ASCII):
        return None
    sizes = tuple(int(size) for size in re.findall(r"\d+", text))
    if not is_possible_shape(sizes):
        raise ValueError(f"no tensor has the shape {text}")
    return sizes


def _values(cells: Mapping[str, str], shape: tuple[int, ...] | None, generation: _Generation) -> NDArray[np.float64]:
    found = dict.fromkeys(FIELDS, math.nan)
    count = _count(cells, "count")
    found[Field.COUNT] = float(math.prod(shape)) if math.isnan(count) and shape is not None else count
    found[Field.NAN] = _count(cells, "nan count")
    found[Field.POSITIVE_INF] = _count(cells, "positive inf count")
    found[Field.NEGATIVE_INF] = _count(cells, "negative inf count")
    least, largest = _number(cells, "min value"), _number(cells, "max value")
    if generation is _Generation.ALL:
        _infer_counts(found, cells, least, largest)
    found[Field.MIN], found[Field.MAX] = _finite(least), _finite(largest)
    found[Field.ZERO] = _count(cells, "zero count")
    below, above = _count(cells, "negative zero count"), _count(cells, "positive zero count")
    takes_infinities = generation is not _Generation.FINITE
    found[Field.BELOW_ZERO] = below - found[Field.NEGATIVE_INF] if takes_infinities else below
    found[Field.ABOVE_ZERO] = above - found[Field.POSITIVE_INF] if takes_infinities else above
    _add_sums(found, cells, generation)
    values = np.full(len(FIELDS), math.nan)
    for field, value in found.items():
        values[COLUMN[field]] = value
    return values


def _infer_counts(found: dict[Field, float], cells: Mapping[str, str], least: float, largest: float) -> None:
    """Infer NaN and infinities from extremes over all elements, where the file has no counts of them."""
    if not {"min value", "max value"} <= cells.keys() or "null" in (cells["min value"], cells["max value"]):
        return
    for field, value in counts_from_extremes(least, largest).items():
        if math.isnan(found[field]):
            found[field] = value


def _add_sums(found: dict[Field, float], cells: Mapping[str, str], generation: _Generation) -> None:
    not_finite = found[Field.NAN] + found[Field.POSITIVE_INF] + found[Field.NEGATIVE_INF]
    finite = found[Field.COUNT] - not_finite
    average, norm = _number(cells, "avg value"), _number(cells, "l2norm value", "l2 value")
    is_average_right = generation is not _Generation.CHUNKED or found[Field.COUNT] <= _CHUNK
    if is_average_right and (generation is _Generation.FINITE or not_finite == 0):
        found[Field.SUM] = _finite(average * finite)
    if math.isfinite(norm) and abs(norm) < 1e154 and not_finite == 0:
        found[Field.SUM_SQUARES] = norm * norm


def _number(cells: Mapping[str, str], *names: str) -> float:
    """Return the first cell of these names; NaN for none, ``null`` or other texts. True and False are 1 and 0."""
    for name in names:
        text = cells.get(name, "").lower()
        if text in ("true", "false"):
            return float(text == "true")
        try:
            return float(text)
        except ValueError:
            continue
    return math.nan


def _count(cells: Mapping[str, str], name: str) -> float:
    value = _number(cells, name)
    return value if 0 <= value < math.inf else math.nan


def _finite(value: float) -> float:
    return value if math.isfinite(value) else math.nan
