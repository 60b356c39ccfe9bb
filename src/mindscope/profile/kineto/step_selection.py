# SPDX-License-Identifier: Apache-2.0
"""The part of a trace of PyTorch that belongs to some steps."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import ON_DEVICE, SliceRole
from mindscope.profile.trace.trace import Events, Slices


def analysis_of_steps(analysis: KinetoAnalysis, first: int, last: int) -> KinetoAnalysis:
    """Select what begins within the steps from number ``first`` to ``last``, and the kernels that they launched."""
    trace, steps, work = analysis.trace, analysis.marked_steps, analysis.device
    is_chosen = np.append((steps.number >= first) & (steps.number <= last), False)  # the last one for no step
    kept = is_chosen[steps.at(trace.slices.start)]
    is_frame = np.isin(analysis.roles, (SliceRole.FRAME, SliceRole.MODULE))
    # Frames begin before the first step; without them operators would lose their stacks.
    kept |= is_frame & _overlaps(analysis, is_chosen[:-1])
    kept[np.isin(analysis.roles, ON_DEVICE)] = False
    kept[work.slice[is_chosen[work.step]]] = True
    kept_events = is_chosen[steps.at(trace.events.time)]
    chosen = replace(
        trace, slices=_select(Slices, trace.slices, kept), events=_select(Events, trace.events, kept_events)
    )
    source = analysis.source.select(chosen, kept, kept_events)
    return KinetoAnalysis(chosen, source, analysis.profiler, analysis.device_kind)


def _overlaps(analysis: KinetoAnalysis, is_chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which slices overlap the time from the first to the last chosen step."""
    steps, slices = analysis.marked_steps, analysis.trace.slices
    if not is_chosen.any():
        return np.zeros(len(slices), np.bool_)
    begin, end = steps.start[is_chosen].min(), steps.end[is_chosen].max()
    return (slices.start < end) & (slices.start + slices.duration > begin)


def _select(columns: type[Any], found: Any, rows: NDArray[np.bool_]) -> Any:
    return columns(*(getattr(found, field.name)[rows] for field in fields(columns)))
