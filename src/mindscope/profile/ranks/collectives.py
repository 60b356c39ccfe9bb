# SPDX-License-Identifier: Apache-2.0
"""Collectives by kind, group, data type and size, with their bandwidths; links by pair of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.ranks.operations import Operations
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.ranks.tables import CollectiveSizes, Figures, RankLinks
from mindscope.profile.ranks.waits import Waits
from mindscope.table.columns import TextColumn
from mindscope.table.grouping import groups_of, sums_of
from mindscope.table.table import joined

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
SIZE_CLASSES = (
    ("<= 64 KiB", 64 * _KIB), ("<= 1 MiB", _MIB), ("<= 16 MiB", 16 * _MIB), ("<= 256 MiB", 256 * _MIB),
    ("<= 4 GiB", 4 * _GIB), ("> 4 GiB", None),
)  # fmt: skip
"""Names and greatest sizes in bytes."""
_UNKNOWN_SIZE = -1
_GATHERING = frozenset(("allgather", "gather"))
"""Collectives to which each rank contributes a part of the result."""


def collective_sizes(operations: Operations, waits: Waits) -> CollectiveSizes | None:
    """Return collectives that agree in kind, group, data type and class of sizes; None without any.

    An operation that no other rank can be matched with is a collective of its own.
    """
    if not len(operations):
        return None
    number = _numbered(operations)
    first = np.unique(number, return_index=True)[1]
    members = np.bincount(number)
    time = sums_of(number, operations.duration) // members
    transfer = sums_of(number, waits.transfer) // members
    size = np.full(len(first), _UNKNOWN_SIZE)
    np.maximum.at(size, number, operations.size)
    ranks = np.maximum(operations.group_size[first], members)
    bounds = [most for _, most in SIZE_CLASSES if most is not None]
    size_class = np.where(size < 0, len(SIZE_CLASSES), np.searchsorted(bounds, size))
    texts = [column.select(first) for column in
             (operations.kind, operations.group, operations.group_ranks, operations.dtype)]  # fmt: skip
    group, rows = groups_of([*(text.codes for text in texts), size_class, ranks], len(first))
    kind = texts[0].select(rows)
    is_known = _least(group, size) >= 0
    sizes = np.where(is_known, sums_of(group, size), _UNKNOWN_SIZE)
    transfers = sums_of(group, transfer)
    is_measured = _least(group, operations.transit[first]) >= 0
    algorithm, bus = _bandwidths(kind, ranks[rows], sizes, transfers, is_measured)
    found = CollectiveSizes(
        kind=kind, group=texts[1].select(rows), group_ranks=texts[2].select(rows), dtype=texts[3].select(rows),
        size_class=TextColumn(size_class[rows].astype(np.uint32), [*(name for name, _ in SIZE_CLASSES), ""]),
        ranks=ranks[rows], count=np.bincount(group).astype(np.int64), size=sizes, time=sums_of(group, time),
        transfer=transfers, synchronizing=sums_of(group, time - transfer), algorithm_bandwidth=algorithm,
        bus_bandwidth=bus,
    )  # fmt: skip
    return found.select(np.argsort(-found.time, kind="stable"))


def rank_links(data: Sequence[RankData]) -> RankLinks | None:
    """Return transfers by kind and direction over all profiles, without copies on one device; None without any."""
    tables = [each.links for each in data if each.links is not None and len(each.links)]
    if not tables:
        return None
    links = joined(tables)
    links = links.select(links.source != links.destination)
    if not len(links):
        return None
    group, first = groups_of([links.kind.codes, links.source, links.destination], len(links))
    sizes, times = sums_of(group, links.size), sums_of(group, links.transit)
    rows = links.select(first)
    found = RankLinks(
        kind=rows.kind, source=rows.source, destination=rows.destination, size=sizes, transit=times,
        bandwidth=_quotient(sizes, times),
    )  # fmt: skip
    return found.select(np.lexsort((found.destination, found.source, found.kind.codes)))


def _bandwidths(
    kind: TextColumn,
    ranks: NDArray[np.int64],
    size: NDArray[np.int64],
    transfer: NDArray[np.int64],
    is_measured: NDArray[np.bool_],
) -> tuple[Figures, Figures]:
    """Return algorithm and bus bandwidths in GB/s, as NCCL's tests define them.

    Where the profiler measured the transfers of links, sizes are those on the links: then only the bus bandwidth is
    known.
    """
    parts = np.maximum(ranks, 1)
    gathers = kind.is_any_of(lambda text: text in _GATHERING)
    whole = np.where(gathers, size * parts, size)
    algorithm = np.where(size > 0, _quotient(whole, transfer), np.nan)
    two_ways = kind.is_any_of(lambda text: text == "allreduce")
    one_way = kind.is_any_of(lambda text: text in ("allgather", "reducescatter", "gather", "scatter")
                             or text.startswith("alltoall"))  # fmt: skip
    share = (parts - 1) / parts
    factor = np.where(two_ways, 2 * share, np.where(one_way, share, 1.0))
    bus = np.where(is_measured, np.where(size > 0, _quotient(size, transfer), np.nan), algorithm * factor)
    return np.where(is_measured, np.nan, algorithm), bus


def _numbered(operations: Operations) -> NDArray[np.int64]:
    """Return the collective of each operation, without gaps; those without one follow."""
    found = np.array(operations.collective)
    alone = found < 0
    found[alone] = int(found.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
    return np.unique(found, return_inverse=True)[1].reshape(-1)


def _least(group: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.full(int(group.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(found, group, values)
    return found


def _quotient(size: NDArray[np.int64], time: NDArray[np.int64]) -> Figures:
    """Return bytes per nanosecond, which are GB/s; NaN without time."""
    return np.divide(size, time, out=np.full(len(size), np.nan), where=time > 0)
