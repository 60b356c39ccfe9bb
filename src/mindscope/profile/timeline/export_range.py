# SPDX-License-Identifier: Apache-2.0
"""A range of a timeline as a JSON trace, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from mindscope.profile.timeline.range_slices import slice_range
from mindscope.profile.timeline.timeline import Counter, Timeline
from mindscope.profile.trace.arguments import ArgumentReader
from mindscope.profile.trace.trace import Track


def export_range(
    timeline: Timeline, file: ArgumentReader, tracks: Sequence[int], begin: int, end: int
) -> Iterator[bytes]:
    """Yield the text of the trace, piece by piece: slices that overlap the range, whole, with their arguments and
    arrows.

    Raises OSError if the file of the arguments can't be read.
    """
    yield json.dumps(_head(timeline, begin, end), default=str)[:-1].encode() + b', "traceEvents": [\n'
    separator = b""
    for event in _events(timeline, file, tracks, begin, end):
        yield separator + json.dumps(event, separators=(",", ":")).encode()
        separator = b",\n"
    yield b"\n]}\n"


def _head(timeline: Timeline, begin: int, end: int) -> dict[str, Any]:
    """Return the facts of the trace, and what it lacks. Times are those of its own clock."""
    facts = {name: value for name, value in timeline.properties.items() if name not in ("traceEvents", "isWhole")}
    lost = {reason: each.count for reason, each in timeline.skipped.items()}
    head = {
        **facts,
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "mindscopeRange": {
            "begin_ns": begin, "end_ns": end, "skipped": lost, "overlaps": timeline.overlaps,
            "unbound_arrows": timeline.flows.unbound,
        },
    }  # fmt: skip
    if timeline.origin_ns is not None:
        head["baseTimeNanoseconds"] = timeline.origin_ns
    return head


def _events(
    timeline: Timeline, file: ArgumentReader, tracks: Sequence[int], begin: int, end: int
) -> Iterator[dict[str, Any]]:
    chosen = [timeline.tracks[number] for number in tracks]
    yield from _metadata(chosen)
    ranges = [slice_range(timeline, lane, begin, end) for lane in timeline.lanes_of(tracks).tolist()]
    indexes = np.concatenate([np.arange(*each) for each in ranges]) if ranges else np.empty(0, np.int64)
    indexes = indexes[np.argsort(timeline.args_offset[indexes], kind="stable")]  # the order of the file
    offsets, sizes = timeline.args_offset[indexes].tolist(), timeline.args_size[indexes].tolist()
    arguments = file.read_all(zip(offsets, sizes, strict=True))
    lanes = (np.searchsorted(timeline.lane_first, indexes, side="right") - 1).tolist()
    for index, lane, found in zip(indexes.tolist(), lanes, arguments, strict=True):
        yield _slice(timeline, index, timeline.tracks[int(timeline.lane_track[lane])], found)
    yield from _arrows(timeline, indexes)
    yield from _marks(timeline, file, set(tracks), begin, end)
    for counter in timeline.counters:
        if counter.track in set(tracks):
            yield from _values(timeline, counter, begin, end)


def _slice(timeline: Timeline, index: int, track: Track, arguments: dict[str, Any]) -> dict[str, Any]:
    category = int(timeline.category[index])
    return {
        "ph": "X",
        "cat": timeline.categories[category] if category < len(timeline.categories) else "",
        "name": timeline.names[int(timeline.name[index])],
        **_where(track),
        "ts": int(timeline.start[index]) / 1000,
        "dur": int(timeline.duration[index]) / 1000,
        **({"args": arguments} if arguments else {}),
    }


def _arrows(timeline: Timeline, indexes: np.ndarray[Any, Any]) -> Iterator[dict[str, Any]]:
    flows = timeline.flows
    rows = np.flatnonzero(np.isin(flows.source, indexes) & np.isin(flows.target, indexes))
    for row in rows.tolist():
        category = int(flows.category[row])
        name = timeline.categories[category] if category < len(timeline.categories) else "flow"
        for phase, index in (("s", int(flows.source[row])), ("f", int(flows.target[row]))):
            track = timeline.tracks[int(timeline.lane_track[timeline.lane_of(index)])]
            at = int(timeline.start[index]) / 1000
            more = {"bp": "e"} if phase == "f" else {}
            yield {"ph": phase, "id": row, "cat": name, "name": name, **_where(track), "ts": at, **more}


def _marks(
    timeline: Timeline, file: ArgumentReader, tracks: Collection[int], begin: int, end: int
) -> Iterator[dict[str, Any]]:
    marks = timeline.marks
    is_chosen = (marks.time >= begin) & (marks.time < end) & np.isin(marks.track, list(tracks))
    rows = np.flatnonzero(is_chosen)
    rows = rows[np.argsort(marks.args_offset[rows], kind="stable")]
    locations = zip(marks.args_offset[rows].tolist(), marks.args_size[rows].tolist(), strict=True)
    for row, arguments in zip(rows.tolist(), file.read_all(locations), strict=True):
        where, at = _where(timeline.tracks[int(marks.track[row])]), int(marks.time[row]) / 1000
        more = {"args": arguments} if arguments else {}
        yield {"ph": "i", "s": "t", "name": timeline.names[int(marks.name[row])], **where, "ts": at, **more}


def _values(timeline: Timeline, counter: Counter, begin: int, end: int) -> Iterator[dict[str, Any]]:
    first, last = np.searchsorted(counter.times, [begin, end]).tolist()
    where = _where(timeline.tracks[counter.track])
    for time, value in zip(counter.times[first:last].tolist(), counter.values[first:last].tolist(), strict=True):
        yield {"ph": "C", "name": counter.name, **where, "ts": time / 1000, "args": {"value": value}}


def _metadata(tracks: Sequence[Track]) -> Iterator[dict[str, Any]]:
    for track in tracks:
        for name, value in (("process_name", track.process_name), ("thread_name", track.thread_name)):
            if value:
                yield {"ph": "M", "name": name, **_where(track), "ts": 0, "args": {"name": value}}
        for name, order in (("process_sort_index", track.process_order), ("thread_sort_index", track.thread_order)):
            yield {"ph": "M", "name": name, **_where(track), "ts": 0, "args": {"sort_index": order}}


def _where(track: Track) -> dict[str, int | str]:
    return {"pid": _number(track.process), "tid": _number(track.thread)}


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text
