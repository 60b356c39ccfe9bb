# SPDX-License-Identifier: Apache-2.0
"""Whether the times of a JSON trace can be microseconds, which the format wants; other tools write other units.

``displayTimeUnit`` says only how viewers print times. Nothing is scaled: the profile says what can't be true.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from mindscope.formats.json_trace_files import json_head
from mindscope.profile.trace.trace import Trace
from mindscope.reasons import Reason

YEAR_NS = 31_556_952 * 1_000_000_000
FIRST_YEAR, LAST_YEAR = 2001, 2060
"""Years in which a trace can be recorded."""
LONGEST_UPTIME_YEARS = 10
"""A clock that does not begin at 1970 begins with its machine, which runs no longer."""
FEWEST_SLICES, LEAST_NS = 50, 5
"""So many slices of one thread take at least as many nanoseconds each: a profiler takes longer to write one down."""
_TIME = re.compile(rb'"ts"\s*:\s*"?(\d+(?:\.\d+)?(?:[eE]\+?\d{1,2})?)')


def time_unit_problem(trace: Trace, path: Path) -> Reason | None:
    """Return why the times of a trace can't be microseconds; None if they can. Raises OSError."""
    return _of_another_age(trace, path) or _too_dense(trace)


def _of_another_age(trace: Trace, path: Path) -> Reason | None:
    """Return the year that the times would be in, which no trace is from: as a rule they are nanoseconds."""
    years = _years(trace, path)
    if FIRST_YEAR <= 1970 + years <= LAST_YEAR or abs(years) <= LONGEST_UPTIME_YEARS:
        return None
    return Reason("profile_times_far", year=1970 + int(years))


def _years(trace: Trace, path: Path) -> float:
    """Return the years from 1970 to the trace: to its first event, if no time is small enough to be read."""
    start = trace.slices.start
    if len(start):
        middle = len(start) // 2
        return (int(np.partition(start, middle)[middle]) + (trace.origin_ns or 0)) / YEAR_NS
    found = _TIME.search(json_head(path)) if "no_time" in trace.skipped else None
    return 1000 * float(found[1]) / YEAR_NS if found else 0.0


def _too_dense(trace: Trace) -> Reason | None:
    """Return how many slices of a thread begin in a time that is too short for them: as a rule it is in seconds."""
    tracks = np.bincount(trace.slices.track) if len(trace.slices) else np.zeros(1, np.int64)
    count = int(tracks.max())
    begins = trace.slices.start[trace.slices.track == tracks.argmax()]
    span = int(begins.max() - begins.min()) if count >= FEWEST_SLICES else 0
    return Reason("profile_times_dense", count=count, span=span) if 0 < span < LEAST_NS * count else None
