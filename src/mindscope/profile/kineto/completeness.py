# SPDX-License-Identifier: Apache-2.0
"""Finds what a trace of PyTorch lacks or holds twice, as other tools leave it when they cut and merge traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.kineto.processes import processes_of
from mindscope.profile.trace.repeated_events import REPEATED
from mindscope.profile.trace.trace import Trace
from mindscope.reasons import Reason

FEWEST_KERNELS = 0.5
"""Kernels for each call that launches one. PyTorch records both; a few are lost at the ends of a profile."""
MOST_UNMARKED, MOST_UNMARKED_SHARE = 8, 0.1
"""Operators before or after all steps, and their share of those of a step, without a word."""
_MOST_NAMED = 8


def problems_of(trace: Trace) -> Iterator[Reason]:
    """Yield the reasons why tables of a trace are not those of the whole training of one process."""
    processes = processes_of(trace)
    if len(processes) > 1:
        names = ", ".join(processes[:_MOST_NAMED]) + (", ..." if len(processes) > _MOST_NAMED else "")
        yield Reason("profile_several_processes", count=len(processes), processes=names)
    repeated = trace.skipped.get(REPEATED)
    if repeated is not None:
        yield Reason("profile_events_repeated", count=repeated.count)
    launches, kernels = _launches(trace), _kernels(trace)
    if kernels < FEWEST_KERNELS * launches:
        yield Reason("profile_kernels_missing", launches=launches, kernels=kernels)


def unmarked_operators(trace: Trace, roles: NDArray[np.uint8]) -> Reason | None:
    """Return operators before the first marked step and after the last one, where marks of steps are cut off.

    None where there are few: the profiler itself runs some as it begins and ends.
    """
    slices = trace.slices
    marks, operators = np.flatnonzero(roles == SliceRole.STEP), np.flatnonzero(roles == SliceRole.OPERATOR)
    if not len(marks):
        return None
    begin, end = slices.start[marks].min(), (slices.start + slices.duration)[marks].max()
    before, after = int((slices.start[operators] < begin).sum()), int((slices.start[operators] >= end).sum())
    each_step = (len(operators) - before - after) / len(marks)
    if max(before, after) <= max(MOST_UNMARKED, MOST_UNMARKED_SHARE * each_step):
        return None
    return Reason("profile_steps_unmarked", before=before, after=after)


def _launches(trace: Trace) -> int:
    """Count the calls that run one kernel each."""
    of_runtime = _named(trace.slices.category, trace.categories, lambda each: each.endswith(("runtime", "driver")))
    return int((of_runtime & _named(trace.slices.name, trace.names, lambda name: "LaunchKernel" in name)).sum())


def _kernels(trace: Trace) -> int:
    return int(_named(trace.slices.category, trace.categories, lambda each: each.endswith("kernel")).sum())


def _named(codes: NDArray[np.uint32], texts: Sequence[str], is_wanted: Callable[[str], bool]) -> NDArray[np.bool_]:
    wanted = np.array([is_wanted(text) for text in texts], np.bool_)
    return wanted[codes] if len(wanted) else np.zeros(len(codes), np.bool_)
