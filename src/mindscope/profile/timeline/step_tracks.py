# SPDX-License-Identifier: Apache-2.0
"""Moves slices that lie between others without saying more to tracks of their own: steps, wrappers of modules."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mindscope.profile.trace.trace import Trace
from mindscope.store.mapped_columns import mapped

STEP = re.compile(r"ProfilerStep\s*#?\s*(\d{1,15})")
STEPS = "ProfilerStep"
"""Name of such a track."""
WRAPPERS = "_call_impl"
"""Name of a track of the frames between a module and its forward function, which only pass the call on."""
_WRAPPER = re.compile(r"(.*/)?torch/nn/modules/module\.py\(\d+\): _(wrapped_)?call_impl")


class _Moved(NamedTuple):
    pattern: re.Pattern[str]
    suffix: str
    """Of the identifier of the thread."""
    name: str
    offset: int
    """Of the order of the thread."""


_MOVED = (_Moved(STEP, "steps", STEPS, -1), _Moved(_WRAPPER, "wrappers", WRAPPERS, 1))


def with_step_tracks(trace: Trace) -> Trace:
    """Return the trace with the marks of steps of each track on another one before it, and with wrappers after it.

    Marks begin and end within Python frames. Wrappers would double the rows of networks.
    """
    track = np.array(trace.slices.track)
    tracks = list(trace.tracks)
    for pattern, suffix, title, offset in _MOVED:
        names = [index for index, name in enumerate(trace.names) if pattern.fullmatch(name)]
        is_moved = np.isin(trace.slices.name, names) if names else np.zeros(0, np.bool_)
        numbers: list[int] = np.unique(track[is_moved]).tolist() if names else []
        for number in numbers:
            of = tracks[number]
            track[is_moved & (track == number)] = len(tracks)
            tracks.append(
                of._replace(thread=f"{of.thread} {suffix}", thread_name=title, thread_order=of.thread_order + offset)
            )
    if len(tracks) == len(trace.tracks):
        return trace
    return replace(trace, slices=replace(trace.slices, track=mapped(track)), tracks=tracks)
