# SPDX-License-Identifier: Apache-2.0
"""How far values reach."""

from __future__ import annotations

import numpy as np

from mindscope.formats.time_range import EMPTY_RANGE, TimeRange
from mindscope.types import Kind


def rows(*steps: int) -> dict[str, np.ndarray]:
    return {"step": np.array(steps, np.int64), "wall_time": 100.0 + np.array(steps, np.float64)}


def test_times_are_of_all_values_and_steps_of_those_that_tell_the_progress() -> None:
    series = [(Kind.GRAPH, rows(900)), (Kind.IMAGE, rows(2, 7)), (Kind.LANDSCAPE, rows(-5)), (Kind.SCALAR, rows(3, 1))]
    assert TimeRange.union(TimeRange.of(*each) for each in series) == TimeRange(95.0, 1000.0, 7)


def test_nothing_reaches_nowhere() -> None:
    assert TimeRange.union([]) == TimeRange.union([EMPTY_RANGE, EMPTY_RANGE]) == TimeRange(None, None, None)
    assert TimeRange.union([EMPTY_RANGE, TimeRange(1.0, 2.0, None)]) == TimeRange(1.0, 2.0, None)


def test_descriptions_of_tensors_tell_no_progress() -> None:
    described, recorded = rows(0, 57), rows(1, 6)
    parts = [(described, "rank_0/tensors"), (recorded, "rank_0/steps")]
    ranges = [TimeRange.of(Kind.TENSOR_STATISTICS, part, tag) for part, tag in parts]
    assert [each.last_step for each in ranges] == [None, 6]
