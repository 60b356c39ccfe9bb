# SPDX-License-Identifier: Apache-2.0
"""Packets of operations between ranks, by kind of link, of ``Communication Bandwidth Info``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mindscope.profile.formats.json_values import list_of, mapping_of, number_of, whole_numbers
from mindscope.profile.tables.communication import SMALL_MB
from mindscope.table.columns import Column
from mindscope.table.schema import SUM, ColumnField, Unit

_FIGURES = (
    ("rdma_time", "RDMA", "Transit Time(ms)"),
    ("sdma_time", "SDMA", "Transit Time(ms)"),
    ("sdma_size", "SDMA", "Transit Size(MB)"),
)
"""Columns of nanoseconds and bytes, a million of which are the unit of each figure."""
PACKETS: Mapping[str, ColumnField] = {
    **dict.fromkeys(("rdma_time", "sdma_time"), ColumnField(Unit.NS, SUM)),
    "sdma_size": ColumnField(Unit.BYTES, SUM),
    **{f"{kind}{link.lower()}_packets": ColumnField(Unit.COUNT, SUM) for link in SMALL_MB for kind in ("", "small_")},
}
"""The columns of ``packets_of``."""
_PARTS_OF_SDMA = ("HCCS", "PCIE", "SIO")


def packets_of(operations: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """Return ``sdma_packets``, ``small_sdma_packets``, those of RDMA, ``rdma_time``, ``sdma_time`` (ns) and
    ``sdma_size`` (bytes) of each operation, as far as any has them.
    """
    found: dict[str, Column] = {}
    for link, limit in SMALL_MB.items():
        sizes = [_sizes(operation, link) for operation in operations]
        if any(sizes):
            name = link.lower()
            found[f"{name}_packets"] = np.array([sum(count for _, count in each) for each in sizes], np.int64)
            small = [sum(count for size, count in each if size < limit) for each in sizes]
            found[f"small_{name}_packets"] = np.array(small, np.int64)
    for column, link, figure in _FIGURES:
        values = [number_of(mapping_of(operation.get(link)).get(figure)) for operation in operations]
        if any(values):
            found[column] = whole_numbers(np.array(values) * 1e6)
    return found


def _sizes(links: Mapping[str, Any], link: str) -> list[tuple[float, int]]:
    """Return the megabytes and count of the packets of a link.

    SDMA is the sum of its parts, which count where it has none.
    """
    distribution = _distribution(links.get(link))
    if distribution or link != "SDMA":
        return distribution
    return [packet for part in _PARTS_OF_SDMA for packet in _distribution(links.get(part))]


def _distribution(link: Any) -> list[tuple[float, int]]:
    """Return sizes and counts of ``{"Size Distribution": {"MB": [count, total ms]}}``."""
    sizes = mapping_of(mapping_of(link).get("Size Distribution"))
    return [(number_of(size), int(number_of(counts[0]))) for size, each in sizes.items() if (counts := list_of(each))]
