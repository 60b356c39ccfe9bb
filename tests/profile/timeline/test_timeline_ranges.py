# SPDX-License-Identifier: Apache-2.0
"""Statistics, flame graphs, search and export of ranges of a timeline, against a scan of all slices."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.open import read_profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.export_range import export_range
from mindscope.profile.timeline.range_statistics import flame_of, statistics_of
from mindscope.profile.timeline.slice_details import relatives_of
from mindscope.profile.timeline.slice_search import search
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.arguments import ArgumentFile
from mindscope.profile.trace.json_trace import read_json_trace

spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 30), st.integers(0, 1), st.sampled_from("abc")),
    max_size=30,
    unique=True,  # equal ones are copies that a merge of files has left, which the reader takes out
)


def event(name: str, start: int, duration: int, track: int = 0, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "name": name, "pid": 1, "tid": track, "ts": start / 1000, "dur": duration / 1000, **more}


def timeline_with(events: list[dict[str, Any]], folder: Path) -> tuple[Timeline, Path]:
    path = folder / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return build_timeline(read_json_trace(path), path), path


def name_of(timeline: Timeline, place: int) -> str:
    return timeline.names[int(timeline.name[place])]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traces")


@given(spans, st.integers(-5, 70), st.integers(0, 70))
def test_statistics_are_those_of_a_scan(folder: Path, found: list[Any], begin: int, length: int) -> None:
    timeline, _ = timeline_with([event(name, start, duration, track) for start, duration, track, name in found], folder)
    end = begin + length
    got = statistics_of(timeline, [0, 1], begin, end)
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for start, duration, _, name in found:
        if start < end and (start >= begin or start + duration > begin):
            counts[name] += 1
            totals[name] += min(end, start + duration) - max(begin, start)
    names = [timeline.names[name] for name in got.name.tolist()]
    assert dict(zip(names, got.count.tolist(), strict=True)) == dict(counts)
    assert dict(zip(names, got.total.tolist(), strict=True)) == dict(totals)
    assert (got.own >= 0).all()
    assert (got.own <= got.total).all()


@given(spans)
def test_own_times_of_a_track_without_overlaps_sum_to_its_busy_time(folder: Path, found: list[Any]) -> None:
    timeline, _ = timeline_with([event(name, start, duration) for start, duration, _, name in found], folder)
    if timeline.overlaps:
        return
    for begin, end in ((-1, 100), (10, 40), (25, 26)):
        times = np.zeros(101, bool)
        for start, duration, _, _ in found:
            times[max(start, begin, 0) : max(0, min(start + duration, end))] = True
        assert int(statistics_of(timeline, [0], begin, end).own.sum()) == int(times[max(0, begin) : end].sum())


@given(spans, st.integers(-5, 70), st.integers(1, 70))
def test_a_flame_graph_merges_calls_by_their_names(folder: Path, found: list[Any], begin: int, length: int) -> None:
    timeline, _ = timeline_with([event(name, start, duration, track) for start, duration, track, name in found], folder)
    end = begin + length
    want: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for place in range(len(timeline)):
        start, finish = int(timeline.start[place]), int(timeline.start[place] + timeline.duration[place])
        if start >= end or (start < begin and finish <= begin):
            continue
        path, above = [name_of(timeline, place)], int(timeline.parent[place])
        while above >= 0:
            path.append(name_of(timeline, above))
            above = int(timeline.parent[above])
        want[tuple(reversed(path))] += min(end, finish) - max(begin, start)
    flame = flame_of(timeline, [0, 1], begin, end, 1000)
    paths: list[tuple[str, ...]] = []
    parents: list[int] = flame.parent.tolist()
    for parent, name in zip(parents, flame.name.tolist(), strict=True):
        assert parent < len(paths)
        below: tuple[str, ...] = paths[parent] if parent >= 0 else ()
        paths.append((*below, timeline.names[int(name)]))
    assert dict(zip(paths, flame.total.tolist(), strict=True)) == dict(want)
    cut = flame_of(timeline, [0, 1], begin, end, 2)
    assert len(cut.parent) + cut.left_out == len(paths)
    assert (cut.parent < np.arange(len(cut.parent))).all()


@given(spans, st.sets(st.sampled_from("abc")))
def test_search_walks_through_all_slices_in_order_of_time(folder: Path, found: list[Any], names: set[str]) -> None:
    timeline, _ = timeline_with([event(name, start, duration, track) for start, duration, track, name in found], folder)
    hits = search(timeline, [number for number, name in enumerate(timeline.names) if name in names])
    want = sorted(
        (int(timeline.start[place]), place) for place in range(len(timeline)) if name_of(timeline, place) in names
    )
    assert len(hits) == len(want)
    forwards, at = [], (-1, -1)
    for position in range(len(want)):
        step = hits.next(*at)
        assert step is not None
        assert step[1] == position
        at = (int(timeline.start[step[0]]), step[0])
        forwards.append(at)
    assert forwards == want
    if want:
        assert hits.next(*want[-1]) == (want[0][1], 0)
        assert hits.next(*want[0], backwards=True) == (want[-1][1], len(want) - 1)
    columns = hits.columns(10, 5, 8)
    assert columns.tolist() == [
        sum(10 + 5 * pixel <= start < 15 + 5 * pixel for start, _ in want) for pixel in range(8)
    ]


def test_relatives_of_a_slice(tmp_path: Path) -> None:
    arrow = {"name": "ac2g", "cat": "ac2g", "id": 4, "pid": 1}
    timeline, _ = timeline_with(
        [
            event("outer", 0, 100),
            event("launch", 10, 20),
            event("inner", 12, 3),
            event("other", 40, 50),
            event("kernel", 60, 30, 7),
            {**arrow, "ph": "s", "tid": 0, "ts": 0.010},
            {**arrow, "ph": "f", "tid": 7, "ts": 0.060, "bp": "e"},
        ],
        tmp_path,
    )
    places = {name_of(timeline, place): place for place in range(len(timeline))}
    outer = relatives_of(timeline, places["outer"])
    assert [name_of(timeline, place) for place in outer.children] == ["other", "launch"]
    inner = relatives_of(timeline, places["inner"])
    assert [name_of(timeline, place) for place in inner.parents] == ["launch", "outer"]
    assert [place for place, _ in relatives_of(timeline, places["launch"]).targets] == [places["kernel"]]
    assert [place for place, _ in relatives_of(timeline, places["kernel"]).sources] == [places["launch"]]


def test_an_exported_range_is_a_trace_with_the_same_slices(tmp_path: Path) -> None:
    events = [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}},
        event("a", 0, 100, args={"Input Dims": [[2]], "text": 'x"y'}),
        event("b", 200, 50),
        event("c", 400, 50),
        {"ph": "C", "name": "queue", "pid": 1, "tid": 0, "ts": 0.21, "args": {"n": 4}},
        {"ph": "i", "s": "t", "name": "saved", "pid": 1, "tid": 0, "ts": 0.22, "args": {"epoch": 2}},
        {"ph": "i", "s": "t", "name": "later", "pid": 1, "tid": 0, "ts": 0.42},
        event("broken", 60, -5),
    ]
    timeline, path = timeline_with(events, tmp_path)
    timeline = replace(timeline, properties={"distributedInfo": {"rank": 3}, "traceEvents": [], "isWhole": False})
    out = tmp_path / "out.pt.trace.json"
    out.write_bytes(b"".join(export_range(timeline, ArgumentFile(path), [0], 50, 300)))
    again = build_timeline(read_json_trace(out), out)
    assert [(name_of(again, place), int(again.start[place]), int(again.duration[place])) for place in range(2)] == [
        ("a", 0, 100), ("b", 200, 50)
    ]  # fmt: skip
    assert len(again) == 2
    assert again.tracks[0].process_name == "python"
    assert again.counters[0].values.tolist() == [4]
    assert [again.names[name] for name in again.marks.name.tolist()] == ["saved"]
    assert ArgumentFile(out).read(int(again.marks.args_offset[0]), int(again.marks.args_size[0])) == {"epoch": 2}
    assert again.properties["distributedInfo"] == {"rank": 3}
    lost = again.properties["mindscopeRange"]
    assert (lost["begin_ns"], lost["end_ns"], sum(lost["skipped"].values())) == (50, 300, 1)
    assert read_profile(out).rank == 3
    arguments = ArgumentFile(out).read(int(again.args_offset[0]), int(again.args_size[0]))
    assert arguments == {"Input Dims": [[2]], "text": 'x"y'}
