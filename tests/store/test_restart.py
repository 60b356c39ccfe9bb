# SPDX-License-Identifier: Apache-2.0
"""The restart rule: the examples it is told by, and a reference that goes through the points one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.store.restart import visible_rows

Points = list[tuple[int, int]]
"""(file, step) in the order of writing."""


def visible_steps(points: Points) -> list[int]:
    rows = visible_rows(
        np.array([step for _, step in points], np.int64), np.array([file for file, _ in points], np.int64)
    )
    return [points[row][1] for row in rows]


def one_by_one(points: Points) -> list[int]:
    """Row numbers that are left when each point in turn replaces its equal and hides larger ones of older files."""
    shown: list[int] = []
    for row, (file, step) in enumerate(points):
        shown = [
            other
            for other in shown
            if points[other][1] != step and not (points[other][1] > step and points[other][0] < file)
        ]
        shown.append(row)
    return sorted(shown, key=lambda row: points[row][1])


OLD = [(0, step) for step in (2, 3, 4, 5, 6, 7, 8, 9, 1)]


@pytest.mark.parametrize(
    ("points", "want"),
    [
        (OLD, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ([*OLD, (1, 5), (1, 10)], [1, 2, 3, 4, 5, 10]),
        ([*OLD, (1, 5), (1, 10), (1, 7), (1, 11), (1, 3)], [1, 2, 3, 5, 7, 10, 11]),
        ([(0, step) for step in (1, 3, 5, 7, 9, 2, 3, 4, 15)], [1, 2, 3, 4, 5, 7, 9, 15]),
        ([], []),
        ([(0, -3), (0, 0), (0, -3)], [-3, 0]),
    ],
)
def test_examples(points: Points, want: list[int]) -> None:
    assert visible_steps(points) == want


def test_the_last_of_equal_steps_is_shown() -> None:
    rows = visible_rows(np.array([1, 2, 2, 2, 3]), np.zeros(5, np.int64))
    assert rows.tolist() == [0, 3, 4]


POINTS = st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 12)), max_size=40)


@given(POINTS)
def test_agrees_with_going_through_the_points_one_by_one(points: Points) -> None:
    by_age = sorted(points, key=lambda point: point[0])
    rows = visible_rows(
        np.array([step for _, step in by_age], np.int64), np.array([file for file, _ in by_age], np.int64)
    )
    assert rows.tolist() == one_by_one(by_age)


@given(POINTS)
def test_does_not_depend_on_when_the_files_were_read(points: Points) -> None:
    step, file = np.array([step for _, step in points], np.int64), np.array([file for file, _ in points], np.int64)
    by_age = np.argsort(file, kind="stable")
    assert visible_rows(step, file).tolist() == by_age[visible_rows(step[by_age], file[by_age])].tolist()
