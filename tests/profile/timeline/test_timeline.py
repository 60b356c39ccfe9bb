# SPDX-License-Identifier: Apache-2.0
"""Windows of a timeline against a scan of all slices, its cache file, arrows and counters."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.flows import flows_of
from mindscope.profile.timeline.timeline import Counter, Flows, Marks, Timeline, arrange, timeline_of
from mindscope.profile.timeline.timeline_file import open_timeline, save_timeline
from mindscope.profile.timeline.timeline_window import Range, counter_window, window_of
from mindscope.profile.trace.arguments import ArgumentFile
from mindscope.profile.trace.json_trace import read_json_trace
from mindscope.profile.trace.trace import Events, Slices, Trace, Track
from mindscope.store.column_file import ColumnFileKind, open_columns, save_columns

spans = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 90), st.integers(0, 2)), max_size=120)
NONE = np.empty(0, np.uint32)


def trace_with(found: list[tuple[int, int, int]]) -> Trace:
    start, duration, track = (np.array([each[place] for each in found], np.int64) for place in range(3))
    name = np.arange(len(found), dtype=np.uint32)
    slices = Slices(start, duration, name, name * 0, track.astype(np.uint32), name.astype(np.int64), name)
    none = NONE.astype(np.int64)
    events = Events(none, none, NONE.astype(np.uint64), NONE, NONE, NONE, NONE, NONE.astype(np.uint8))
    tracks = [Track("1", str(number)) for number in range(3)]
    return Trace(slices, events, [str(row) for row in range(len(found))], [""], tracks, None, {}, len(found))


def timeline_with(found: list[tuple[int, int, int]]) -> Timeline:
    trace, none = trace_with(found), NONE.astype(np.int64)
    no_marks = Marks(none, NONE, NONE, none, NONE)
    return timeline_of(
        trace, arrange(trace), [], no_marks, Flows(NONE.astype(np.int32), NONE.astype(np.int32), NONE, 0)
    )


@given(spans, st.integers(-50, 450), st.integers(1, 60), st.integers(1, 40))
def test_window_is_what_a_scan_finds(found: list[tuple[int, int, int]], begin: int, pixel: int, width: int) -> None:
    timeline = timeline_with(found)
    ends = [start + duration for start, duration, _ in found]
    assert timeline.time_range == (min((start for start, _, _ in found), default=0), max(ends, default=0))
    window = window_of(timeline, [0, 1, 2], Range(begin, pixel, width))
    for number, lane in enumerate(window.lanes.tolist()):
        places = range(timeline.lane_first[lane], timeline.lane_first[lane + 1])
        ends = (timeline.start + timeline.duration).tolist()
        starts, durations = timeline.start.tolist(), timeline.duration.tolist()
        wide = [
            place
            for place in places
            if durations[place] >= pixel and ends[place] > begin and starts[place] < begin + pixel * width
        ]
        assert window.wide[window.lane_wide[number] : window.lane_wide[number + 1]].tolist() == wide
        cells: dict[int, list[int]] = {}
        for place in places:
            if durations[place] < pixel and begin <= starts[place] < begin + pixel * width:
                cells.setdefault((starts[place] - begin) // pixel, []).append(place)
        mine = slice(window.lane_cells[number], window.lane_cells[number + 1])
        assert window.pixel[mine].tolist() == list(cells)
        assert window.count[mine].tolist() == [len(each) for each in cells.values()]
        assert window.busy[mine].tolist() == [sum(durations[place] for place in each) for each in cells.values()]
        longest = [max(each, key=lambda place: (durations[place], -place)) for each in cells.values()]
        assert window.longest[mine].tolist() == longest


def test_cells_of_many_slices_name_the_longest() -> None:
    rng = np.random.default_rng(3)
    durations = rng.integers(1, 100, 5000)
    starts = np.cumsum(durations + 3) - durations
    found = [(int(start), int(duration), 0) for start, duration in zip(starts, durations, strict=True)]
    timeline = timeline_with(found)
    for pixel in (200, 5000, 100_000, 1 << 20):
        window = window_of(timeline, [0], Range(0, pixel, 50))
        for cell, column in enumerate(window.pixel.tolist()):
            within = np.flatnonzero(timeline.start // pixel == column)
            assert window.longest[cell] == within[timeline.duration[within].argmax()]
            assert window.count[cell] == len(within)


@pytest.mark.parametrize(("begin", "pixel", "width"), [(0, 0, 10), (0, 1, 0), (0, 1, 20_000), (1 << 63, 1, 1)])
def test_a_range_that_no_screen_has_is_refused(begin: int, pixel: int, width: int) -> None:
    with pytest.raises(ValueError, match="want"):
        window_of(timeline_with([(0, 1, 0)]), [0], Range(begin, pixel, width))


def test_slices_below_the_deepest_row_are_counted() -> None:
    timeline = timeline_with([(place, 20_000 - 2 * place, 0) for place in range(5000)])
    assert timeline.deeper == 5000 - 4096
    window = window_of(timeline, [0], Range(0, 10_000, 1))
    assert len(window.wide) == 4096


@given(spans)
def test_a_saved_timeline_is_the_same(tmp_path_factory: Any, found: list[tuple[int, int, int]]) -> None:
    path = tmp_path_factory.mktemp("cache") / "a.timeline"
    timeline = timeline_with(found)
    counter = Counter("memory", 1, np.array([1, 2], np.int64), np.array([0.5, 1.5]), "bytes")
    timeline = replace(timeline, counters=[counter])
    save_timeline(timeline, path, "key")
    opened = open_timeline(path, "key")
    assert opened is not None
    for name in ("start", "duration", "own", "before", "name", "parent", "longest", "lane_track", "lane_first"):
        assert np.array_equal(getattr(opened, name), getattr(timeline, name)), name
    assert opened.tracks == timeline.tracks
    assert opened.names == timeline.names
    assert opened.counters[0].values.tolist() == [0.5, 1.5]
    assert open_timeline(path, "other") is None


def test_a_damaged_cache_file_is_no_timeline(tmp_path: Path) -> None:
    path = tmp_path / "a.timeline"
    save_timeline(timeline_with([(0, 3, 0), (5, 3, 1)]), path, "key")
    whole = path.read_bytes()
    for size in (0, 3, 10, 30, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert open_timeline(path, "key") is None


def test_every_damaged_byte_of_a_small_cache_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.timeline"
    save_timeline(timeline_with([(0, 3, 0), (5, 3, 1)]), path, "key")
    opened = open_timeline(path, "key")
    assert opened is not None
    whole = path.read_bytes()
    held = [whole.index(getattr(opened, name).tobytes()) for name in ("start", "longest_ns")]
    for place in (*range(0, 600, 7), *held, held[0] + 8):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        path.write_bytes(damaged)
        assert open_timeline(path, "key") is None, place


@pytest.mark.parametrize("lost", [slice(0, 4096), slice(-65_536, None), slice(1 << 20, 1 << 21)])
def test_lost_blocks_of_a_large_column_are_noticed(tmp_path: Path, lost: slice) -> None:
    path, column = tmp_path / "a.columns", np.arange(1 << 20, dtype=np.int64) + (1 << 40)
    kind = ColumnFileKind(b"TEST", 1)
    save_columns(path, kind, "key", {}, {"numbers": column})
    content = np.fromfile(path, np.uint8)
    content[-column.nbytes :][lost] = 0
    content.tofile(path)
    with pytest.raises(ValueError, match="checksum of samples"):
        open_columns(path, kind, "key")


moments = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 2)), min_size=1, max_size=40)


@given(spans, moments)
def test_arrows_are_from_and_to_the_innermost_slices(
    found: list[tuple[int, int, int]], ends: list[tuple[int, int]]
) -> None:
    """Each two moments are the ends of an arrow: at the innermost slice of their track, else at the next one."""
    time, track = (np.array([each[place] for each in ends], np.int64) for place in range(2))
    none, number = np.zeros(len(ends), np.uint32), np.arange(len(ends))
    phase = np.where(number % 2 == 0, ord("s"), ord("f")).astype(np.uint8)
    events = Events(time, none.astype(np.int64), (number // 2).astype(np.uint64), none, none, track.astype(np.uint32),
                    none, phase)  # fmt: skip
    trace = replace(trace_with(found), events=events)
    arranged = arrange(trace)

    def slice_at(moment: int, on: int) -> int:
        own = [row for row in arranged.nesting.order.tolist() if found[row][2] == on]
        begun = [row for row in own if found[row][0] <= moment]
        around = begun[-1] if begun else -1
        while around >= 0 and found[around][0] + found[around][1] < moment:
            around = int(arranged.nesting.parent[around])
        return around if around >= 0 else next((row for row in own if found[row][0] > moment), -1)

    pairs = [
        (slice_at(*ends[place]), slice_at(*ends[place + 1]))
        for place in range(0, len(ends) - 1, 2)
        if ends[place][0] <= ends[place + 1][0]
    ]
    want = [(int(arranged.index[one]), int(arranged.index[other])) for one, other in pairs if one >= 0 and other >= 0]
    got = flows_of(trace, arranged)
    assert sorted(zip(got.source.tolist(), got.target.tolist(), strict=True)) == sorted(want)


def event(phase: str, name: str, ts: float, **more: Any) -> dict[str, Any]:
    return {"ph": phase, "name": name, "pid": 1, "tid": 1, "ts": ts, "cat": "x", **more}


TRACE = [
    event("X", "outer", 0, dur=10, args={"Input Dims": [[2, 3]]}),
    event("X", "launch", 2, dur=3),
    event("X", "kernel", 20, dur=5, tid=7, args={"grid": [1, 2, 3]}),
    event("s", "ac2g", 2, id=9, cat="ac2g"),
    event("f", "ac2g", 20, id=9, cat="ac2g", tid=7, bp="e"),
    event("s", "lost", 1, id=10, cat="ac2g", tid=9),
    event("f", "lost", 20, id=10, cat="ac2g", tid=7),
    event("C", "queue", 1, args={"length": 3}),
    event("C", "queue", 4, args={"length": 7}),
    event("C", "both", 4, args={"up": 7, "down": 1, "text": "x"}),
    event("i", "[memory]", 3, args={"Device Type": 0, "Device Id": -1, "Total Allocated": 2048, "Total Reserved": 0}),
    event("i", "mark", 5, s="t"),
]  # fmt: skip


@pytest.fixture(params=["a.pt.trace.json", "a.pt.trace.json.gz"])
def trace_file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / request.param
    text = json.dumps({"schemaVersion": 1, "traceEvents": TRACE}).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_arrows_counters_and_marks_of_a_trace(trace_file: Path) -> None:
    timeline = build_timeline(read_json_trace(trace_file), trace_file)

    def name_of(place: int) -> str:
        return timeline.names[int(timeline.name[place])]

    flows = timeline.flows
    got = [
        (name_of(one), name_of(other)) for one, other in zip(flows.source.tolist(), flows.target.tolist(), strict=True)
    ]
    assert got == [("launch", "kernel")]
    assert flows.unbound == 1
    counters = {counter.name: (counter.times.tolist(), counter.values.tolist()) for counter in timeline.counters}
    assert counters == {
        "queue": ([1000, 4000], [3, 7]), "both up": ([4000], [7]), "both down": ([4000], [1]),
        "CPU allocated": ([3000], [2048]), "queue length": ([2000, 20_000], [1, 0]),
    }  # fmt: skip
    assert [timeline.names[name] for name in timeline.marks.name.tolist()] == ["mark"]
    assert timeline.time_range == (0, 25_000)


def test_arguments_of_single_slices(trace_file: Path) -> None:
    timeline = build_timeline(read_json_trace(trace_file), trace_file)
    file = ArgumentFile(trace_file)
    arguments = {
        timeline.names[int(timeline.name[place])]: file.read(
            int(timeline.args_offset[place]), int(timeline.args_size[place])
        )
        for place in reversed(range(len(timeline)))
    }
    assert arguments == {"outer": {"Input Dims": [[2, 3]]}, "launch": {}, "kernel": {"grid": [1, 2, 3]}}


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(-5, 5)), max_size=40), st.integers(-20, 320), st.integers(1, 50)
)
def test_counter_shows_extremes_of_each_pixel(found: list[tuple[int, int]], begin: int, pixel: int) -> None:
    found = sorted(found, key=lambda each: each[0])
    times, values = (np.array([each[place] for each in found], np.int64) for place in range(2))
    window = counter_window(Counter("c", 0, times, values.astype(np.float64)), Range(begin, pixel, 7))
    columns: dict[int, list[int]] = {}
    for time, value in found:
        if begin <= time < begin + 7 * pixel:
            columns.setdefault((time - begin) // pixel, []).append(value)
    assert window.pixel.tolist() == list(columns)
    assert window.low.tolist() == [min(each) for each in columns.values()]
    assert window.high.tolist() == [max(each) for each in columns.values()]
    assert window.last.tolist() == [each[-1] for each in columns.values()]
    earlier = [value for time, value in found if time < begin]
    assert (earlier[-1] if earlier else None) == (None if np.isnan(window.before) else window.before)


def test_marks_beyond_the_slices_do_not_stretch_the_timeline(tmp_path: Path) -> None:
    events = [
        {"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": 100, "dur": 5},
        {"ph": "i", "name": "Record Window End", "pid": 1, "tid": 1, "ts": 9_000_000},
    ]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events))
    assert build_timeline(read_json_trace(path), path).time_range == (100_000, 105_000)
    path.write_text(json.dumps(events[1:]))
    assert build_timeline(read_json_trace(path), path).time_range == (9_000_000_000, 9_000_000_000)


def test_an_allocator_that_holds_nothing_has_no_counter(tmp_path: Path) -> None:
    def mark(time: int, allocated: int, reserved: int) -> dict[str, Any]:
        arguments = {"Device Type": 0, "Device Id": -1, "Total Allocated": allocated, "Total Reserved": reserved}
        return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": time, "args": arguments}

    def names(*marks: dict[str, Any]) -> list[str]:
        path = tmp_path / "trace.json"
        path.write_text(json.dumps(marks))
        return [each.name for each in build_timeline(read_json_trace(path), path).counters]

    assert names(mark(1, 0, 0), mark(2, 0, 0)) == ["CPU allocated"]
    assert names(mark(1, 8, 0), mark(2, 4, 2)) == ["CPU allocated", "CPU reserved"]
