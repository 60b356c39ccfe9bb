# SPDX-License-Identifier: Apache-2.0
"""Traces of formats that are no JSON: slices with their arguments as columns, in the categories of PyTorch's traces.

So the links, tables and advice of traces of PyTorch hold for them too: a launch and its kernel have the same
``correlation``, an operator contains its launches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import STEP_CATEGORY
from mindscope.table.columns import TextColumn

OPERATOR, ANNOTATION, LAUNCH, FRAME = "cpu_op", "user_annotation", "cuda_runtime", "python_function"
KERNEL, COPY, SET = "kernel", "gpu_memcpy", "gpu_memset"
LINK = "ac2g"
"""Category of the arrows from launches to kernels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRuns:
    """Columns of n slices of one category, in the order of the file; times are nanoseconds of any one clock."""

    category: str
    start: NDArray[np.int64]
    duration: NDArray[np.int64]
    name: TextColumn
    track: NDArray[np.int64]
    """Into the tracks of the recording."""
    integers: Mapping[str, NDArray[np.int64]] = field(default_factory=dict[str, NDArray[np.int64]])
    """Arguments by the names that Kineto gives them; ``NO_INTEGER`` for none."""
    numbers: Mapping[str, NDArray[np.float64]] = field(default_factory=dict[str, NDArray[np.float64]])
    texts: Mapping[str, TextColumn] = field(default_factory=dict[str, TextColumn])
    offset: NDArray[np.int64] | None = None
    """Position of all arguments of a slice, for the reader of arguments of the format; None if it has none."""
    size: NDArray[np.uint32] | None = None
    is_derived: bool = False
    """Whether they are no events of the file, and do not count as read."""

    def __len__(self) -> int:
        return len(self.start)

    def select(self, mask: NDArray[np.bool_]) -> RecordedRuns:
        """Return the slices where the mask is True."""
        return self if mask.all() else self._select(mask)

    def of_category(self, category: str) -> RecordedRuns:
        """Return the same slices in another category."""
        return replace(self, category=category)

    def named(self, name: TextColumn) -> RecordedRuns:
        """Return the same slices with other names."""
        return replace(self, name=name)

    def with_arguments(
        self, integers: Mapping[str, NDArray[np.int64]], texts: Mapping[str, TextColumn]
    ) -> RecordedRuns:
        """Return the same slices with further arguments."""
        return replace(self, integers={**self.integers, **integers}, texts={**self.texts, **texts})

    def as_read(self) -> RecordedRuns:
        """Return the same slices as events of the file."""
        return replace(self, is_derived=False)

    def _select(self, mask: NDArray[np.bool_]) -> RecordedRuns:
        return replace(
            self,
            start=self.start[mask],
            duration=self.duration[mask],
            name=self.name.select(mask),
            track=self.track[mask],
            integers={name: column[mask] for name, column in self.integers.items()},
            numbers={name: column[mask] for name, column in self.numbers.items()},
            texts={name: column.select(mask) for name, column in self.texts.items()},
            offset=None if self.offset is None else self.offset[mask],
            size=None if self.size is None else self.size[mask],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMarks:
    """Columns of m moments."""

    time: NDArray[np.int64]
    name: TextColumn
    track: NDArray[np.int64]
    integers: Mapping[str, NDArray[np.int64]] = field(default_factory=dict[str, NDArray[np.int64]])

    def select(self, mask: NDArray[np.bool_]) -> RecordedMarks:
        """Return the moments where the mask is True."""
        return RecordedMarks(
            time=self.time[mask],
            name=self.name.select(mask),
            track=self.track[mask],
            integers={name: column[mask] for name, column in self.integers.items()},
        )


def step_runs(number: NDArray[np.int64], runs: RecordedRuns) -> RecordedRuns:
    """Return the marks of steps as PyTorch names them, over slices that the program named otherwise."""
    return RecordedRuns(
        category=STEP_CATEGORY,
        start=runs.start,
        duration=runs.duration,
        name=TextColumn.of(f"ProfilerStep#{each}" for each in number.tolist()),
        track=runs.track,
        offset=runs.offset,
        size=runs.size,
        is_derived=True,
    )
