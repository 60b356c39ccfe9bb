# SPDX-License-Identifier: Apache-2.0
"""Kernels: what a device ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from mindscope.profile.tables.operators import Shares, mean_of, ratio_of, share_of
from mindscope.table.columns import Counts, Durations, Figures, Sizes, StepTexts, Texts
from mindscope.table.schema import MAX, MIN, RECOMPUTED, Unit, mean_by
from mindscope.table.table import Table

TENSOR_CORE_CAPABILITY = 7
"""Compute capability of the first GPU with tensor cores."""


@dataclass(frozen=True, kw_only=True)
class Kernels(Table):
    """One row for each kernel, as finely as the profile distinguishes them; ``group_by`` merges rows."""

    name: Texts
    kind: Texts
    """``compute``, ``communication``, ``copy`` or ``other``."""
    device: Texts
    """``GPU 0``, ``NPU 0``"""
    stream: Texts | None = None
    operator: Texts | None = None
    """Operator that launched it; empty if its launch is not in the profile."""
    core: Texts | None = None
    """Core of Ascend, ``AI_CORE``, ``AI_VECTOR_CORE``, ``AI_CPU``; of a GPU: ``tensor_core`` or empty, by its name.

    It is None for a GPU without tensor cores.
    """
    shape: Texts | None = None
    """Grid and block of a kernel of a GPU; shapes of the inputs on Ascend."""
    count: Counts
    total: Durations
    """Sum of all runs; runs on several streams may overlap."""
    min: Annotated[Durations, MIN] | None = None
    max: Annotated[Durations, MAX] | None = None
    size: Sizes | None = None
    """Bytes that all runs copied or set; 0 for what computes."""
    occupancy: Annotated[Figures, Unit.SHARE, mean_by("total")] | None = None
    """Estimated achieved occupancy; NaN for what has none, such as copies."""
    blocks_per_sm: Annotated[Figures, Unit.NUMBER, mean_by("total")] | None = None
    """Blocks for each multiprocessor; NaN as of ``occupancy``."""
    step: StepTexts | None = None

    @property
    def without_copies(self) -> Kernels:
        """The kernels that are no copies or sets of memory."""
        return self.select(self.kind.is_any_of(lambda text: text != "copy"))

    DERIVED = ("mean", "share", "bandwidth")
    GROUPINGS: ClassVar = {by: (by,) for by in ("kind", "name", "operator", "stream", "core", "step")}
    SEARCHED = ("name", "kind", "operator")

    @property
    def weight(self) -> Durations:
        """Times, which sum to the whole."""
        return self.total

    @property
    def mean(self) -> Durations:
        """Mean nanoseconds of a run."""
        return mean_of(self.total, self.count)

    @property
    def share(self) -> Shares:
        """Share of the time of all kernels."""
        return share_of(self.total)

    @property
    def bandwidth(self) -> Annotated[Figures, Unit.GB_PER_SECOND, RECOMPUTED] | None:
        """Bytes per nanosecond, which are GB/s."""
        return None if self.size is None else ratio_of(self.size, self.total)
