# SPDX-License-Identifier: Apache-2.0
"""Figures of a whole profile that only its timeline has: clock rate of the AI core, garbage collections, transfers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.json_values import number_of
from mindscope.profile.model.ascend_limits import ALIGNMENT, CALL_INTERVAL_NS, LONG_COLLECTION_NS, LONG_PAUSE_NS
from mindscope.profile.tables.communication import Communication
from mindscope.profile.trace.argument_columns import NO_INTEGER, ArgumentNames, FileArguments
from mindscope.profile.trace.arguments import ArgumentFile
from mindscope.profile.trace.time_split import covered, masked, union
from mindscope.profile.trace.trace import Trace
from mindscope.table.schema import SUM, ColumnField, Unit

_FREQUENCY, _COLLECTION = "AI Core Freq", "GC"
_MOST_SAMPLES = 100_000
_MOST_SPANS = 10
_OVERLAP, _FREE, _COMPUTING = "Overlap Analysis", "Free", "Computing"
_HOSTS = ("Python", "MindSpore", "CANN")
_COMMUNICATION, _PLANE = ("Communication", "HCCL"), "Plane"
_SIZE, _TRANSPORT = "size(Byte)", "transport type"


def trace_figures(trace: Trace, file: Path) -> dict[str, Any]:
    """Return the figures that the trace has.

    ``ai_core_frequency``: ``highest`` and ``mean`` MHz over time. ``garbage_collection``: ``count`` of the long
    ones, and their ``time`` (ns); without these ``quiet_host``, the same of pauses that may be collections.
    ``unaligned_transfers``: ``count``, and ``all`` that have a size. Each has ``spans``: start and duration (ns) of
    the longest of them in the timeline, of the lowest clock rates.

    Raises:
        OSError: the file of the trace can't be read.
    """
    found: dict[str, Any] = {}
    frequency = _frequency(trace, file)
    if frequency:
        found["ai_core_frequency"] = frequency
    slices = trace.slices
    is_collection = np.array([_COLLECTION in track.process_name.split() for track in trace.tracks], np.bool_)
    if is_collection.any():
        long = np.flatnonzero(is_collection[slices.track] & (slices.duration > LONG_COLLECTION_NS))
        found["garbage_collection"] = _of_slices(trace, long)
    else:
        pauses = _pauses(trace)
        if len(pauses):
            found["quiet_host"] = _of_slices(trace, pauses)
    if transfers := _transfers(trace, file):
        found["unaligned_transfers"] = transfers
    return found


def _of_slices(trace: Trace, rows: NDArray[np.int64]) -> dict[str, Any]:
    start, duration = trace.slices.start[rows], trace.slices.duration[rows]
    return {"count": len(rows), "time": int(duration.sum()), "spans": _longest(start, duration)}


def _longest(start: NDArray[np.int64], duration: NDArray[np.int64]) -> list[list[int]]:
    """Start and duration of the longest."""
    order = np.argsort(-duration, kind="stable")[:_MOST_SPANS]
    return np.stack([start[order], duration[order]], 1).tolist()


def with_computing(communication: Communication | None, trace: Trace | None) -> Communication | None:
    """Add a column ``computing``, if the trace has it: nanoseconds of each operation in which the device computes.

    Times of both count from the same moment.
    """
    if communication is None or communication.start is None or trace is None:
        return communication
    computes = _is_overlap(trace, _COMPUTING)
    if not computes.any():
        return communication
    times = union(masked(trace.slices.start, trace.slices.duration, computes))
    begin = communication.start
    found = covered(times, begin, begin + communication.duration)
    return communication.with_extra({"computing": found}, {"computing": ColumnField(Unit.NS, SUM)})


def _pauses(trace: Trace) -> NDArray[np.int64]:
    """Return rows of long slices in which the device is free and the host calls next to nothing."""
    slices = trace.slices
    is_host = np.array([track.process_name in _HOSTS for track in trace.tracks], np.bool_)
    if not is_host.any():
        return np.empty(0, np.int64)
    calls = np.sort(slices.start[is_host[slices.track]])
    rows = np.flatnonzero(_is_overlap(trace, _FREE) & (slices.duration >= LONG_PAUSE_NS))
    begin, duration = slices.start[rows], slices.duration[rows]
    within = np.searchsorted(calls, begin + duration) - np.searchsorted(calls, begin)
    return rows[within * CALL_INTERVAL_NS < duration] if len(calls) else rows[:0]


def _is_overlap(trace: Trace, name: str) -> NDArray[np.bool_]:
    named = [track.process_name == _OVERLAP and track.thread_name == name for track in trace.tracks]
    return np.array(named, np.bool_)[trace.slices.track]


def _transfers(trace: Trace, file: Path) -> dict[str, Any]:
    """Return the transfers of SDMA, by their sizes; empty without any."""
    is_plane = np.array(
        [track.process_name in _COMMUNICATION and track.thread_name.startswith(_PLANE) for track in trace.tracks],
        np.bool_,
    )
    rows = np.flatnonzero(is_plane[trace.slices.track]) if is_plane.any() else np.empty(0, np.int64)
    if not len(rows):
        return {}
    wanted = ArgumentNames(integers=(_SIZE,), texts=(_TRANSPORT,))
    arguments = FileArguments(file, trace).of_slices(rows, wanted)
    sizes = arguments.integers[_SIZE]
    known = (sizes != NO_INTEGER) & (sizes > 0)
    known &= arguments.texts[_TRANSPORT].is_any_of(lambda text: text.strip('"').upper() == "SDMA")
    unaligned = rows[known & (sizes % ALIGNMENT != 0)]
    return {**_of_slices(trace, unaligned), "all": int(known.sum())} if known.any() else {}


def _frequency(trace: Trace, file: Path) -> dict[str, Any]:
    """Each sample holds until the next one; the last one does not count, unless it is the only one."""
    events = trace.events
    names = [code for code, name in enumerate(trace.names) if _FREQUENCY in name]
    tracks = [number for number, track in enumerate(trace.tracks) if _FREQUENCY in track.process_name]
    rows = events.of("C")
    rows = rows[np.isin(events.name[rows], names) | np.isin(events.track[rows], tracks)][:_MOST_SAMPLES]
    rows = rows[np.argsort(events.args_offset[rows], kind="stable")]
    locations = zip(events.args_offset[rows].tolist(), events.args_size[rows].tolist(), strict=True)
    samples = ArgumentFile(file).read_all(locations)
    values = np.array([max(map(number_of, sample.values()), default=0.0) for sample in samples])
    order = np.argsort(events.time[rows], kind="stable")
    values, times = values[order], events.time[rows][order]
    if not len(values) or not (values > 0).any():
        return {}
    weights = np.diff(times).astype(np.float64)
    mean = float(np.average(values[:-1], weights=weights)) if weights.any() else float(values.mean())
    lowest = np.flatnonzero(values[:-1] == values[:-1].min()) if len(values) > 1 else np.empty(0, np.int64)
    spans = _longest(times[lowest], np.diff(times)[lowest])
    return {"highest": float(values.max()), "mean": mean, "spans": spans}
