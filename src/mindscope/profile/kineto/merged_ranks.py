# SPDX-License-Identifier: Apache-2.0
"""Whether a trace holds several ranks or runs under the same process, so that their calls can't be separated."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import Role
from mindscope.profile.kineto.processes import process_codes
from mindscope.profile.nesting import nesting_of
from mindscope.profile.trace import Slices, Trace
from mindscope.reasons import Reason

FEWEST_OVERLAPS, FEWEST_SHARE = 8, 0.005
"""Fewest operators and launches that begin in another one of their thread and end after it. A thread runs none so;
merged ranks of one training have 1 % or more."""
_ROUNDED_NS = 1_000
"""Old traces have whole microseconds: a call may end one after the call around it."""
_MOST_CALLS = 1 << 20
"""From more of them, short ranges of time decide, which are spread over the trace."""
_RANGES = 64


def merged_ranks(trace: Trace, roles: NDArray[np.uint8]) -> Reason | None:
    """Return why the trace is not that of one rank in one run; None if nothing says so.

    Args:
        trace: of PyTorch.
        roles: of its slices.
    """
    steps, (overlaps, calls) = _repeated_steps(trace, roles), _overlaps(trace.slices, roles)
    if not steps and overlaps < max(FEWEST_OVERLAPS, FEWEST_SHARE * calls):
        return None
    return Reason("profile_ranks_merged", steps=steps, overlaps=overlaps)


def _repeated_steps(trace: Trace, roles: NDArray[np.uint8]) -> int:
    """Count the marks of steps whose number the process has marked before."""
    rows = np.flatnonzero(roles == Role.STEP)
    process = process_codes(trace, trace.slices.track[rows])
    return len(rows) - len({*zip(process.tolist(), trace.slices.name[rows].tolist(), strict=True)})


def _overlaps(slices: Slices, roles: NDArray[np.uint8]) -> tuple[int, int]:
    """Count the calls that end after the one in which they begin, and the calls that were looked at."""
    rows = np.flatnonzero(np.isin(roles, (Role.OPERATOR, Role.LAUNCH)))
    if len(rows) > _MOST_CALLS:
        rows = rows[_in_ranges(slices.start[rows], _MOST_CALLS / len(rows))]
    calls = Slices(*(getattr(slices, each.name)[rows] for each in fields(Slices)))
    return nesting_of(calls, _ROUNDED_NS).overlaps, len(rows)


def _in_ranges(times: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
    """Tell which times are in the first part of each of some equal ranges."""
    low = int(times.min())
    period = max((int(times.max()) - low) // _RANGES, 1)
    return (times - low) % period < share * period
