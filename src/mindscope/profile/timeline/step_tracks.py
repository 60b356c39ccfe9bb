# SPDX-License-Identifier: Apache-2.0
"""Moves the steps of a training to tracks of their own: they begin and end within Python frames."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from mindscope.profile.trace.trace import Trace
from mindscope.store.mapped_columns import mapped

STEP = re.compile(r"ProfilerStep\s*#?\s*(\d{1,15})")
STEPS = "ProfilerStep"
"""Name of such a track."""


def with_step_tracks(trace: Trace) -> Trace:
    """Return the trace with the marks of steps of each track on another one before it."""
    names = [index for index, name in enumerate(trace.names) if STEP.fullmatch(name)]
    is_step = np.isin(trace.slices.name, names)
    if not is_step.any():
        return trace
    track = np.array(trace.slices.track)
    tracks = list(trace.tracks)
    numbers: list[int] = np.unique(track[is_step]).tolist()
    for number in numbers:
        of = tracks[number]
        track[is_step & (track == number)] = len(tracks)
        tracks.append(of._replace(thread=f"{of.thread} steps", thread_name=STEPS, thread_order=of.thread_order - 1))
    return replace(trace, slices=replace(trace.slices, track=mapped(track)), tracks=tracks)
