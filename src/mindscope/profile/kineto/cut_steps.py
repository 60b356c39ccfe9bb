# SPDX-License-Identifier: Apache-2.0
"""Finds the steps that a trace holds only in part: the profiler stopped within, or a tool kept a range of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole

FEWEST_KERNELS = 0.8
"""Share of the kernels of the step before that a complete last step has: TensorBoard's profiler plugin."""
SILENCE, SILENCE_SHARE = 2, 0.05
"""The calls of a cut step end so many times earlier before its end, or begin later after its begin, than those of any
other step, and by more than this share of it."""
_CHUNK = 1 << 18
_CALLS = (SliceRole.OPERATOR, SliceRole.ANNOTATION, SliceRole.LAUNCH)


def incomplete_steps(analysis: KinetoAnalysis) -> NDArray[np.bool_] | None:
    """Tell which steps are not whole; None if all are."""
    found = _out_of_range(analysis)
    if analysis.profiler == "torch":
        found |= _cut_by_time(analysis)
        if not isinstance(analysis.trace.properties.get("mindscope"), dict):  # its recorder waits for all kernels
            found |= _without_kernels(analysis)
    return found if found.any() else None


def _out_of_range(analysis: KinetoAnalysis) -> NDArray[np.bool_]:
    """Tell which steps reach out of the range that mindscope exported."""
    steps, kept = analysis.marked_steps, analysis.trace.properties.get("mindscopeRange")
    range_ns: Mapping[str, Any] = cast("Mapping[str, Any]", kept) if isinstance(kept, dict) else {}
    begin, end = range_ns.get("begin_ns"), range_ns.get("end_ns")
    if not isinstance(begin, int) or not isinstance(end, int) or max(abs(begin), abs(end)) >= 1 << 63:
        return np.zeros(len(steps), np.bool_)
    return (steps.start < begin) | (steps.end > end)


def _without_kernels(analysis: KinetoAnalysis) -> NDArray[np.bool_]:
    """Find trailing steps without kernels, and a last one with few of them, as in TensorBoard's profiler plugin."""
    work, count = analysis.device, len(analysis.steps)
    kernels = np.bincount(work.step[work.step >= 0], minlength=count)
    complete = int(np.flatnonzero(kernels)[-1]) + 1 if kernels.any() else count
    if complete >= 2 and kernels[complete - 1] < FEWEST_KERNELS * kernels[complete - 2]:
        complete -= 1
    return np.arange(count) >= complete


@dataclass(frozen=True, slots=True)
class _HostCalls:
    """Columns of n steps: how many calls begin in each, and how close to its ends."""

    count: NDArray[np.int64]
    operators: NDArray[np.int64]
    """Calls that are operators."""
    lead: NDArray[np.int64]
    """Nanoseconds to the first end of a call: a tool that keeps what overlaps a range drops what ends before."""
    tail: NDArray[np.int64]
    """Nanoseconds from the last begin of a call: what begins after a range is dropped."""
    begins_with: NDArray[np.bool_]
    """A call begins in the same nanosecond, as where a tool shortens what reaches out of a range."""
    ends_with: NDArray[np.bool_]


def _cut_by_time(analysis: KinetoAnalysis) -> NDArray[np.bool_]:
    """Find a first and a last step without calls at its outer end that the steps between have."""
    steps = analysis.marked_steps
    found = np.zeros(len(steps), np.bool_)
    if len(steps) < 2:
        return found
    calls, duration = _calls_of_steps(analysis), steps.end - steps.start
    is_exact = analysis.trace.origin_ns is not None
    for row, silence, shares in ((0, calls.lead, calls.begins_with), (-1, calls.tail, calls.ends_with)):
        others = np.arange(len(steps))[1:-1] if len(steps) > 2 else np.arange(2)[[-1 - row]]
        is_short = calls.count[row] < calls.count[others].min()
        longest = max(SILENCE * int(silence[others].max()), SILENCE_SHARE * int(duration[row]))
        is_shortened = (is_exact or is_short) and shares[row] and not shares[others].any()
        is_empty = not calls.operators[row] and calls.operators[others].all()
        found[row] = is_empty or is_shortened or (is_short and silence[row] > longest)
    return found


def _calls_of_steps(analysis: KinetoAnalysis) -> _HostCalls:
    """Look at a part of the calls after the other: columns of all of them would take memory beside all that is read."""
    steps, calls = analysis.marked_steps, analysis.calls
    host_calls = _HostCalls(
        count=np.zeros(len(steps), np.int64),
        operators=np.zeros(len(steps), np.int64),
        lead=steps.end - steps.start,
        tail=steps.end - steps.start,
        begins_with=np.zeros(len(steps), np.bool_),
        ends_with=np.zeros(len(steps), np.bool_),
    )
    for first in range(0, calls.first_mark, _CHUNK):
        rows = calls.slices[first : first + _CHUNK]
        _add_calls(host_calls, analysis, rows, calls.role[first : first + len(rows)])
    return host_calls


def _add_calls(found: _HostCalls, analysis: KinetoAnalysis, rows: NDArray[np.int32], role: NDArray[np.uint8]) -> None:
    steps, slices = analysis.marked_steps, analysis.trace.slices
    step = steps.at(slices.start[rows])
    is_counted = np.isin(role, _CALLS) & (step >= 0)
    rows, role, step = rows[is_counted], role[is_counted], step[is_counted]
    start = slices.start[rows]
    end = start + slices.duration[rows]
    np.add.at(found.count, step, 1)
    np.add.at(found.operators, step[role == SliceRole.OPERATOR], 1)
    np.minimum.at(found.lead, step, end - steps.start[step])
    np.minimum.at(found.tail, step, steps.end[step] - start)
    found.begins_with[step[start == steps.start[step]]] = True
    found.ends_with[step[end == steps.end[step]]] = True
