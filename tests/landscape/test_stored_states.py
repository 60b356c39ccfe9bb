# SPDX-License-Identifier: Apache-2.0
"""States above a limit of memory are in files, which are gone afterwards."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from mindscope.landscape.planes import path_plane
from mindscope.landscape.stored_states import stored_states


def test_states_above_the_limit_are_mapped_and_give_the_same_plane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    want = np.cumsum(np.random.default_rng(0).standard_normal((5, 300)), axis=0).astype(np.float32)
    with stored_states(iter(want), memory_limit=2 * want[0].nbytes) as states:
        assert [isinstance(each, np.memmap) for each in states] == [False, False, True, True, True]
        plane, expected = path_plane(states, [(300,)]), path_plane(want, [(300,)])
        np.testing.assert_array_equal(plane.v, expected.v)
        np.testing.assert_array_equal(plane.project(states).coordinates, expected.project(want).coordinates)
    assert list(tmp_path.iterdir()) == []
