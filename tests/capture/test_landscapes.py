# SPDX-License-Identifier: Apache-2.0
"""Landscapes as recorded, with the facts about their computation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.capture.landscapes import landscape_message
from mindscope.types import Landscape, LandscapeFacts

SIDE = np.linspace(-1, 1, 5)
MASK = np.arange(15).reshape(3, 5) % 2 == 0
FACTS = LandscapeFacts(
    method="pca",
    path_distances=np.array([0.25, 0.0]),
    path_lengths=np.array([4.0, 0.0]),
    explained_variance=(0.75, 0.125),
    evaluated=MASK,
    normalization="re_estimated",
    num_samples=128,
    seed=0,
    evaluation="grouped",
    dtype="bfloat16",
    dtype_error=0.001,
    seconds=2.5,
    points_done=8,
    points_total=15,
    seconds_left=2.0,
)
LANDSCAPE = Landscape(
    SIDE, SIDE[:3], np.zeros((3, 5)), (1, 2), SIDE[:2], SIDE[:2], SIDE[:2], (0.0, 0.0, 0.5), "PCA", "step", 4, FACTS
)


def recorded(path: Path, value: object) -> Landscape:
    with mindscope.SummaryRecord(path) as record:
        record.add_value("landscape", "mine", value)
        record.record(0)
    return mindscope.open_run(path).landscapes()["mine"]


def test_facts_are_read_as_recorded(tmp_path: Path) -> None:
    read = recorded(tmp_path, LANDSCAPE)
    assert read.facts is not None
    for name in FACTS.__slots__:
        np.testing.assert_array_equal(getattr(read.facts, name), getattr(FACTS, name), name)
    np.testing.assert_array_equal(read.path_x, SIDE[:2])


@pytest.mark.parametrize("facts", [None, LandscapeFacts(), LandscapeFacts(seed=-1, points_total=9)])
def test_unknown_facts_stay_unknown(tmp_path: Path, facts: LandscapeFacts | None) -> None:
    assert recorded(tmp_path, replace(LANDSCAPE, facts=facts)).facts == facts


def test_facts_of_another_size_do_not_cost_the_landscape(tmp_path: Path) -> None:
    message = landscape_message(LANDSCAPE)
    message["facts"] |= {"path_distances": [1.0, 2.0, 3.0], "evaluated": b"\xff"}
    read = recorded(tmp_path, message)
    assert read.facts is not None
    assert (read.facts.path_distances, read.facts.evaluated) == (None, None)
    assert read.facts.path_lengths is not None
    assert read.z.shape == (3, 5)
