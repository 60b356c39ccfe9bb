# SPDX-License-Identifier: Apache-2.0
"""Operators of a profile, with their times on host and device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import Column, Counts, Durations, Sizes, Table, TextColumn
from mindscope.profile.grouping import group_rows


@dataclass(frozen=True, kw_only=True)
class Operators(Table):
    """One row for each operator, as finely as the profile distinguishes them; ``group_by`` merges rows.

    Self times of all rows sum to the whole. Total times contain those of the operators that an operator calls.
    """

    name: TextColumn
    """``aten::mm``, ``MatMul-op4``"""
    type: TextColumn
    """Type of the computation: ``mm``, ``MatMul``."""
    device: TextColumn
    """Device that computes: ``CPU``, ``GPU 0``, ``NPU 0``."""
    module: TextColumn | None = None
    """Path of the module or scope that called it; empty outside of any."""
    phase: TextColumn | None = None
    """Purpose: ``forward``, ``backward``, ``optimizer``, ``data``, or empty."""
    shapes: TextColumn | None = None
    """Shapes of its inputs."""
    dtypes: TextColumn | None = None
    stack: TextColumn | None = None
    """Frames joined by ``;``, the innermost first."""
    count: Counts
    """Runs of the operator."""
    host_total: Durations | None = None
    host_self: Durations | None = None
    device_total: Durations | None = None
    """Sum, not union, of the kernels that it and the operators it calls launched."""
    device_self: Durations | None = None
    max: Durations | None = None
    """The longest run: its total time, on the device if the profile has one, else on the host."""
    flops: Counts | None = None
    """Floating-point operations of all runs."""
    utilization_time: NDArray[np.float64] | None = None
    """Of the operations that the device could do in the time of each run, 0 to 1, times its nanoseconds, summed."""
    memory_self: Sizes | None = None
    """Bytes that it allocated itself minus those that it freed, on its device."""

    @property
    def total_time(self) -> Durations:
        """Total times on the device if operators ran there, else on the host."""
        return _first_recorded(self.device_total, self.host_total, len(self))

    @property
    def self_time(self) -> Durations:
        """Times without called operators, on the device if operators ran there, else on the host."""
        return _first_recorded(self.device_self, self.host_self, len(self))

    def derived(self) -> dict[str, Column]:
        """``mean``: nanoseconds of a run, in total. ``share``: of the self time of all operators, 0 to 1.
        ``flops_rate``: operations per nanosecond of self time, which are GFLOPS. ``utilization``: 0 to 1.
        """
        own = self.self_time
        found: dict[str, Column] = {"mean": mean_of(self.total_time, self.count), "share": share_of(own)}
        if self.flops is not None:
            found["flops_rate"] = np.divide(self.flops, own, out=np.zeros(len(self)), where=own > 0)
        if self.utilization_time is not None:
            found["utilization"] = np.divide(self.utilization_time, own, out=np.zeros(len(self)), where=own > 0)
        return found

    def group_by(self, *names: str) -> Operators:
        """Merges rows that agree in these columns of texts; the greatest self time first.

        Numbers are added, of ``max`` the greatest remains; a text that differs within a group is that of the row with
        the greatest self time.

        Raises:
            ValueError: the profile does not have such a column of texts.
        """
        return group_rows(self, names, weight=self.self_time)


def mean_of(totals: Durations, counts: Counts) -> Durations:
    """Nanoseconds of a run, rounded; 0 without runs."""
    means = np.divide(totals, counts, out=np.zeros(len(totals)), where=counts > 0)
    return np.rint(means).astype(np.int64)


def share_of(times: Durations) -> NDArray[np.float64]:
    """Return the share of each time in their sum; 0 if that is 0."""
    whole = int(times.sum())
    return times / whole if whole else np.zeros(len(times))


def _first_recorded(device: Durations | None, host: Durations | None, rows: int) -> Durations:
    if device is not None and (host is None or device.any()):
        return device
    return np.zeros(rows, np.int64) if host is None else host
