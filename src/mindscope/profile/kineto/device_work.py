# SPDX-License-Identifier: Apache-2.0
"""Collects what the devices ran, with the call that launched it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.call_arguments import CallArguments, Ids
from mindscope.profile.kineto.categories import SliceRole
from mindscope.profile.kineto.host_calls import CallRows, HostCalls
from mindscope.profile.kineto.processes import of_one_process, process_codes
from mindscope.profile.kineto.step_ranges import StepRanges
from mindscope.profile.trace.argument_columns import NO_INTEGER, ArgumentNames, Arguments
from mindscope.profile.trace.trace import Trace
from mindscope.store.mapped_columns import mapped
from mindscope.table.columns import TextColumn
from mindscope.table.grouping import distinct_rows

COMPUTE, COMMUNICATION, COPY = "compute", "communication", "copy"
_COMMUNICATION_NAME = re.compile(r"nccl|rccl|hccl|oneccl|mscclKernel", re.IGNORECASE)

WANTED = ArgumentNames(
    integers=("External id", "correlation", "device", "stream", "bytes", "Seq", "Group size", "In msg nelems"),
    numbers=("blocks per SM", "est. achieved occupancy %"),
    texts=(
        "grid", "block", "Collective name", "dtype", "Process Group Name", "Process Group Description",
        "Process Group Ranks",
    ),
)  # fmt: skip
"""Arguments of what devices ran."""


@dataclass(frozen=True)
class DeviceWork:
    """Columns of n kernels, copies and sets of memory, in the order of the file."""

    slice: NDArray[np.int64]
    """Row among the slices of the trace."""
    name: NDArray[np.uint32]
    start: NDArray[np.int64]
    duration: NDArray[np.int64]
    kind: TextColumn
    """``compute``, ``communication`` or ``copy``."""
    device: TextColumn
    stream: TextColumn
    launch: CallRows
    """The host call that launched it; -1 if it is not in the trace."""
    operator: CallRows
    """The innermost operator around the launch, as a host call; -1 for none."""
    step: NDArray[np.int64]
    """Index of the step that launched it; without a launch, in which it began; -1 for none."""
    arguments: Arguments

    @property
    def end(self) -> NDArray[np.int64]:
        """End of each slice in nanoseconds."""
        return self.start + self.duration

    def __len__(self) -> int:
        return len(self.slice)

    def is_kind(self, *kinds: str) -> NDArray[np.bool_]:
        """Return which rows are of one of these kinds."""
        return self.kind.is_any_of(lambda text: text in kinds)


def device_work_of(
    trace: Trace,
    rows: NDArray[np.int64],
    roles: NDArray[np.uint8],
    arguments: Arguments,
    calls: HostCalls,
    call_arguments: CallArguments,
    steps: StepRanges,
    device_kind: str = "GPU",
) -> DeviceWork:
    """Link the device's slices ``rows`` to the calls that launched them.

    Args:
        trace: of PyTorch.
        rows: (n,) slices of the trace that a device ran.
        roles: of all slices of the trace.
        arguments: of ``rows``.
        calls: of the host.
        call_arguments: beside ``calls``.
        steps: as marked on the host.
        device_kind: what tables call a device, before its number.
    """
    slices = trace.slices
    start = slices.start[rows]
    launch = _launches(arguments, calls, call_arguments)
    when = np.where(launch >= 0, calls.start[launch], start) if len(calls) else start
    return DeviceWork(
        slice=mapped(rows),
        name=mapped(slices.name[rows]),
        start=mapped(start),
        duration=mapped(slices.duration[rows]),
        kind=_kinds(trace, rows, roles, arguments),
        device=_devices(trace, rows, arguments, device_kind),
        stream=_streams(trace, rows, arguments),
        launch=mapped(launch),
        operator=mapped(_operators(launch, arguments, calls, call_arguments)),
        step=mapped(steps.at(when)),
        arguments=arguments,
    )


def _launches(arguments: Arguments, calls: HostCalls, call_arguments: CallArguments) -> CallRows:
    """Return the launch of each kernel by correlation; one launch of a CUDA graph has many kernels."""
    rows, ids = np.flatnonzero(calls.role == SliceRole.LAUNCH), call_arguments.correlation
    return _lookup(arguments.integers["correlation"], ids, _of_one_process(calls, rows, ids))


def _of_one_process(calls: HostCalls, rows: NDArray[np.int64], ids: Ids) -> NDArray[np.int64]:
    """Return ``rows`` without those whose id calls of several processes have."""
    return rows[of_one_process(ids[rows], process_codes(calls.trace, calls.track[rows]))]


def _operators(launch: CallRows, arguments: Arguments, calls: HostCalls, call_arguments: CallArguments) -> CallRows:
    """Find operators by the external id of the launch, then by the calls around it, then by that of the kernel."""
    is_operator = calls.role == SliceRole.OPERATOR
    ids = call_arguments.external_id
    rows = _of_one_process(calls, np.flatnonzero(is_operator), ids)
    none = np.full(len(launch), -1, np.int32)
    if not len(calls):
        return none
    by_launch = np.where(launch >= 0, _lookup(ids[launch], ids, rows), none)
    around = np.where(launch >= 0, calls.nearest(is_operator)[launch], none)
    by_kernel = _lookup(arguments.integers["External id"], ids, rows)
    # The id of an annotation names no operator; then only the calls around the launch can tell.
    return np.where(by_launch >= 0, by_launch, np.where(launch >= 0, around, by_kernel))


def _lookup(wanted: Ids, ids: Ids, rows: NDArray[np.int64]) -> CallRows:
    """Return the first of ``rows`` whose id is each of ``wanted``; -1 for none. Ids below 1 are none."""
    known = rows[ids[rows] > 0]
    if not len(known):
        return np.full(len(wanted), -1, np.int32)
    order = known[np.argsort(ids[known], kind="stable")].astype(np.int32)
    index = np.minimum(np.searchsorted(ids[order], wanted), len(order) - 1)
    return np.where((wanted > 0) & (ids[order[index]] == wanted), order[index], np.int32(-1))


def _kinds(trace: Trace, rows: NDArray[np.int64], roles: NDArray[np.uint8], arguments: Arguments) -> TextColumn:
    by_name = np.array([_COMMUNICATION_NAME.search(name) is not None for name in trace.names], np.bool_)
    is_communication = by_name[trace.slices.name[rows]] if len(by_name) else np.zeros(len(rows), np.bool_)
    is_communication |= arguments.texts["Collective name"].codes > 0
    codes = np.where(roles[rows] != SliceRole.KERNEL, 2, np.where(is_communication, 1, 0))
    return TextColumn(codes.astype(np.uint32), [COMPUTE, COMMUNICATION, COPY])


def _devices(trace: Trace, rows: NDArray[np.int64], arguments: Arguments, kind: str) -> TextColumn:
    """Return the device by the argument, else by the process of the track."""
    processes = [_number(track.process) for track in trace.tracks]
    by_track = np.array(processes, np.int64)[trace.slices.track[rows]] if processes else np.empty(0, np.int64)
    device = arguments.integers["device"]
    numbers, codes = np.unique(np.where(device >= 0, device, by_track), return_inverse=True)
    return TextColumn(codes.reshape(-1).astype(np.uint32), [f"{kind} {number}" for number in numbers.tolist()])


def _streams(trace: Trace, rows: NDArray[np.int64], arguments: Arguments) -> TextColumn:
    """Return the stream by the argument, else by the thread of the track; a negative number means no stream."""
    threads = [_number(track.thread) for track in trace.tracks]
    track = trace.slices.track[rows].astype(np.int64)
    by_track = np.array(threads, np.int64)[track] if threads else np.empty(0, np.int64)
    stream = arguments.integers["stream"]
    number = np.where(stream != NO_INTEGER, stream, by_track)
    keys, codes = distinct_rows(number, np.where(number < 0, track, -1))
    texts = [(own < 0 and trace.tracks[of].thread_name) or f"stream {own}" for own, of in keys]
    return TextColumn(codes.astype(np.uint32), texts)


def _number(text: str) -> int:
    """Return the first number in a text, 0 without one."""
    found = re.search(r"\d{1,15}", text)
    return int(found[0]) if found else 0
