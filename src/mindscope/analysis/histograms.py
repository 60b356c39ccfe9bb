# SPDX-License-Identifier: Apache-2.0
"""Merges the histograms of neighboring steps, so that a long series fits into a given number of rows."""

from __future__ import annotations

from dataclasses import dataclass

from mindscope.analysis.stored_values import StoredValues
from mindscope.errors import FormatError
from mindscope.reasons import Reason, reason_of
from mindscope.stats import group_steps, merge_histograms
from mindscope.types import Histogram

ROW_BYTES = 512
"""Approximate memory of a merged histogram without its buckets."""


@dataclass(frozen=True, slots=True)
class MergedHistogram:
    """The histogram of several steps; None if none of them can be read.

    ``unreadable`` counts the steps that can't be read; ``problem`` is the reason of the first one.
    """

    histogram: Histogram | None
    unreadable: int = 0
    problem: Reason | None = None

    @property
    def nbytes(self) -> int:
        """Memory in bytes."""
        return ROW_BYTES + (0 if self.histogram is None else 3 * self.histogram.count.nbytes)


@dataclass(frozen=True, slots=True)
class StepGroups:
    """The rows of a series from ``start`` to ``stop`` in groups of ``steps_per_group`` or, at the ends, fewer."""

    groups: list[slice]
    steps_per_group: int
    start: int
    stop: int

    @property
    def settled(self) -> int:
        """The number of groups that stay as they are when the series grows."""
        return len(self.groups) - (1 if self.stop % self.steps_per_group else 0)


@dataclass(frozen=True, slots=True)
class HistogramRow:
    """One histogram of the steps ``step`` to ``last_step``, which has ``steps`` values in the log.

    Wall times are in seconds since 1970. ``histogram`` is None if no value can be read, ``unreadable`` counts the
    values that can't, and ``problem`` says why the first one can't.
    """

    step: int
    last_step: int
    wall_time: float
    last_wall_time: float
    steps: int
    histogram: Histogram | None
    unreadable: int
    problem: str | None


def step_groups(start: int, stop: int, rows: int) -> StepGroups:
    """Return at most ``rows`` groups of 1, 2, 4, 8, .. neighbors. Raises ValueError if ``rows`` is less than 2."""
    groups = group_steps(start, stop, rows)
    largest = max((group.stop - group.start for group in groups), default=0)
    return StepGroups(groups, 1 << max(largest - 1, 0).bit_length(), start, stop)


def merge_steps(found: StoredValues, group: slice, buckets: int) -> MergedHistogram:
    """Return the histogram of a group of steps, in at most ``buckets`` buckets.

    A single readable step keeps the buckets of the log.
    """
    histograms: list[Histogram] = []
    problems: list[Reason] = []
    for row in range(group.start, group.stop):
        try:
            histograms.append(found.read(found.references, row))
        except FormatError as error:
            problems.append(reason_of(error))
    merged = histograms[0] if len(histograms) == 1 else merge_histograms(histograms, buckets) if histograms else None
    return MergedHistogram(merged, len(problems), problems[0] if problems else None)


def histogram_rows(found: StoredValues, rows: int, buckets: int) -> list[HistogramRow]:
    """Return all histograms of a tag in at most ``rows`` rows; the sum of the counts stays."""
    return [_row(found, group, buckets) for group in step_groups(0, len(found.references), rows).groups]


def _row(found: StoredValues, group: slice, buckets: int) -> HistogramRow:
    merged, references, last = merge_steps(found, group, buckets), found.references, group.stop - 1
    return HistogramRow(
        step=int(references.step[group.start]),
        last_step=int(references.step[last]),
        wall_time=float(references.wall_time[group.start]),
        last_wall_time=float(references.wall_time[last]),
        steps=group.stop - group.start,
        histogram=merged.histogram,
        unreadable=merged.unreadable,
        problem=None if merged.problem is None else str(merged.problem),
    )
