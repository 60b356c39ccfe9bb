# SPDX-License-Identifier: Apache-2.0
"""Links between ranks of ``hccl_raw_N.csv``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.json_values import number_of, whole_numbers
from mindscope.profile.tables.communication import Links
from mindscope.table.columns import TextColumn

_KB = 1000


def links_of(table: CsvTable, rank: int) -> Links | None:
    """Return the transfers of each step by link and kind, without copies on one device; None without any.

    The file's bandwidths are sums of those of several operations, so that only sizes and times are taken. Stages of a
    pipeline number their ranks from 0: the links become those between ranks of the training.

    Args:
        table: of the file.
        rank: of the file.
    """
    steps, infos = table.cells("step_num") or [], table.cells("link_info") or []
    rows = [
        (int(step), source, destination, kind, *amounts)
        for step, info in zip(steps, infos, strict=False)
        if step.isdecimal()
        for source, destination, kind, amounts in _links(info)
    ]
    first = _first_rank(rank, {row[2] for row in rows})
    rows = [row for row in rows if row[1] != row[2]]
    if not rows:
        return None
    return Links(
        step=np.array([row[0] for row in rows], np.int64),
        source=first + np.array([row[1] for row in rows], np.int64),
        destination=first + np.array([row[2] for row in rows], np.int64),
        kind=TextColumn.of(row[3] for row in rows),
        transit=whole_numbers([row[4] * 1e6 for row in rows]),
        size=whole_numbers([row[5] * _KB for row in rows]),
    )


def _first_rank(rank: int, destinations: set[int]) -> int:
    """Return the rank that a file calls 0: its links all end at its own rank. 0 where they end at several."""
    return max(rank - next(iter(destinations)), 0) if len(destinations) == 1 else 0


def _links(info: str) -> Iterator[tuple[int, int, str, tuple[float, float]]]:
    """Yield source, destination, kind, milliseconds and kilobytes of ``{"0-1": {"SDMA": [time, size, ...]}}``."""
    try:
        found = json.loads(info)
    except (ValueError, RecursionError):
        return
    for link, kinds in cast("Mapping[str, Any]", found).items() if isinstance(found, Mapping) else ():
        source, _, destination = link.partition("-")
        if source.isdecimal() and destination.isdecimal():
            for kind, amounts in cast("Mapping[str, Any]", kinds).items():
                values = [amount for amount in cast("list[Any]", amounts) if isinstance(amount, (int, float))]
                if len(values) >= 2:
                    yield int(source), int(destination), kind, (number_of(values[0]), number_of(values[1]))
