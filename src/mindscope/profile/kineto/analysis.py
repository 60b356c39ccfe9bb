# SPDX-License-Identifier: Apache-2.0
"""The events of one trace of PyTorch, linked: what all tables are computed from. Each part is computed once."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto import device_work
from mindscope.profile.kineto.call_arguments import CallArguments, Ids, call_arguments_of
from mindscope.profile.kineto.categories import (
    BACKWARD_PREFIX,
    DATA_LOADER_PREFIX,
    ON_DEVICE,
    OPTIMIZER_PREFIX,
    SliceRole,
    roles_of,
)
from mindscope.profile.kineto.device_work import DeviceWork, device_work_of
from mindscope.profile.kineto.host_calls import CallRows, HostCalls, StepTime, host_calls_of
from mindscope.profile.kineto.paths import Paths
from mindscope.profile.kineto.processes import process_codes, processes_of
from mindscope.profile.kineto.step_ranges import StepRanges, step_ranges_of
from mindscope.profile.texts import Missing
from mindscope.profile.trace.argument_columns import NO_INTEGER, ArgumentNames, Arguments, ArgumentSource
from mindscope.profile.trace.trace import Trace
from mindscope.store.mapped_columns import mapped
from mindscope.table.columns import TextColumn, integers_of
from mindscope.table.grouping import sums_of

PHASES = ("", "forward", "backward", "optimizer", "data")
"""Purposes of calls, by the codes of ``KinetoAnalysis.phase``."""
_FORWARD, _BACKWARD, _OPTIMIZER, _DATA = 1, 2, 3, 4
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_OF_MARKS = ArgumentNames(("Device Type", "Device Id", "Addr", "Bytes", "Total Allocated", "Total Reserved"))


class KinetoAnalysis:
    """Links of the events of a trace.

    Args:
        trace: what the file holds.
        source: its arguments.
        profiler: that recorded it, which the codes of missing parts begin with.
        device: what tables call its devices, before the number.
    """

    def __init__(self, trace: Trace, source: ArgumentSource, profiler: str = "torch", device: str = "GPU") -> None:
        self.trace, self.source = trace, source
        self.profiler, self.device_kind = profiler, device

    def missing(self, part: str) -> Missing:
        """Return the reason why a part is missing, in words for the profiler that recorded the trace."""
        return Missing(f"{self.profiler}_{part}")

    @cached_property
    def roles(self) -> NDArray[np.uint8]:
        """``SliceRole`` of each slice of the trace."""
        return mapped(roles_of(self.trace))

    @cached_property
    def calls(self) -> HostCalls:
        """The calls that the host ran."""
        return host_calls_of(self.trace, self.roles, self.frame_names.codes, self._step_time)

    @property
    def _step_time(self) -> StepTime | None:
        steps = self.marked_steps
        if not len(steps):
            return None
        tracks = self.trace.slices.track[self.roles == SliceRole.STEP]
        return StepTime(int(np.bincount(tracks).argmax()), int(steps.start[0]), int(steps.end.max()))

    @cached_property
    def marked_steps(self) -> StepRanges:
        """Steps as marked on the host."""
        return step_ranges_of(self.trace, self.roles)

    @cached_property
    def steps(self) -> StepRanges:
        """Steps to the end of their last kernel."""
        return self.marked_steps.stretched(self.device.step, self.device.end)

    @cached_property
    def call_arguments(self) -> CallArguments:
        """The arguments beside ``calls``."""
        return call_arguments_of(self.source, self.calls, bool(np.isin(self.roles, ON_DEVICE).any()))

    def forget_arguments(self) -> None:
        """Free the arguments of calls and marks, after all that follows from them; they are read again if needed."""
        _ = self.device, self.forward_operator
        for name in ("call_arguments", "mark_arguments"):
            self.__dict__.pop(name, None)

    @cached_property
    def mark_arguments(self) -> Arguments:
        """The arguments of the marks of the allocator, in the order of ``calls.marks``."""
        return self.source.of_events(self.calls.marks, _OF_MARKS)

    @cached_property
    def device(self) -> DeviceWork:
        """The work that the devices ran."""
        rows = np.flatnonzero(np.isin(self.roles, ON_DEVICE))
        arguments = self.source.of_slices(rows, device_work.WANTED)
        return device_work_of(
            self.trace,
            rows,
            self.roles,
            arguments,
            self.calls,
            self.call_arguments,
            self.marked_steps,
            self.device_kind,
        )

    @cached_property
    def is_operator(self) -> NDArray[np.bool_]:
        """Whether each call is an operator. As in torch's tables, an only child with the name of its parent is none."""
        calls = self.calls
        found = calls.role == SliceRole.OPERATOR
        inner = np.flatnonzero(found & calls.is_only_child)
        above = calls.parent[inner]
        found[inner[(calls.name[above] == calls.name[inner]) & found[above]]] = False
        return found

    @property
    def host_self(self) -> NDArray[np.int64]:
        """Nanoseconds of each operator without what it calls; 0 for other calls."""
        rows = np.flatnonzero((self.calls.role == SliceRole.OPERATOR) & (self.operator >= 0))
        return sums_of(self.operator[rows], self.calls.own[rows], len(self.calls))

    @cached_property
    def operator(self) -> CallRows:
        """The innermost operator of each call, or itself; -1 for none."""
        return mapped(self.calls.nearest(self.is_operator))

    @cached_property
    def phase(self) -> NDArray[np.uint8]:
        """Purpose of each call, an index into ``PHASES``: backward is what autograd runs, forward what it recorded."""
        own = np.zeros(len(self.calls), np.uint8)
        sequence, has_forward = self._sequence, self.call_arguments.has_forward_thread
        is_backward = self._has_name(BACKWARD_PREFIX) | (self.is_operator & has_forward)
        recorded = np.unique(sequence[is_backward & (sequence >= 0)])
        own[self.is_operator & (sequence >= 0) & np.isin(sequence, recorded)] = _FORWARD
        own[self.calls.role == SliceRole.MODULE] = _FORWARD
        own[is_backward] = _BACKWARD
        own[self._has_name(OPTIMIZER_PREFIX)] = _OPTIMIZER
        own[self._has_name(DATA_LOADER_PREFIX)] = _DATA
        return mapped(self.calls.outermost(own))

    @property
    def _sequence(self) -> Ids:
        """The number of the node of autograd of each call; -1 for none. Those of different processes differ."""
        sequence = self.call_arguments.sequence
        if len(processes_of(self.trace)) < 2:
            return sequence
        process = process_codes(self.trace, self.calls.track).astype(np.int64)
        return np.where(sequence >= 0, sequence * (process.max(initial=0) + 1) + process, -1)

    @cached_property
    def modules(self) -> Paths:
        """Modules around each call."""
        return self.calls.paths(self.calls.role == SliceRole.MODULE)

    @property
    def frames(self) -> Paths:
        """Python frames around each call, modules among them, by ``frame_names``."""
        return self.calls.frames

    @cached_property
    def frame_names(self) -> TextColumn:
        """The names of the trace without the addresses of objects, so that equal stacks have equal texts."""
        return TextColumn.of(_ADDRESS.sub("", name) for name in self.trace.names)

    def stack_texts(self, paths: NDArray[np.int32]) -> TextColumn:
        """Return the frames of each path of ``frames`` joined by ``;``, the innermost first; empty for -1."""
        used, codes = np.unique(paths, return_inverse=True)
        names = self.frame_names.values
        texts = [";".join(names[name] for name in self.frames.chain(path)) for path in integers_of(used)]
        return TextColumn(codes.reshape(-1).astype(np.uint32), texts)

    @cached_property
    def forward_operator(self) -> CallRows:
        """The forward operator that made the node of autograd around each call; -1 for none."""
        found = np.full(len(self.calls), -1, np.int32)
        sequence, is_backward = self._sequence, self.phase == PHASES.index("backward")
        linked = self.calls.nearest(is_backward & (sequence >= 0))
        backward = np.flatnonzero(is_backward & (linked >= 0))
        forward = np.flatnonzero(self.is_operator & ~is_backward & (sequence >= 0))
        if len(forward) and len(backward):
            # Of several forward operators of one number the last one made the node.
            order = forward[np.lexsort((self.calls.start[forward], sequence[forward]))]
            wanted = sequence[linked[backward]]
            index = np.searchsorted(sequence[order], wanted, side="right") - 1
            is_known = (index >= 0) & (sequence[order[index]] == wanted)
            found[backward] = np.where(is_known, order[index], -1)
        return mapped(found)

    @property
    def module_path(self) -> NDArray[np.int32]:
        """The path in ``modules`` of each call: of a call of the backward pass that of its forward operator."""
        return self._of_forward(self.modules.of_call)

    @property
    def frame_path(self) -> NDArray[np.int32]:
        """The path in ``frames`` of each call: of a call of the backward pass that of its forward operator."""
        return self._of_forward(self.frames.of_call)

    def _of_forward(self, paths: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.where(self.forward_operator >= 0, paths[self.forward_operator], paths)

    @cached_property
    def device_self(self) -> NDArray[np.int64]:
        """Nanoseconds on devices that each call launched: at its innermost operator, else at the launch itself."""
        if not len(self.calls):
            return np.zeros(0, np.int64)
        launching = np.where(self.device.operator >= 0, self.device.operator, self.device.launch)
        owner = np.where((launching >= 0) & (self.operator[launching] >= 0), self.operator[launching], launching)
        known = owner >= 0
        return mapped(sums_of(owner[known], self.device.duration[known], len(self.calls)))

    @cached_property
    def device_total(self) -> NDArray[np.int64]:
        """Nanoseconds on devices that each call and those within it launched."""
        return mapped(self.calls.with_descendants(self.device_self))

    @property
    def memory_self(self) -> NDArray[np.int64]:
        """Bytes that each operator allocated itself minus those that it freed.

        As in torch's tables, those of annotations, modules and frames within it are theirs.
        """
        size = self.mark_arguments.integers["Bytes"]
        marks = slice(self.calls.first_mark, None)
        owner, above, frame = self.operator[marks], self.calls.parent[marks], self.frames.of_call
        is_own = (self.calls.role[above] == SliceRole.OPERATOR) & (frame[marks] == frame[above])
        known = (owner >= 0) & (size != NO_INTEGER) & is_own
        return sums_of(owner[known], size[known], len(self.calls))

    def _has_name(self, prefix: str) -> NDArray[np.bool_]:
        """Return which calls have a name with this prefix."""
        named = np.array([name.startswith(prefix) for name in self.trace.names], np.bool_)
        return named[self.calls.name] if len(named) else np.zeros(len(self.calls), np.bool_)
