# SPDX-License-Identifier: Apache-2.0
"""Operators of a profile, with their times on host and device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Counts, Durations, Figures, Sizes, StepTexts, Texts
from mindscope.table.schema import MAX, RECOMPUTED, Unit, mean_by
from mindscope.table.table import Table

Shares = Annotated[Figures, Unit.SHARE, RECOMPUTED]


@dataclass(frozen=True, kw_only=True)
class Operators(Table):
    """One row for each operator, as finely as the profile distinguishes them; ``group_by`` merges rows.

    Self times of all rows sum to the whole. Total times contain those of the operators that an operator calls.
    """

    name: Texts
    """Names, such as ``aten::mm`` and ``MatMul-op4``."""
    type: Texts
    """Type of the computation: ``mm``, ``MatMul``."""
    device: Texts
    """Device that computes: ``CPU``, ``GPU 0``, ``NPU 0``."""
    module: Texts | None = None
    """Path of the module or scope that called it; empty outside of any."""
    phase: Texts | None = None
    """Purpose: ``forward``, ``backward``, ``optimizer``, ``data``, or empty."""
    shapes: Texts | None = None
    """Shapes of its inputs."""
    dtypes: Texts | None = None
    stack: Texts | None = None
    """Frames joined by ``;``, the innermost first."""
    count: Counts
    """Runs of the operator."""
    host_total: Durations | None = None
    host_self: Durations | None = None
    device_total: Durations | None = None
    """Sum, not union, of the kernels that it and the operators it calls launched."""
    device_self: Durations | None = None
    max: Annotated[Durations, MAX] | None = None
    """The longest run: its total time, on the device if the profile has one, else on the host."""
    flops: Counts | None = None
    """Floating-point operations of all runs."""
    memory_self: Sizes | None = None
    """Bytes that it allocated itself minus those that it freed, on its device."""
    utilization: Annotated[Figures, Unit.SHARE, mean_by("self_time")] | None = None
    """Share of the operations that the device could do in the self time."""
    step: StepTexts | None = None

    @property
    def total_time(self) -> Durations:
        """Total times on the device if operators ran there, else on the host."""
        return _first_recorded(self.device_total, self.host_total, len(self))

    @property
    def self_time(self) -> Durations:
        """Times without called operators, on the device if operators ran there, else on the host."""
        return _first_recorded(self.device_self, self.host_self, len(self))

    DERIVED = ("mean", "share", "flops_rate")
    GROUPINGS: ClassVar = {
        by: ("name", by) if by == "shapes" else (by,)
        for by in ("type", "name", "module", "phase", "shapes", "dtypes", "stack", "step", "core")
    }
    SEARCHED = ("name", "type", "module", "shapes", "dtypes")

    @property
    def weight(self) -> Durations:
        """Self times, which sum to the whole."""
        return self.self_time

    @property
    def mean(self) -> Durations:
        """Nanoseconds of a run, in total."""
        return mean_of(self.total_time, self.count)

    @property
    def share(self) -> Shares:
        """Share of the self time of all operators."""
        return share_of(self.self_time)

    @property
    def flops_rate(self) -> Annotated[Figures, Unit.GFLOPS, RECOMPUTED] | None:
        """Operations per nanosecond of self time, which are GFLOPS."""
        return None if self.flops is None else ratio_of(self.flops, self.self_time)


def mean_of(totals: Durations, counts: Counts) -> Durations:
    """Return the nanoseconds of a run, rounded; 0 without runs."""
    return np.rint(ratio_of(totals, counts)).astype(np.int64)


def ratio_of(figures: NDArray[Any], by: NDArray[np.int64]) -> Figures:
    """Return each figure by its number; 0 where that is not positive."""
    return np.divide(figures, by, out=np.zeros(len(figures)), where=by > 0)


def share_of(times: Durations) -> Figures:
    """Return the share of each time in their sum; 0 if that is 0."""
    whole = int(times.sum())
    return times / whole if whole else np.zeros(len(times))


def _first_recorded(device: Durations | None, host: Durations | None, rows: int) -> Durations:
    if device is not None and (host is None or device.any()):
        return device
    return np.zeros(rows, np.int64) if host is None else host
