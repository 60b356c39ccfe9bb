# SPDX-License-Identifier: Apache-2.0
"""How far the values of a stretch reach."""

from __future__ import annotations

import numpy as np

from mindscope.formats.scan import Scanned
from mindscope.ingest.extent import Extent
from mindscope.types import Kind


def rows(*steps: int) -> dict[str, np.ndarray]:
    return {"step": np.array(steps, np.int64), "wall_time": 100.0 + np.array(steps, np.float64)}


def test_times_are_of_all_values_and_steps_of_those_that_tell_the_progress() -> None:
    references = {(Kind.GRAPH, "graph"): rows(900), (Kind.IMAGE, "a"): rows(2, 7), (Kind.LANDSCAPE, "l"): rows(-5)}
    assert Extent.of(Scanned(1, {"a": rows(3, 1)}, references)) == Extent(95.0, 1000.0, 7)


def test_nothing_reaches_nowhere() -> None:
    assert Extent.of(Scanned()) == Extent(None, None, None)
    assert Extent.of(Scanned(1, {"a": rows()}, {})) == Extent(None, None, None)
