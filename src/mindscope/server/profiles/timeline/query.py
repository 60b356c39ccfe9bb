# SPDX-License-Identifier: Apache-2.0
"""The timeline of a profile as messages and columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MindscopeError
from mindscope.profile.open_arguments import open_arguments
from mindscope.profile.timeline.export_range import export_range
from mindscope.profile.timeline.range_statistics import Flame, flame_of, statistics_of
from mindscope.profile.timeline.slice_details import relatives_of
from mindscope.profile.timeline.slice_search import search
from mindscope.profile.timeline.step_tracks import STEP, STEPS, WRAPPERS
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.timeline.timeline_window import CounterWindow, Range, counter_window, window_of
from mindscope.profile.trace.own_code import own_frame
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.profiles.reader import OpenProfile
from mindscope.server.profiles.timeline.schema import (
    MOST_ROWS,
    Argument,
    ArrowEntry,
    CounterColumns,
    CounterEntry,
    FlameHeader,
    NameStatisticsEntry,
    PixelColumns,
    RangeQuery,
    RangeStatisticsAnswer,
    SearchAnswer,
    SearchQuery,
    SkippedEntry,
    SliceAnswer,
    SliceBrief,
    StepEntry,
    TimelineFacts,
    TrackEntry,
    TrackRows,
    WindowHeader,
    WindowQuery,
)

COLORS = 10
MOST_STEPS = 10_000
MOST_STATISTICS = 5_000
MOST_FLAME_NODES = 20_000
MOST_WINDOW_BYTES = 200_000
BYTES_A_PIXEL = 100
"""Bytes of a pixel of a window that is wider than usual."""
_DIGITS = re.compile(r"\d+")
_FRAMES = "python_function"
MOST_NAME = 200
"""Characters of a name in a window; the details have all."""


def facts_of(timeline: Timeline, version: str) -> TimelineFacts:
    """Describe the parts of a timeline."""
    zero, end = timeline.time_range
    return TimelineFacts(
        version=version,
        begin_at=None if timeline.origin_ns is None else str(timeline.origin_ns + zero),
        duration_ns=end - zero,
        tracks=_tracks(timeline),
        counters=[
            CounterEntry(
                counter=number,
                name=counter.name,
                track=counter.track,
                unit=counter.unit,
                points=len(counter.times),
                low=finite(float(counter.values.min())) or 0.0,
                high=finite(float(counter.values.max())) or 0.0,
            )
            for number, counter in enumerate(timeline.counters)
        ],
        steps=_steps(timeline, zero),
        names=len(timeline.names),
        slices=len(timeline),
        marks=len(timeline.marks.time),
        flows=len(timeline.flows.source),
        unbound=timeline.flows.unbound,
        overlaps=timeline.overlaps,
        deeper=timeline.deeper,
        read=timeline.read,
        skipped=[
            SkippedEntry(reason=reason, count=value.count, first_offset=value.first_offset)
            for reason, value in timeline.skipped.items()
        ],
        is_whole=bool(timeline.properties.get("isWhole", True)),
    )


def pack_window(timeline: Timeline, query: WindowQuery, version: str) -> Packed:
    """Return the slices, counters and marks of a range.

    Those that need more than ``most_window_bytes`` have wider pixels.
    """
    most = most_window_bytes(query.width)
    while (packed := _pack(timeline, query, version)).size > most and query.width > 1:
        factor = -(-packed.size // most)
        width, pixel_ns = -(-query.width // factor), query.pixel_ns * factor
        query = query.model_copy(update={"width": width, "pixel_ns": pixel_ns})
    return packed


def most_window_bytes(width: int) -> int:
    """Return the size of the largest response to a query of ``width`` pixels."""
    return max(MOST_WINDOW_BYTES, BYTES_A_PIXEL * width)


def first_rows(tracks: Sequence[TrackRows]) -> dict[int, int]:
    """Return rows by track, of the first ``MOST_ROWS`` of all tracks."""
    rows: dict[int, int] = {}
    left = MOST_ROWS
    for track in tracks:
        if left > 0:
            rows[track.track] = min(track.rows, left)
            left -= rows[track.track]
    return rows


def _pack(timeline: Timeline, query: WindowQuery, version: str) -> Packed:
    zero, _ = timeline.time_range
    range = Range(query.begin_ns + zero, query.pixel_ns, query.width)
    window = window_of(timeline, first_rows(query.tracks), range)
    lanes = window.lanes
    names, wide_name = np.unique(timeline.name[window.wide], return_inverse=True)
    texts = _texts(timeline, names)
    mark_pixel, mark_first, mark_count = _marks(timeline, range)
    mark_texts, mark_indexes = _numbered(texts, _texts(timeline, timeline.marks.name[mark_first]))
    header = WindowHeader(
        version=version,
        begin_ns=query.begin_ns,
        pixel_ns=query.pixel_ns,
        width=query.width,
        names=[text[:MOST_NAME] for text in mark_texts],
        colors=[color_of(text) for text in mark_texts],
        lane_track=timeline.lane_track[lanes],
        lane_row=timeline.lane_row[lanes],
        lane_cells=window.lane_cells,
        pixel=window.pixel,
        count=np.minimum(window.count, 65_535),
        longest=window.longest,
        busy=np.minimum(255, -(-255 * window.busy // query.pixel_ns)),
        color=_colors_of(timeline, window.longest),
        lane_wide=window.lane_wide,
        wide=window.wide,
        wide_begin=timeline.start[window.wide] - zero,
        wide_duration=timeline.duration[window.wide],
        wide_name=wide_name,
        counters=[
            CounterColumns(counter=number, **dict(pixel_columns(counter_window(timeline.counters[number], range))))
            for number in dict.fromkeys(query.counters)
            if 0 <= number < len(timeline.counters)
        ],
        mark_pixel=mark_pixel,
        mark_name=mark_indexes,
        mark_track=timeline.marks.track[mark_first],
        mark_count=mark_count,
    )
    return pack(header)


def slice_answer(profile: OpenProfile, timeline: Timeline, index: int) -> SliceAnswer:
    """Return all about one slice."""
    relatives = relatives_of(timeline, index)
    parents = [brief(timeline, parent) for parent in relatives.parents]
    arguments, problem = _arguments(profile, timeline, index)
    return SliceAnswer(
        slice=brief(timeline, index),
        arguments=arguments,
        arguments_problem=problem,
        caller=own_frame(";".join(parent.name for parent in parents if ".py(" in parent.name)),
        parents=parents,
        children=[brief(timeline, child) for child in relatives.children],
        child_count=relatives.child_count,
        sources=[_arrow(timeline, each, category, each, index) for each, category in relatives.sources],
        targets=[_arrow(timeline, each, category, index, each) for each, category in relatives.targets],
    )


def search_answer(timeline: Timeline, query: SearchQuery) -> SearchAnswer:
    """Return slices with some names."""
    zero, _ = timeline.time_range
    hits = search(timeline, query.names)
    columns = hits.columns(query.begin_ns + zero, query.pixel_ns, query.width)
    pixels = np.flatnonzero(columns)
    found = None
    if query.after_ns is not None:
        found = hits.next(query.after_ns + zero, query.after_slice, backwards=query.is_backwards)
    return SearchAnswer(
        count=len(hits),
        pixels=pixels.tolist(),
        counts=columns[pixels].tolist(),
        found=None if found is None else brief(timeline, found[0]),
        position=0 if found is None else found[1],
    )


def statistics_answer(timeline: Timeline, query: RangeQuery) -> RangeStatisticsAnswer:
    """Sums by name over a range."""
    zero, _ = timeline.time_range
    statistics = statistics_of(timeline, query.tracks, query.begin_ns + zero, query.end_ns + zero)
    columns = (statistics.name, statistics.count, statistics.total, statistics.own, statistics.longest)
    rows = zip(*(column[:MOST_STATISTICS].tolist() for column in columns), strict=True)
    return RangeStatisticsAnswer(
        rows=[
            NameStatisticsEntry(
                name=timeline.names[int(name)], count=count, total_ns=total, own_ns=own, longest_ns=longest
            )
            for name, count, total, own, longest in rows
        ],
        left_out=max(0, len(statistics.name) - MOST_STATISTICS),
        count=int(statistics.count.sum()),
        own_ns=int(statistics.own.sum()),
    )


def pack_flame(timeline: Timeline, query: RangeQuery, version: str) -> Packed:
    """Return the flame graph of a range."""
    zero, _ = timeline.time_range
    flame = flame_of(timeline, query.tracks, query.begin_ns + zero, query.end_ns + zero, MOST_FLAME_NODES)
    names, name = np.unique(flame.name, return_inverse=True)
    texts = _texts(timeline, names)
    return pack(flame_message(version, flame, texts, name))


def flame_message(version: str, flame: Flame, texts: list[str], name: NDArray[Any]) -> FlameHeader:
    """Return a flame graph whose nodes have the names ``texts[name]``."""
    return FlameHeader(
        version=version,
        names=texts,
        colors=[color_of(text) for text in texts],
        left_out=flame.left_out,
        parent=flame.parent,
        name=name,
        count=flame.count,
        total=flame.total,
        own=flame.own,
    )


def export_text(profile: OpenProfile, timeline: Timeline, tracks: Sequence[int], begin_ns: int, end_ns: int) -> Any:
    """Return the JSON trace of a range, piece by piece. Raises OSError."""
    zero, _ = timeline.time_range
    known = [track for track in dict.fromkeys(tracks) if 0 <= track < len(timeline.tracks)]
    return export_range(timeline, open_arguments(profile.path, timeline), known, begin_ns + zero, end_ns + zero)


def color_of(name: str) -> int:
    """Return the color of a name, the same in every profile. Names that differ in digits only have one color."""
    return crc32(_DIGITS.sub("", name).encode("utf-8", "replace")) % COLORS


def brief(timeline: Timeline, index: int) -> SliceBrief:
    """Return a slice as a message."""
    zero, _ = timeline.time_range
    lane = timeline.lane_of(index)
    return SliceBrief(
        slice=index,
        name=timeline.names[int(timeline.name[index])],
        category=_category(timeline, int(timeline.category[index])),
        track=int(timeline.lane_track[lane]),
        row=int(timeline.lane_row[lane]),
        begin_ns=int(timeline.start[index]) - zero,
        duration_ns=int(timeline.duration[index]),
        own_ns=int(timeline.own[index]),
    )


def _texts(timeline: Timeline, names: NDArray[Any]) -> list[str]:
    numbers: list[int] = names.tolist()
    return [timeline.names[name] for name in numbers]


def _tracks(timeline: Timeline) -> list[TrackEntry]:
    """Return tracks with slices or counters, by process and thread."""
    with_counters = {counter.track for counter in timeline.counters}
    rows = np.bincount(timeline.lane_track, minlength=len(timeline.tracks))
    sizes = np.bincount(timeline.lane_track, np.diff(timeline.lane_first), len(timeline.tracks))
    helpers = _helpers(timeline)
    order = sorted(range(len(timeline.tracks)), key=lambda number: (number in helpers, *_track_key(timeline, number)))
    entries = (
        TrackEntry(
            track=number,
            process=timeline.tracks[number].process,
            thread=timeline.tracks[number].thread,
            process_name=timeline.tracks[number].process_name,
            thread_name=timeline.tracks[number].thread_name,
            is_steps=timeline.tracks[number].thread_name == STEPS,
            is_helper=number in helpers,
            rows=int(rows[number]),
            slices=int(sizes[number]),
        )
        for number in order
    )
    return [entry for entry in entries if entry.rows or entry.track in with_counters]


def _track_key(timeline: Timeline, number: int) -> tuple[Any, ...]:
    track = timeline.tracks[number]
    is_main = track.thread.partition(" ")[0] == track.process
    return track.process_order, _natural(track.process), not is_main, track.thread_order, _natural(track.thread)


def _helpers(timeline: Timeline) -> set[int]:
    """Return threads that run only Python, where others compute, and tracks of wrappers."""
    is_frame = np.array([category.lower() == _FRAMES for category in timeline.categories], np.bool_)
    starts = timeline.lane_first[:-1]
    numbers = {number for number, track in enumerate(timeline.tracks) if track.thread_name == WRAPPERS}
    if not is_frame.any() or not len(starts):
        return numbers
    others = np.add.reduceat(~is_frame[timeline.category], starts, dtype=np.int64)
    by_track = np.bincount(timeline.lane_track, others, len(timeline.tracks))
    computing = {number for number in np.flatnonzero(by_track).tolist() if timeline.tracks[number].thread_name != STEPS}
    return numbers | {int(number) for number in timeline.lane_track if not by_track[number]} if computing else numbers


def _natural(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.lstrip("-").isdecimal() and len(text) < 20 else (1, 0, text)


def _steps(timeline: Timeline, zero: int) -> list[StepEntry]:
    numbers = {index: int(match[1]) for index, name in enumerate(timeline.names) if (match := STEP.fullmatch(name))}
    hits = search(timeline, numbers)
    found: dict[int, StepEntry] = {}
    lanes = np.searchsorted(timeline.lane_first, hits.indexes, side="right") - 1
    for index, _ in sorted(zip(hits.indexes.tolist(), lanes.tolist(), strict=True)):
        number = numbers[int(timeline.name[index])]
        begin = int(timeline.start[index])
        entry = StepEntry(slice=index, number=number, begin_ns=begin - zero, duration_ns=int(timeline.duration[index]))
        if number not in found or entry.begin_ns < found[number].begin_ns:  # the host's comes before the device's
            found[number] = entry
        if len(found) >= MOST_STEPS:
            break
    return sorted(found.values(), key=lambda step: step.begin_ns)


def _colors_of(timeline: Timeline, indexes: NDArray[np.int32]) -> NDArray[np.uint8]:
    names, which = np.unique(timeline.name[indexes], return_inverse=True)
    colors = np.array([color_of(text) for text in _texts(timeline, names)], np.uint8)
    return colors[which] if len(colors) else np.empty(0, np.uint8)


def _marks(timeline: Timeline, range: Range) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return pixels with marks, the first mark of each, and how many it has."""
    first, end = np.searchsorted(timeline.marks.time, [range.begin, range.end]).tolist()
    pixels = (timeline.marks.time[first:end] - range.begin) // range.pixel_ns
    found, indexes, counts = np.unique(pixels, return_index=True, return_counts=True)
    return found, first + indexes, counts


