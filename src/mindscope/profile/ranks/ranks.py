# SPDX-License-Identifier: Apache-2.0
"""All ranks of one training, compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.ranks.clocks import Clocks
from mindscope.profile.ranks.collectives import collective_sizes, rank_links
from mindscope.profile.ranks.operations import Operations, operations_of
from mindscope.profile.ranks.rank_data import RankData, cycles_of
from mindscope.profile.ranks.step_table import means_of, rank_steps, stages_of
from mindscope.profile.ranks.tables import (
    ClockOffsets,
    CollectiveSizes,
    RankLinks,
    RankMeans,
    RankSteps,
    Stages,
    Stragglers,
)
from mindscope.profile.ranks.waits import Waits, stragglers_of, waits_of


class Ranks:
    """Tables over the ranks of a training; each is computed on first use. None for one that lacks its data."""

    def __init__(self, data: Iterable[RankData]) -> None:
        """Raises FormatError if there is no profile with steps or communication."""
        self.data: Sequence[RankData] = cycles_of(data)
        """Cycles of one rank each, in the order of ranks and cycles; rows of tables point to it."""
        if not self.data:
            raise FormatError("no profile with steps or communication of ranks")
        self.ranks = sorted({each.rank for each in self.data})
        """Ranks that have a profile."""
        self.problems: dict[str, str] = {}
        """File -> why it could not be read; the tables lack it."""

    @cached_property
    def missing_ranks(self) -> list[int]:
        """Ranks without a profile: of all that the profiles say there are, else below the greatest one."""
        count = max(*(each.world_size for each in self.data), self.ranks[-1] + 1, 0)
        return sorted(set(range(count)) - set(self.ranks))

    @property
    def cycles(self) -> int:
        """The number of cycles."""
        return len({each.cycle for each in self.data})

    @cached_property
    def origin_ns(self) -> int:
        """The time of 0 of aligned times, in nanoseconds since 1970: that of the first profile of the reference."""
        own = [each.origin_ns for each in self.data if each.rank == self._clocks.reference and each.origin_ns]
        return own[0] if own else 0

    @cached_property
    def operations(self) -> Operations:
        """The communication of all ranks."""
        return operations_of(self.data)

    @property
    def reference(self) -> int:
        """The rank whose clock counts."""
        return self._clocks.reference

    @property
    def clocks(self) -> ClockOffsets:
        """The differences of the clocks."""
        return self._clocks.table

    @cached_property
    def steps(self) -> RankSteps | None:
        """The steps of each rank, one row for each rank and step; None without steps."""
        return rank_steps(self.data, self._clocks, self.operations, self._waits, self.origin_ns)

    @cached_property
    def means(self) -> RankMeans | None:
        """Means of each rank."""
        if self.steps is None:
            return None
        flops = {each.rank: each.flops_per_second for each in self.data if each.flops_per_second is not None}
        return means_of(self.steps, max(each.stages for each in self.data), flops)

    @cached_property
    def stages(self) -> Stages | None:
        """Means of each stage of the pipeline."""
        return None if self.means is None else stages_of(self.means)

    @cached_property
    def collectives(self) -> CollectiveSizes | None:
        """Collectives by kind and size."""
        return collective_sizes(self.operations, self._waits)

    @cached_property
    def links(self) -> RankLinks | None:
        """Transfers by pair of ranks."""
        return rank_links(self.data)

    @cached_property
    def stragglers(self) -> Stragglers | None:
        """The ranks for which the others waited longest in each step."""
        mean = 0.0 if self.steps is None else float(self.steps.duration.mean())
        return stragglers_of(self.operations, self._clocks, mean, self.data)

    def __repr__(self) -> str:
        return f"<Ranks: {len(self.ranks)} ranks, {self.cycles} cycles>"

    @cached_property
    def _clocks(self) -> Clocks:
        return Clocks(np.array(self.ranks, np.int64), self.operations)

    @cached_property
    def _waits(self) -> Waits:
        return waits_of(self.operations)
