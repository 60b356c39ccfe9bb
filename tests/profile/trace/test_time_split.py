# SPDX-License-Identifier: Apache-2.0
"""Splits of time, against a count of every nanosecond."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.trace.nesting import busy
from mindscope.profile.trace.time_split import Intervals, covered, masked, split_time, union

spans = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=8)
windows = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20)), max_size=4)


def intervals_of(found: list[tuple[int, int]]) -> Intervals:
    start, duration = (np.array([each[place] for each in found], np.int64) for place in range(2))
    return masked(start, duration, np.ones(len(found), np.bool_))


def moments(found: list[tuple[int, int]]) -> set[int]:
    return {moment for start, duration in found for moment in range(start, start + duration)}


@given(spans, windows)
def test_unions_cover_each_moment_once(found: list[tuple[int, int]], places: list[tuple[int, int]]) -> None:
    starts, ends = union(intervals_of(found))
    assert (ends[:-1] < starts[1:]).all()
    assert (ends > starts).all()
    begins, finishes = intervals_of(places)
    got = covered((starts, ends), begins, finishes).tolist()
    assert got == [len(moments(found) & moments([place])) for place in places]


@given(spans)
def test_busy_time_is_the_length_of_the_union(found: list[tuple[int, int]]) -> None:
    starts, ends = union(intervals_of(found))
    durations = np.array([duration for _, duration in found], np.int64)
    assert (ends - starts).sum() == busy(np.array([start for start, _ in found], np.int64), durations)
    assert (ends - starts).sum() == len(moments(found))


@given(st.lists(spans, max_size=4), windows)
def test_each_moment_counts_for_the_first_layer(
    layers: list[list[tuple[int, int]]], places: list[tuple[int, int]]
) -> None:
    begins, finishes = intervals_of(places)
    got = [part.tolist() for part in split_time([intervals_of(layer) for layer in layers], begins, finishes)]
    want: list[list[int]] = []
    taken: set[int] = set()
    for layer in layers:
        want.append([len((moments(layer) - taken) & moments([place])) for place in places])
        taken |= moments(layer)
    want.append([len(moments([place]) - taken) for place in places])
    assert got == want
