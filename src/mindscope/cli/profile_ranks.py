# SPDX-License-Identifier: Apache-2.0
"""Prints the findings of ``mindscope profile --ranks``."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, log10
from typing import Any

import numpy as np

from mindscope.profile.advice.advice import RankTable, size_text, time_text
from mindscope.profile.ranks.advice import advise_ranks
from mindscope.profile.ranks.ranks import Ranks
from mindscope.profile.ranks.step_table import warm_up_steps

_PARTS = (
    "duration",
    "own",
    "compute",
    "communication",
    "overlapped",
    "synchronizing",
    "data_waiting",
    "interval",
    "host",
    "idle",
)


def ranks_json(ranks: Ranks) -> dict[str, Any]:
    """Return all tables and the advice; NaN is null."""
    tables = {each.value: getattr(ranks, each.value) for each in RankTable}
    return {
        "ranks": ranks.ranks, "missing_ranks": ranks.missing_ranks, "cycles": ranks.cycles,
        "reference": ranks.reference, "origin_ns": ranks.origin_ns, "problems": ranks.problems,
        "profiles": [{"rank": each.rank, "cycle": each.cycle, "path": each.path} for each in ranks.data],
        **{name: [] if table is None else table.json_rows() for name, table in tables.items()},
        "advice": [advise_rank.to_json() for advise_rank in advise_ranks(ranks)],
    }  # fmt: skip


def ranks_lines(ranks: Ranks, top: int) -> Iterator[str]:
    """Yield ranks, clocks, collectives and links, at most ``top`` of each, and the advice."""
    missing = _numbers(ranks.missing_ranks)
    yield f"ranks: {len(ranks.ranks)}, cycles: {ranks.cycles}{f', no profile of ranks {missing}' if missing else ''}"
    for name, problem in ranks.problems.items():
        yield f"not read: {name}: {problem}"
    for advise_rank in advise_ranks(ranks):
        yield from ("", f"* {advise_rank.finding}", f"  {advise_rank.remedy}")
    yield from _means(ranks, top)
    yield from _clocks(ranks, top)
    yield from _collectives(ranks, top)
    yield from _links(ranks, top)


def _means(ranks: Ranks, top: int) -> Iterator[str]:
    """Yield the ranks with the greatest own time first."""
    if ranks.steps is not None and (warm_up := warm_up_steps(ranks.steps)):
        yield f"warm-up      step {', '.join(map(str, warm_up))}: means leave it out"
    if (means := ranks.means) is None:
        return
    names = [name for name in _PARTS if (column := getattr(means, name)) is not None and column.any()]
    yield ""
    flops = means.flops_per_second
    yield "rank  steps " + " ".join(f"{name:>13}" for name in names) + ("" if flops is None else "        GFLOPS")
    for row in np.argsort(-means.own, kind="stable")[:top].tolist():
        cells = " ".join(f"{time_text(int(getattr(means, name)[row])):>13}" for name in names)
        rate = "" if flops is None else f" {flops[row] / 1e9:>13.4g}"
        yield f"{means.rank[row]:>4} {means.steps[row]:>6} {cells}{rate}"


def _clocks(ranks: Ranks, top: int) -> Iterator[str]:
    """Yield the clocks that are farthest off first."""
    clocks = ranks.clocks
    if len(clocks) < 2:
        return
    yield ""
    unaligned = clocks.rank[~clocks.is_aligned].tolist()
    if unaligned:
        named = _numbers(unaligned)
        yield f"no collective connects ranks {named} with rank {ranks.reference}: their clocks are believed"
    rows = np.flatnonzero(clocks.is_aligned & (clocks.rank != ranks.reference))
    for row in rows[np.argsort(-np.abs(clocks.offset[rows]), kind="stable")][:top].tolist():
        drift = f", drift {clocks.drift[row] / 1000:.3g} ppm" if clocks.drift[row] else ""
        yield (
            f"clock of rank {clocks.rank[row]}: {_offset_text(int(clocks.offset[row]), int(clocks.uncertainty[row]))} "
            f"± {time_text(int(clocks.uncertainty[row]))}{drift}, "
            f"by {clocks.collectives[row]} collectives"
        )


def _offset_text(offset: int, uncertainty: int) -> str:
    """Format an offset with as many digits as its uncertainty allows: ``+3.201958 s`` for 15 us."""
    units = (("s", 9), ("ms", 6), ("us", 3), ("ns", 0))
    unit, power = next(((unit, power) for unit, power in units if abs(offset) >= 10**power), units[-1])
    digits = max(0, min(power, ceil(power - log10(max(uncertainty, 1))) + 1))
    return f"{offset / 10**power:+.{digits}f} {unit}"


def _collectives(ranks: Ranks, top: int) -> Iterator[str]:
    if (collectives := ranks.collectives) is None:
        return
    yield ""
    yield (
        f"{'collectives':<28} {'size':>12} {'count':>7} {'bytes':>10} {'time':>10} {'transfer':>10} {'waiting':>10} "
        f"{'bus':>11}"
    )
    for row in collectives.head(top).rows():
        size = size_text(row["size"]) if row["size"] >= 0 else ""
        bus = f"{row['bus_bandwidth']:.3g} GB/s" if np.isfinite(row["bus_bandwidth"]) else ""
        times = " ".join(f"{time_text(row[name]):>10}" for name in ("time", "transfer", "synchronizing"))
        name = " ".join(filter(None, (row["kind"], row["dtype"], row["group"])))
        yield f"{name[:28]:<28} {row['size_class']:>12} {row['count']:>7} {size:>10} {times} {bus:>11}".rstrip()


def _links(ranks: Ranks, top: int) -> Iterator[str]:
    """Yield the slowest ones."""
    if (links := ranks.links) is None:
        return
    yield ""
    yield f"{'slowest links':<16} {'kind':>6} {'bytes':>10} {'bandwidth':>12}"
    rows = np.flatnonzero(np.isfinite(links.bandwidth))
    for row in links.select(rows[np.argsort(links.bandwidth[rows], kind="stable")]).head(top).rows():
        ends = f"{row['source']} -> {row['destination']}"
        yield f"{ends:<16} {row['kind']:>6} {size_text(row['size']):>10} {row['bandwidth']:>7.3g} GB/s"


def _numbers(numbers: list[int]) -> str:
    """Return ``0-3, 5`` of 0, 1, 2, 3, 5."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
