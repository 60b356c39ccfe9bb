# SPDX-License-Identifier: Apache-2.0
"""Steps of a trace of PyTorch, and on what their time went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.analysis import PHASES, KinetoAnalysis
from mindscope.profile.kineto.categories import DATA_LOADER_PREFIX, SliceRole
from mindscope.profile.kineto.cut_steps import incomplete_steps
from mindscope.profile.kineto.device_work import COMMUNICATION, COMPUTE, COPY
from mindscope.profile.kineto.host_calls import HostCalls
from mindscope.profile.tables.steps import UNKNOWN_DURATION, Steps
from mindscope.profile.texts import Missing
from mindscope.profile.trace.time_split import NO_INTERVALS, Intervals, covered, masked, split_time, union
from mindscope.store.mapped_columns import release_pages
from mindscope.table.columns import Durations

_HOST_BACKENDS = ("gloo:", "mpi:", "ucc:")
_HOST_COMMUNICATION = ("c10d::", *_HOST_BACKENDS)
"""Beginnings of communication on CPUs. On devices, calls of ``c10d`` only launch the kernels that communicate."""
_CHUNK = 1 << 18
_HOST_ROLES = (SliceRole.OPERATOR, SliceRole.ANNOTATION, SliceRole.LAUNCH, SliceRole.FRAME, SliceRole.MODULE)


def steps_of(analysis: KinetoAnalysis) -> Steps | Missing:
    """Return the marked steps, to the end of their last kernel. Without marks: missing."""
    steps = analysis.steps
    if not len(steps):
        return analysis.missing("steps")
    layers = _layers(analysis)
    release_pages()
    start, end = steps.start, steps.end
    compute, communication, copy, waiting, host, idle = _split(layers, start, end, len(analysis.device) > 0)
    both = union(layers.compute, layers.communication)
    overlapped = (
        covered(layers.compute, start, end) + covered(layers.communication, start, end) - covered(both, start, end)
    )
    del layers, both
    release_pages()
    is_incomplete = incomplete_steps(analysis)
    phases = _phases(analysis, is_incomplete)
    return Steps(
        number=steps.number, start=start, duration=end - start, compute=compute, communication=communication, copy=copy,
        data_waiting=waiting, host=host, idle=idle, overlapped=overlapped,
        device_busy=covered(_device_work(analysis), start, end) if len(analysis.device) else None,
        sm_efficiency=_sm_efficiency(analysis),
        interval=None if phases is None else phases[0],
        forward_backward=None if phases is None else phases[1],
        tail=None if phases is None else phases[2],
        is_incomplete=is_incomplete,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Layers:
    """The times of the layers of a step: disjoint intervals in order of time."""

    compute: Intervals
    communication: Intervals
    copy: Intervals
    waiting: Intervals
    host: Intervals


def _layers(analysis: KinetoAnalysis) -> _Layers:
    calls, work = analysis.calls, analysis.device
    waiting = _when(calls, _named(analysis, (DATA_LOADER_PREFIX,)) & (calls.role == SliceRole.ANNOTATION))
    is_host = np.isin(calls.role, _HOST_ROLES)
    host = _when(calls, is_host & (calls.parent < 0))
    is_communication = _named(analysis, _HOST_BACKENDS if len(work) else _HOST_COMMUNICATION) & is_host
    communication = _when(calls, is_communication)
    if len(work):
        compute, kernels, copy = (
            union(masked(work.start, work.duration, work.is_kind(kind))) for kind in (COMPUTE, COMMUNICATION, COPY)
        )
        return _Layers(compute, kernels if len(kernels[0]) else communication, copy, waiting, host)
    compute = _when(calls, analysis.is_operator & ~is_communication)
    return _Layers(compute, communication, NO_INTERVALS, waiting, host)


def _when(calls: HostCalls, mask: NDArray[np.bool_]) -> Intervals:
    """The union of the chosen calls, of a part of them after the other: times of all of them take much memory."""
    slices, parts = calls.trace.slices, range(0, calls.first_mark, _CHUNK)
    chosen = (calls.slices[first : first + _CHUNK][mask[first : calls.first_mark][:_CHUNK]] for first in parts)
    return union(*(union((slices.start[rows], slices.start[rows] + slices.duration[rows])) for rows in chosen))


def _device_work(analysis: KinetoAnalysis) -> Intervals:
    """Return when the devices run anything: kernels and copies only."""
    work = analysis.device
    return union((work.start, work.end))


def _split(
    layers: _Layers, start: NDArray[np.int64], end: NDArray[np.int64], has_device: bool
) -> tuple[Durations, Durations, Durations | None, Durations, Durations, Durations]:
    """Return compute, communication, copy, data waiting, host and idle of each step."""
    if has_device:
        order = (layers.compute, layers.communication, layers.copy, layers.waiting, layers.host)
        compute, communication, copy, waiting, host, idle = split_time(order, start, end)
        return compute, communication, copy, waiting, host, idle
    # On a CPU the operators that collate a batch run while the training waits for it.
    order = (layers.waiting, layers.compute, layers.communication, layers.host)
    waiting, compute, communication, host, idle = split_time(order, start, end)
    return compute, communication, None, waiting, host, idle


def _sm_efficiency(analysis: KinetoAnalysis) -> NDArray[np.float64] | None:
    """Return TensorBoard's estimate for each step; None if no kernel has blocks."""
    work, steps = analysis.device, analysis.steps
    blocks = work.arguments.numbers["blocks per SM"]
    known = np.isfinite(blocks) & (work.duration > 0)
    if not known.any():
        return None
    zero = min(int(work.start[known].min()), int(steps.start.min()))
    times = np.concatenate([work.start[known], work.end[known]]) - zero
    order = np.argsort(times, kind="stable")
    in_flight = np.cumsum(np.concatenate([blocks[known], -blocks[known]])[order])
    times = times[order].astype(np.float64)
    used = np.concatenate([[0.0], np.cumsum(np.clip(in_flight[:-1], 0, 1) * np.diff(times))])
    begins, ends = ((each - zero).astype(np.float64) for each in (steps.start, steps.end))
    covered_ns = np.interp(ends, times, used) - np.interp(begins, times, used)
    return np.divide(covered_ns, ends - begins, out=np.zeros(len(steps)), where=ends > begins)


