# SPDX-License-Identifier: Apache-2.0
"""Processes of a trace. PyTorch writes one to a file; other tools merge those of several ranks, which share ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.trace import Trace
from mindscope.table.columns import integers_of

_OF_HOST = ("cpu_op", "operator", "python_function")
"""Categories of what only a process of the host runs."""


def processes_of(trace: Trace) -> list[str]:
    """Return the processes that ran operators or Python functions."""
    is_host = np.array([category.lower() in _OF_HOST for category in trace.categories], np.bool_)
    is_used = np.zeros(len(trace.tracks), np.bool_)
    if len(trace.slices):
        is_used[trace.slices.track[is_host[trace.slices.category]]] = True
    tracks = np.flatnonzero(is_used)
    return list(dict.fromkeys(trace.tracks[track].process for track in integers_of(tracks)))


def process_codes(trace: Trace, tracks: NDArray[np.uint32]) -> NDArray[np.int32]:
    """Return the process of each of n tracks, as a number of its own."""
    known: dict[str, int] = {}
    codes = [known.setdefault(track.process, len(known)) for track in trace.tracks]
    return np.array(codes, np.int32)[tracks] if codes else np.zeros(len(tracks), np.int32)


def of_one_process(ids: NDArray[Any], process: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which of n rows have an id that only rows of one process have."""
    if not len(ids) or (process == process[0]).all():
        return np.ones(len(ids), np.bool_)
    _, group = np.unique(ids, return_inverse=True)
    group = group.reshape(-1)
    least, most = np.full(int(group.max()) + 1, np.iinfo(np.int32).max), np.full(int(group.max()) + 1, -1)
    np.minimum.at(least, group, process)
    np.maximum.at(most, group, process)
    return (least == most)[group]
