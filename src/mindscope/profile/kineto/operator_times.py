# SPDX-License-Identifier: Apache-2.0
"""Whether operators of PyTorch take as long as operators can: where not, the times of the trace are no microseconds."""

from __future__ import annotations

import numpy as np

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole
from mindscope.reasons import Reason

SEQUENCE, LEAST_NS = 64, 100
"""So many operators of one thread take this long each, or longer: the profiler itself takes longer to record one.
Real traces have 1,200 ns or more, also nested and in whole microseconds."""
VIEW = "aten::as_strided"
"""Operator that computes nothing: it makes a tensor that shares the data of another one."""
FEWEST_VIEWS, MOST_NS = 30, 100_000
"""Of so many calls the shortest takes less. Real traces have 184 to 2,000 ns."""
_MOST_SLICES = 1 << 20


def operator_time_problem(analysis: KinetoAnalysis) -> Reason | None:
    """Return why the times of operators can't be microseconds; None if they can, or if there are few operators."""
    return _too_dense(analysis) or _too_long(analysis)


def _too_dense(analysis: KinetoAnalysis) -> Reason | None:
    slices = analysis.trace.slices
    rows = np.flatnonzero(analysis.roles[:_MOST_SLICES] == SliceRole.OPERATOR)
    tracks = slices.track[rows]
    starts = np.sort(slices.start[rows[tracks == np.bincount(tracks).argmax()]]) if len(rows) else rows
    if len(starts) <= SEQUENCE:
        return None
    span = int(np.median(starts[SEQUENCE:] - starts[:-SEQUENCE]))
    return Reason("profile_times_dense", count=SEQUENCE, span=span) if span < LEAST_NS * SEQUENCE else None


def _too_long(analysis: KinetoAnalysis) -> Reason | None:
    trace = analysis.trace
    is_view = np.array([name == VIEW for name in trace.names], np.bool_)
    if not is_view.any():
        return None
    rows = np.flatnonzero(analysis.roles[:_MOST_SLICES] == SliceRole.OPERATOR)
    durations = trace.slices.duration[rows[is_view[trace.slices.name[rows]]]]
    if len(durations) < FEWEST_VIEWS or durations.min() < MOST_NS:
        return None
    return Reason("profile_times_long", count=len(durations), name=VIEW, time=int(durations.min()) // 1_000)
