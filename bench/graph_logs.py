# SPDX-License-Identifier: Apache-2.0
"""A graph of any size as MindSpore writes it."""

from __future__ import annotations

from pathlib import Path

import mindscope
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH

FILE = "ms_output_graph.pb"


def write_graph(run: Path, nodes: int) -> None:
    """A chain in 24 blocks of eight parts, with skips, as a graph file beside a scalar."""
    with mindscope.SummaryRecord(run) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    message = {
        "node": [
            {
                "name": str(number + 1),
                "op_type": f"Op{number % 7}",
                "full_name": f"Default/block{number * 24 // nodes}/part{number % 8}/Op{number % 7}-op{number}",
                "scope": f"Default/block{number * 24 // nodes}/part{number % 8}",
                "input": [{"name": str(max(number - back, 1))} for back in (0, 8)[: 1 + (number % 9 == 0)]],
            }
            for number in range(nodes)
        ]
    }
    (run / FILE).write_bytes(wire.encode(GRAPH, message))
