# SPDX-License-Identifier: Apache-2.0
"""What a dashboard shows of a run."""

from __future__ import annotations

import numpy as np

from mindscope.analysis.previews import newest_landscape
from mindscope.types import Landscape

SIDE = np.linspace(-1, 1, 3)
SURFACE = Landscape(SIDE, SIDE, np.zeros((3, 3)))
WITH_PATH = Landscape(SIDE, SIDE, np.zeros((3, 3)), (1,), SIDE[:1], SIDE[:1], SIDE[:1])
LINE = Landscape(SIDE, SIDE[:1], np.zeros((1, 3)), (1,), SIDE[:1], SIDE[:1], SIDE[:1])


def chosen(**landscapes: Landscape) -> str | None:
    found = newest_landscape(landscapes)
    return None if found is None else found[0]


def test_the_newest_surface_with_a_path_comes_first() -> None:
    assert chosen(old=WITH_PATH, new=WITH_PATH, surface=SURFACE, line=LINE) == "new"
    assert chosen(old=SURFACE, new=SURFACE, line=LINE) == "new"
    assert chosen(old=LINE, new=LINE) == "new"
    assert chosen() is None
