# SPDX-License-Identifier: Apache-2.0
"""Kernels: what a device ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import Column, Counts, Durations, Sizes, Table, TextColumn
from mindscope.profile.grouping import group_rows
from mindscope.profile.operators import mean_of, share_of

TENSOR_CORE_CAPABILITY = 7
"""Compute capability of the first GPU with tensor cores."""


@dataclass(frozen=True, kw_only=True)
class Kernels(Table):
    """One row for each kernel, as finely as the profile distinguishes them; ``group_by`` merges rows."""

    name: TextColumn
    kind: TextColumn
    """``compute``, ``communication``, ``copy`` or ``other``."""
    device: TextColumn
    """``GPU 0``, ``NPU 0``"""
    stream: TextColumn | None = None
    operator: TextColumn | None = None
    """Operator that launched it; empty if its launch is not in the profile."""
    core: TextColumn | None = None
    """Of Ascend: ``AI_CORE``, ``AI_VECTOR_CORE``, ``AI_CPU``; of a GPU: ``tensor_core`` or empty, by its name. None
    for a GPU without tensor cores.
    """
    shape: TextColumn | None = None
    """Grid and block of a kernel of a GPU; shapes of the inputs on Ascend."""
    count: Counts
    total: Durations
    """Sum of all runs; runs on several streams may overlap."""
    min: Durations | None = None
    max: Durations | None = None
    size: Sizes | None = None
    """Bytes that all runs copied or set; 0 for what computes."""
    occupancy_time: NDArray[np.float64] | None = None
    """Estimated achieved occupancy (0 to 1) of each run times its nanoseconds, summed."""
    blocks_per_sm_time: NDArray[np.float64] | None = None
    """Blocks for each multiprocessor times nanoseconds, summed."""

    @property
    def without_copies(self) -> Kernels:
        """The kernels that are no copies or sets of memory."""
        return self.select(self.kind.is_any_of(lambda each: each != "copy"))

    def derived(self) -> dict[str, Column]:
        """``mean``: nanoseconds of a run. ``share``: of the time of all kernels, 0 to 1. ``occupancy``: 0 to 1.
        ``bandwidth``: bytes per nanosecond, which are GB/s. ``mac_ratio`` and its like: in which share of the time a
        unit of an AI core worked.
        """
        found: dict[str, Column] = {"mean": mean_of(self.total, self.count), "share": share_of(self.total)}
        if self.occupancy_time is not None:
            found["occupancy"] = self._mean_over_time(self.occupancy_time)
        if self.blocks_per_sm_time is not None:
            found["blocks_per_sm"] = self._mean_over_time(self.blocks_per_sm_time)
        for name, column in self.extra.items():
            if name.endswith("_time") and not isinstance(column, TextColumn):  # units of an AI core
                found[name.removesuffix("_time") + "_ratio"] = self._mean_over_time(column)
        if self.size is not None:
            found["bandwidth"] = self._mean_over_time(self.size.astype(np.float64))
        return found

    def group_by(self, *names: str) -> Kernels:
        """Merges rows that agree in these columns of texts; the greatest total first.

        Raises:
            ValueError: the profile does not have such a column of texts.
        """
        return group_rows(self, names, weight=self.total)

    def _mean_over_time(self, weighted: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.divide(weighted, self.total, out=np.zeros(len(self)), where=self.total > 0)
