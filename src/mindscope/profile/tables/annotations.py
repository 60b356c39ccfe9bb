# SPDX-License-Identifier: Apache-2.0
"""Ranges that a program named, such as ``torch.profiler.record_function("augment")``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from mindscope.profile.tables.operators import mean_of
from mindscope.table.columns import Counts, Durations, Texts
from mindscope.table.schema import MAX
from mindscope.table.table import Table


@dataclass(frozen=True, kw_only=True)
class Annotations(Table):
    """One row for each name, the greatest total first. Steps are not among them."""

    name: Texts
    count: Counts
    host_total: Durations
    host_self: Durations
    """Time without the operators, ranges and frames within it."""
    device_total: Durations | None = None
    """Sum of the kernels that were launched within it."""
    max: Annotated[Durations, MAX]
    """The longest one on the host."""

    DERIVED = ("mean",)

    @property
    def mean(self) -> Durations:
        """Nanoseconds of one on the host."""
        return mean_of(self.host_total, self.count)
