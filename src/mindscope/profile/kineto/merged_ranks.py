# SPDX-License-Identifier: Apache-2.0
"""Whether a trace holds several ranks or runs under the same process, so that their calls can't be separated."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import KinetoAnalysis
from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.kineto.processes import process_codes
from mindscope.profile.trace.nesting import nesting_of
from mindscope.profile.trace.trace import Slices, Trace
from mindscope.reasons import Reason

FEWEST_OVERLAPS, FEWEST_SHARE = 8, 0.005
"""Fewest operators and launches that begin in another one of their thread and end after it. A thread runs none so;
merged ranks of one training have 1 % or more."""
_ROUNDED_NS = 1_000
"""Old traces have whole microseconds: a call may end one after the call around it."""
_MOST_CALLS = 1 << 20
"""Number of calls from which short ranges of time decide, which are spread over the trace."""
_RANGES = 64


def merged_ranks(analysis: KinetoAnalysis) -> Reason | None:
    """Return why a trace of PyTorch is not that of one rank in one run; None if nothing says so."""
    trace, roles = analysis.trace, analysis.roles
    at_once, later = _repeated_steps(trace, roles)
    steps = at_once + (later if later and _repeats_launches(analysis) else 0)
    overlaps, calls = _overlaps(trace.slices, roles)
    if not steps and overlaps < max(FEWEST_OVERLAPS, FEWEST_SHARE * calls):
        return None
    return Reason("profile_ranks_merged", steps=steps, overlaps=overlaps)


def _repeated_steps(trace: Trace, roles: NDArray[np.uint8]) -> tuple[int, int]:
    """Count the marks of steps whose number the process has marked before: during that step, and after it."""
    rows = np.flatnonzero(roles == SliceRole.STEP)
    process, name = process_codes(trace, trace.slices.track[rows]), trace.slices.name[rows]
    start = trace.slices.start[rows]
    end = start + trace.slices.duration[rows]
    order = np.lexsort((start, name, process))
    before, after = order[:-1], order[1:]
    is_same = (process[before] == process[after]) & (name[before] == name[after])
    is_later = is_same & (start[after] >= end[before] - _ROUNDED_NS)
    return int(np.count_nonzero(is_same & ~is_later)), int(np.count_nonzero(is_later))


def _repeats_launches(analysis: KinetoAnalysis) -> bool:
    """Tell whether launches of a process have one correlation.

    A training that is restarted from a checkpoint marks steps again, but its process numbers launches further.
    """
    calls = analysis.calls
    ids = analysis.call_arguments.correlation
    rows = np.flatnonzero((calls.role == SliceRole.LAUNCH) & (ids > 0))
    process = process_codes(calls.trace, calls.track[rows])
    return len(rows) - len({*zip(process.tolist(), ids[rows].tolist(), strict=True)}) >= FEWEST_OVERLAPS


def _overlaps(slices: Slices, roles: NDArray[np.uint8]) -> tuple[int, int]:
    """Count the calls that end after the one in which they begin, and the calls that were looked at."""
    rows = np.flatnonzero(np.isin(roles, (SliceRole.OPERATOR, SliceRole.LAUNCH)))
    if len(rows) > _MOST_CALLS:
        rows = rows[_in_ranges(slices.start[rows], _MOST_CALLS / len(rows))]
    calls = Slices(*(getattr(slices, field.name)[rows] for field in fields(Slices)))
    return nesting_of(calls, _ROUNDED_NS).overlaps, len(rows)


def _in_ranges(times: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
    """Tell which times are in the first part of each of some equal ranges."""
    low = int(times.min())
    period = max((int(times.max()) - low) // _RANGES, 1)
    return (times - low) % period < share * period
