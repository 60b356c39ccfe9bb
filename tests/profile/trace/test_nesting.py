# SPDX-License-Identifier: Apache-2.0
"""Nesting of slices, against the definition, and against the tables of torch."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.trace._nesting import lift
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.nesting import busy, nesting_of
from mindscope.profile.trace.trace import Slices

spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20), st.integers(0, 2)), max_size=30)


def slices_of(found: list[tuple[int, int, int]]) -> Slices:
    start, duration, track = (np.array([each[place] for each in found], np.int64) for place in range(3))
    none = np.zeros(len(found), np.uint32)
    return Slices(start, duration, none, none, track.astype(np.uint32), none.astype(np.int64) - 1, none)


@given(spans)
def test_no_slice_hides_another(found: list[tuple[int, int, int]]) -> None:
    nesting = nesting_of(slices_of(found))
    for one in range(len(found)):
        for other in range(one):
            (start, duration, track), (begin, length, lane) = found[one], found[other]
            if track == lane and start < begin + length and begin < start + duration:
                assert nesting.row[one] != nesting.row[other]


@given(spans)
def test_parents_contain_their_children_and_nothing_closer_does(found: list[tuple[int, int, int]]) -> None:
    nesting = nesting_of(slices_of(found))
    ends = [start + duration for start, duration, _ in found]
    position = {int(row): place for place, row in enumerate(nesting.order)}
    for child, parent in enumerate(nesting.parent.tolist()):
        start, _, track = found[child]
        around = [
            row
            for row, (begin, length, lane) in enumerate(found)
            if lane == track and position[row] < position[child] and begin + length > start
            and begin <= start and begin + length >= ends[child]
        ]  # fmt: skip
        assert (parent == -1) == (not around)
        if around:
            assert parent == max(around, key=lambda row: position[row])
            assert nesting.row[child] > nesting.row[parent]


@given(spans)
def test_times_without_children_sum_to_the_whole(found: list[tuple[int, int, int]]) -> None:
    slices = slices_of(found)
    nesting = nesting_of(slices)
    assert (nesting.own >= 0).all()
    for track in range(3):
        rows = np.flatnonzero(slices.track == track)
        union = len({tick for row in rows for tick in range(found[row][0], sum(found[row][:2]))})
        assert busy(slices.start[rows], slices.duration[rows]) == union
        if not nesting.overlaps:
            assert nesting.own[rows].sum() == union


def test_two_kernels_that_overlap_get_two_rows() -> None:
    nesting = nesting_of(slices_of([(0, 10, 0), (8, 10, 0), (20, 5, 0), (21, 2, 0)]))
    assert nesting.row.tolist() == [0, 1, 0, 1]
    assert nesting.parent.tolist() == [-1, -1, -1, 2]
    assert nesting.overlaps == 1


@given(spans, st.data())
def test_parents_that_are_left_out_are_replaced_by_their_nearest_ancestors(
    found: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    nesting = nesting_of(slices_of(found))
    kept = data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    lifted = nesting.parent.copy()
    lift(lifted, np.array(kept, np.uint8), nesting.order)
    for row, got in enumerate(lifted.tolist()):
        want = int(nesting.parent[row])
        while want >= 0 and not kept[want]:
            want = int(nesting.parent[want])
        assert got == want


def test_a_deep_stack_is_read() -> None:
    deep = [(number, 20_000 - 2 * number, 0) for number in range(6000)]
    nesting = nesting_of(slices_of(deep))
    assert nesting.row.max() >= 4000
    assert len(nesting.row) == 6000


@pytest.mark.framework
def test_own_times_are_those_of_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    network = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        for _ in range(3):
            network(torch.randn(2, 5, 16)).sum().backward()
    file = tmp_path / "t.json"
    profiler.export_chrome_trace(str(file))
    trace = read_json_trace(file)
    own: dict[str, float] = defaultdict(float)
    counts: dict[str, int] = defaultdict(int)
    nesting = nesting_of(trace.slices)
    for name, category, nanoseconds in zip(
        trace.slices.name.tolist(), trace.slices.category.tolist(), nesting.own.tolist(), strict=True
    ):
        if trace.categories[category] == "cpu_op":
            own[trace.names[name]] += nanoseconds / 1000
            counts[trace.names[name]] += 1
    table = {entry.key: entry for entry in profiler.key_averages()}
    assert set(own) <= set(table)
    for name, count in counts.items():
        assert table[name].count <= count  # torch joins an operator with an only child of the same name
        assert own[name] == pytest.approx(table[name].self_cpu_time_total, abs=0.01 * count + 1e-6)
