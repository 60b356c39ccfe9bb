# SPDX-License-Identifier: Apache-2.0
"""The restart rule: the examples it is told by, and a reference that goes through the points one by one."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.store.restart import Visible, sessions_of, visible_rows

SeriesPoints = list[tuple[int, int]]
"""(file, step) in the order of writing."""


EACH_ITS_OWN = (0, 1, 2, 3)


def visible(points: SeriesPoints, sessions: Sequence[int] = EACH_ITS_OWN, rewinding: Sequence[int] = ()) -> Visible:
    step, file = np.array([step for _, step in points], np.int64), np.array([file for file, _ in points], np.int64)
    rewinds = np.array([each in rewinding for each in range(4)])
    return visible_rows(step, file, np.array(sessions, np.int64), rewinds)


def visible_steps(points: SeriesPoints) -> list[int]:
    return [points[row][1] for row in visible(points).rows.tolist()]


def run_serially(points: SeriesPoints, sessions: Sequence[int], rewinding: Sequence[int]) -> list[int]:
    """Row numbers that are left when each point in turn replaces its equal and hides larger ones of older sessions."""
    shown: list[int] = []
    for row, (file, step) in enumerate(points):
        shown = [
            other
            for other in shown
            if not (points[other][1] >= step and sessions[points[other][0]] < sessions[file])
            and points[other] != (file, step)
            and not (points[other][0] == file and file in rewinding and points[other][1] > step)
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
def test_examples(points: SeriesPoints, want: list[int]) -> None:
    assert visible_steps(points) == want


def test_the_last_of_equal_steps_is_shown() -> None:
    found = visible_rows(np.array([1, 2, 2, 2, 3]), np.zeros(5, np.int64))
    assert found.rows.tolist() == [0, 3, 4]
    assert (found.overwritten, found.repeated) == (0, 2)


def test_points_of_writers_at_one_time_are_all_shown() -> None:
    points = [(0, 0), (0, 2), (0, 4), (1, 1), (1, 2), (1, 5), (2, 0), (2, 3)]
    found = visible(points, sessions=(0, 0, 0, 1))
    assert [points[row][1] for row in found.rows.tolist()] == [0, 0, 1, 2, 2, 3, 4, 5]
    assert (found.overwritten, found.repeated) == (0, 0)
    restarted = visible([*points, (3, 2), (3, 3)], sessions=(0, 0, 0, 1))
    assert [([*points, (3, 2), (3, 3)])[row] for row in restarted.rows.tolist()] == [
        (0, 0), (2, 0), (1, 1), (3, 2), (3, 3),
    ]  # fmt: skip
    assert restarted.overwritten == 5


def test_a_file_that_rewinds_hides_its_own_larger_steps() -> None:
    points = [(0, step) for step in (1, 2, 3, 4, 2, 3, 9)]
    found = visible(points, rewinding=(0,))
    assert found.rows.tolist() == [0, 4, 5, 6]
    assert (found.overwritten, found.repeated) == (2, 1)


@pytest.mark.parametrize(
    ("spans", "want"),
    [
        ([(0, 5), (6, 9)], [0, 1]),
        ([(0, 5), (4, 9)], [0, 0]),
        ([(0, 5), (5, 9)], [0, 1]),  # the first may have ended because the second began
        ([(0, 9), (1, 2), (3, 4), (10, 11)], [0, 0, 0, 1]),
        ([(0, 5), (5, 9), (1, 6)], [0, 0, 0]),  # a writer that began a second file beside another one
        ([(6, 9), (0, 5)], [0, 1]),  # age is that of the files' names
        ([(nan, nan), (0, 5), (nan, nan)], [0, 1, 2]),
        ([(3, 3), (1, 4)], [0, 0]),
    ],
)
def test_files_that_overlap_in_time_are_of_one_session(spans: list[tuple[float, float]], want: list[int]) -> None:
    first, last = (np.array(column, np.float64) for column in zip(*spans, strict=True))
    assert sessions_of(first, last).tolist() == want


POINTS = st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 12)), max_size=40)


SESSIONS = st.sampled_from([EACH_ITS_OWN, (0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 2)])


@given(POINTS, SESSIONS, st.sets(st.integers(0, 3)))
def test_agrees_with_going_through_the_points_one_by_one(
    points: SeriesPoints, sessions: Sequence[int], rewinding: set[int]
) -> None:
    by_age = sorted(points, key=lambda point: (sessions[point[0]], point[0]))
    got = visible(by_age, sessions, [*rewinding])
    if [file for file, _ in by_age] == sorted(file for file, _ in by_age):
        assert got.rows.tolist() == run_serially(by_age, sessions, [*rewinding])
    assert got.rows.size + got.overwritten + got.repeated == len(points)
    assert sorted(by_age[row] for row in got.rows.tolist()) == sorted(
        by_age[row] for row in run_serially(by_age, sessions, [*rewinding])
    )


@given(POINTS)
def test_does_not_depend_on_when_the_files_were_read(points: SeriesPoints) -> None:
    step, file = np.array([step for _, step in points], np.int64), np.array([file for file, _ in points], np.int64)
    by_age = np.argsort(file, kind="stable")
    assert visible_rows(step, file).rows.tolist() == by_age[visible_rows(step[by_age], file[by_age]).rows].tolist()
