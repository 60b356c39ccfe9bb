# SPDX-License-Identifier: Apache-2.0
"""Operations between ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Counts, Durations, Ids, Sizes, Texts, Times
from mindscope.table.schema import EQUAL
from mindscope.table.table import Table

SMALL_MB: Mapping[str, float] = {"SDMA": 16.0, "RDMA": 1.0}
"""Smaller packets do not reach the bandwidth of their link: msprof-analyze. Megabytes of 10^6."""


@dataclass(frozen=True, kw_only=True)
class Communication(Table):
    """One row for each run of an operation on this rank."""

    name: Texts
    kind: Texts
    """``allreduce``, ``allgather``, ``reducescatter``, ``broadcast``, ``send``, ``receive``, ...: lower case."""
    group: Texts | None = None
    """Name of the process group."""
    sequence: Ids | None = None
    """Number within the group, equal on all its ranks; -1 where unknown."""
    group_size: Annotated[Counts, EQUAL] | None = None
    """Number of ranks of the group; -1 where unknown."""
    group_ranks: Texts | None = None
    """Ranks of the group, such as ``0,1,2``: groups of one name differ by them; empty where unknown."""
    step: Ids | None = None
    """-1 outside of any step."""
    device: Texts
    stream: Texts | None = None
    """Stream of the device, as the profiler numbers it."""
    start: Times | None = None
    duration: Durations
    """Elapsed nanoseconds."""
    transit: Durations | None = None
    wait: Durations | None = None
    synchronization: Durations | None = None
    """Part of the wait that precedes the first transfer: for slower ranks."""
    size: Annotated[Sizes, EQUAL] | None = None
    """Bytes that this rank sends or contributes; -1 where unknown."""
    dtype: Texts | None = None

    def of_steps(self, numbers: NDArray[np.int64]) -> Communication | None:
        """Return the operations of these steps; None if their steps are unknown, or without any."""
        found = None if self.step is None else self.select(np.isin(self.step, numbers))
        return found if found is not None and len(found) else None


@dataclass(frozen=True, kw_only=True)
class Links(Table):
    """One row for each direction between two ranks."""

    kind: Texts
    """``SDMA``, ``RDMA``, ``HCCS``, ``PCIE``, ``LOCAL``: as the profiler calls it."""
    source: Ids
    destination: Ids
    step: Ids | None = None
    size: Sizes
    transit: Durations
    """Bandwidth is ``size / transit``: bytes per nanosecond are GB/s."""
