# SPDX-License-Identifier: Apache-2.0
"""Figures of a whole profile that only its timeline has: clock rate of the AI core, garbage collections of Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mindscope.profile.advice.ascend_rules import LONG_COLLECTION_NS
from mindscope.profile.arguments import ArgumentFile
from mindscope.profile.formats.json_values import number_of
from mindscope.profile.trace import Trace

_FREQUENCY, _COLLECTION = "AI Core Freq", "GC"
_MOST_SAMPLES = 100_000


def trace_figures(trace: Trace, file: Path) -> dict[str, Any]:
    """``ai_core_frequency`` (``highest`` and ``mean`` MHz over time), ``garbage_collection`` (``count`` and ``time`` in
    ns of the long ones), as far as the trace has them.

    Raises:
        OSError: the file of the trace can't be read.
    """
    found: dict[str, Any] = {}
    frequency = _frequency(trace, file)
    if frequency:
        found["ai_core_frequency"] = frequency
    is_collection = np.array([_COLLECTION in track.process_name.split() for track in trace.tracks], np.bool_)
    if is_collection.any():
        durations = trace.slices.duration[is_collection[trace.slices.track]]
        long = durations[durations > LONG_COLLECTION_NS]
        found["garbage_collection"] = {"count": len(long), "time": int(long.sum())}
    return found


def _frequency(trace: Trace, file: Path) -> dict[str, float]:
    """Each sample holds until the next one; the last one does not count, unless it is the only one."""
    events = trace.events
    names = [code for code, name in enumerate(trace.names) if _FREQUENCY in name]
    tracks = [number for number, track in enumerate(trace.tracks) if _FREQUENCY in track.process_name]
    rows = events.of("C")
    rows = rows[np.isin(events.name[rows], names) | np.isin(events.track[rows], tracks)][:_MOST_SAMPLES]
    rows = rows[np.argsort(events.args_offset[rows], kind="stable")]
    places = zip(events.args_offset[rows].tolist(), events.args_size[rows].tolist(), strict=True)
    values = np.array([max(map(number_of, each.values()), default=0.0) for each in ArgumentFile(file).read_all(places)])
    order = np.argsort(events.time[rows], kind="stable")
    values, times = values[order], events.time[rows][order]
    if not len(values) or not (values > 0).any():
        return {}
    weights = np.diff(times).astype(np.float64)
    mean = float(np.average(values[:-1], weights=weights)) if weights.any() else float(values.mean())
    return {"highest": float(values.max()), "mean": mean}