def _numbered(texts: list[str], more: Iterable[str]) -> tuple[list[str], list[int]]:
    """Return ``texts`` followed by those of ``more``, and the indexes of the latter."""
    known = {text: index for index, text in enumerate(texts)}
    indexes = [known.setdefault(text, len(known)) for text in more]
    return list(known), indexes


def pixel_columns(window: CounterWindow) -> PixelColumns:
    """Return the values of a window, pixel by pixel."""
    return PixelColumns(
        before=finite(window.before), pixel=window.pixel, low=window.low, high=window.high, last=window.last
    )


def _arguments(profile: OpenProfile, timeline: Timeline, index: int) -> tuple[list[Argument], ReasonEntry | None]:
    try:
        with profile.lock:
            found = profile.arguments(timeline).read(int(timeline.args_offset[index]), int(timeline.args_size[index]))
    except (MindscopeError, OSError) as error:
        return [], ReasonEntry.of(error)
    return [Argument(name=name, value=_text(value)) for name, value in found.items()], None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _arrow(timeline: Timeline, other: int, category: int, first: int, second: int) -> ArrowEntry:
    delay = int(timeline.start[second]) - int(timeline.start[first]) - int(timeline.duration[first])
    return ArrowEntry(category=_category(timeline, category), delay_ns=delay, slice=brief(timeline, other))


def _category(timeline: Timeline, number: int) -> str:
    return timeline.categories[number] if number < len(timeline.categories) else ""


def export_name(path: Path) -> str:
    """Return a file name for a range of a profile."""
    stem = re.sub(r"(\.pt\.trace)?\.json(\.gz)?$", "", path.name)
    return re.sub(r"[^A-Za-z0-9._-]+", "_", stem).strip("._")[:100] + "_range.json"
