# SPDX-License-Identifier: Apache-2.0
"""How far values reach."""

from __future__ import annotations

import numpy as np

from mindscope.formats.extent import NOWHERE, Extent
from mindscope.types import Kind


def rows(*steps: int) -> dict[str, np.ndarray]:
    return {"step": np.array(steps, np.int64), "wall_time": 100.0 + np.array(steps, np.float64)}


def test_times_are_of_all_values_and_steps_of_those_that_tell_the_progress() -> None:
    series = [(Kind.GRAPH, rows(900)), (Kind.IMAGE, rows(2, 7)), (Kind.LANDSCAPE, rows(-5)), (Kind.SCALAR, rows(3, 1))]
    assert Extent.union(Extent.of(*each) for each in series) == Extent(95.0, 1000.0, 7)


def test_nothing_reaches_nowhere() -> None:
    assert Extent.union([]) == Extent.union([NOWHERE, NOWHERE]) == Extent(None, None, None)
    assert Extent.union([NOWHERE, Extent(1.0, 2.0, None)]) == Extent(1.0, 2.0, None)