def _phases(
    analysis: KinetoAnalysis, is_incomplete: NDArray[np.bool_] | None
) -> tuple[Durations, Durations, Durations] | None:
    """Return step interval, forward and backward, tail of each step: MindInsight's; None if no step has them.

    They are unknown of a step without a forward or a backward pass, and of an incomplete one: what is cut off may be
    the end of a phase.
    """
    steps = analysis.steps
    begin = np.full(len(steps), np.iinfo(np.int64).max)
    finish = np.full(len(steps), np.iinfo(np.int64).min)
    for starts, ends, phase, step in _phased(analysis):
        is_forward, is_backward = (phase == PHASES.index(each) for each in ("forward", "backward"))
        np.minimum.at(begin, step[is_forward], starts[is_forward])
        np.maximum.at(finish, step[is_backward], ends[is_backward])
    begin, finish = np.maximum(begin, steps.start), np.minimum(finish, steps.end)
    has_phases = finish >= begin
    if is_incomplete is not None:
        has_phases &= ~is_incomplete
    if not has_phases.any():
        return None
    points = steps.start, begin, finish, steps.end
    interval, forward_backward, tail = (
        np.where(has_phases, after - before, UNKNOWN_DURATION) for before, after in pairwise(points)
    )
    return interval, forward_backward, tail


def _phased(
    analysis: KinetoAnalysis,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]]:
    """Return starts, ends, phases and steps of what computes: kernels by their operators, or operators of the host."""
    work, calls, phases = analysis.device, analysis.calls, analysis.phase
    if len(work):
        known = (work.operator >= 0) & (work.step >= 0)
        yield work.start[known], work.end[known], phases[work.operator[known]], work.step[known]
        return
    slices = calls.trace.slices
    for first in range(0, calls.first_mark, _CHUNK):
        rows = calls.slices[first : first + _CHUNK]
        part = slice(first, first + len(rows))
        start, step = slices.start[rows], analysis.marked_steps.at(slices.start[rows])
        known = analysis.is_operator[part] & (step >= 0)
        yield start[known], (start + slices.duration[rows])[known], phases[part][known], step[known]


def _named(analysis: KinetoAnalysis, prefixes: tuple[str, ...]) -> NDArray[np.bool_]:
    found = np.array([name.startswith(prefixes) for name in analysis.trace.names], np.bool_)
    return found[analysis.calls.name] if len(found) else np.zeros(len(analysis.calls), np.bool_)
