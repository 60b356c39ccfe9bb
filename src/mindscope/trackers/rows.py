# SPDX-License-Identifier: Apache-2.0
"""Collects rows in the order of a log, as columns of the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.kinds.tensorboard_plugins import EXPERIMENT_TAG, START_TAG
from mindscope.formats.scan import Scanned, narrowest
from mindscope.formats.time_range import TimeRange
from mindscope.trackers._number_rows import NumberRows
from mindscope.types import Kind

_Columns = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
_References = tuple[list[int], list[float], list[int], list[int]]


def _no_references() -> _References:
    return [], [], [], []


class RowCollector:
    """Scalars and references to other values, by tag. ``records`` counts what was read."""

    def __init__(self, tags: Iterable[str] = ()) -> None:
        """``tags`` are those of numbers in earlier rows."""
        self.records = 0
        self.numbers = NumberRows(tags)
        self._columns: defaultdict[str, list[_Columns]] = defaultdict(list)
        self._references: defaultdict[tuple[Kind, str], _References] = defaultdict(_no_references)

    def add_scalar(self, tag: str, step: int, wall_time: float, value: float) -> None:
        """Add a number; ``wall_time`` is in seconds since 1970."""
        self.numbers.add(tag, step, wall_time, value)

    def add_scalars(
        self, tag: str, steps: NDArray[np.int64], wall_times: NDArray[np.float64], values: NDArray[np.float64]
    ) -> None:
        """Add many numbers of a tag."""
        self._close()
        self._columns[tag].append((steps, wall_times, values))

    def add_reference(self, kind: Kind, tag: str, step: int, wall_time: float, offset: int, length: int) -> None:
        """Add a value of another kind, which ``Tracker.value`` reads later.

        The start of a session of hyperparameters is an experiment too.
        """
        if tag == START_TAG:
            self.add_reference(kind, EXPERIMENT_TAG, step, wall_time, offset, length)
        for column, value in zip(self._references[kind, tag], (step, wall_time, offset, length), strict=True):
            column.append(value)  # pyright: ignore[reportArgumentType]

    def _close(self) -> None:
        """Make columns of the single numbers so far."""
        for tag, columns in self.numbers.take().items():
            self._columns[tag].append(columns)

    def take(self) -> Scanned:
        """Return everything that was added."""
        self._close()
        scalars = {tag: _joined(parts) for tag, parts in self._columns.items()}
        references = {
            key: {
                "step": np.array(steps, np.int64),
                "wall_time": np.array(times, np.float64),
                "offset": np.array(offsets, np.int64),
                "length": np.array(lengths, np.int64),
            }
            for key, (steps, times, offsets, lengths) in self._references.items()
        }
        ranges = [
            *(TimeRange.of(Kind.SCALAR, rows, tag) for tag, rows in scalars.items()),
            *(TimeRange.of(kind, rows, tag) for (kind, tag), rows in references.items()),
        ]
        return Scanned(self.records, scalars, references, TimeRange.union(ranges))


def _joined(parts: list[_Columns]) -> dict[str, NDArray[Any]]:
    steps, times, values = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))
    return {"step": steps, "wall_time": times, "value": narrowest(values)}
