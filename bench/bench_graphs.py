# SPDX-License-Identifier: Apache-2.0
"""Graphs of 100,000 nodes in Python, and what it costs to record the graph of a network of 304 M parameters.

Each row comes from a fresh process. The peer is MindSpore's own protobuf class, which only parses the file.

    python bench/bench_graphs.py [--nodes 100000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from graph_logs import FILE, write_graph
from measuring import SPAWNED, machine, memory_mb, report, run_alone, timed

NAMES = {
    "read": "file read, ms",
    "parse": "file parsed by MindSpore's protobuf class, ms",
    "structure": "structure for the page, ms",
    "structure_mb": "structure for the page, MB",
    "find": "nodes found by a regular expression, ms",
    "attributes": "attributes of every node read, ms",
    "subgraph": "one block of 24, ms",
    "upstream": "everything upstream of the last node, ms",
    "diff": "difference to the same graph without 100 nodes, ms",
    "grown_mb": "additional memory, MB",
    "first": "graph of 24 layers, 304 M parameters: first capture, ms",
    "second": "the same, second capture, ms",
}
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(machine())
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as base:
        write_graph(Path(base) / "whole", options.nodes)
        write_graph(Path(base) / "part", options.nodes - 100)
        for what in ("ours", "parse", "capture"):
            figures[what] = run_alone(Path(__file__).name, what, base)
    for what, found in figures.items():
        for name, value in (found or {}).items():
            if name in NAMES:
                print(f"{NAMES[name]:<66} {value:>10,.1f}")
        if found is None:
            print(f"{what}: the package is missing")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def milliseconds(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median of some calls."""
    times: list[float] = []
    for _ in range(repeats):
        with timed() as watch:
            run()
        times.append(watch.seconds * 1000)
    return median(times)


def measure_ours(base: Path) -> None:
    from mindscope.graph import read_graph_file
    from mindscope.server.graphs.query import pack_structure

    file = base / "whole" / FILE
    before = memory_mb("VmRSS")
    read = milliseconds(lambda: read_graph_file(file), 1)
    graph = read_graph_file(file)
    grown = memory_mb("VmRSS") - before
    other = read_graph_file(base / "part" / FILE)
    report(
        read=read,
        structure=milliseconds(lambda: pack_structure("", graph)),
        structure_mb=pack_structure("", graph).size / 1e6,
        find=milliseconds(lambda: graph.find(re.compile(r"/part3/Op[12]-op\d*7$"))),
        attributes=milliseconds(lambda: [node.attributes for node in graph.operations], 1),
        subgraph=milliseconds(lambda: graph.subgraph("Default/block12")),
        upstream=milliseconds(lambda: graph.operations[-1].upstream),
        diff=milliseconds(lambda: graph.diff(other), 1),
        grown_mb=grown,
    )


def measure_parse(base: Path) -> None:
    from mindspore.train.anf_ir_pb2 import GraphProto

    data = (base / "whole" / FILE).read_bytes()
    report(parse=milliseconds(lambda: GraphProto().ParseFromString(data)))


def measure_capture(_base: Path) -> None:
    import torch
    from torch import Tensor, nn

    from mindscope.torch.graphs import graph_of

    class Block(nn.Module):
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
            self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.heads = heads

        def forward(self, x: Tensor) -> Tensor:
            batch, length, width = x.shape
            split = self.project(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
            query, key, value = split.permute(2, 0, 3, 1, 4)
            seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
            return x + self.down(nn.functional.gelu(self.up(self.between(x))))

    with torch.device("meta"):
        network = nn.Sequential(nn.Embedding(1000, 1024), *(Block(1024, 16) for _ in range(24)), nn.Linear(1024, 1000))
        tokens = torch.zeros(1, 128, dtype=torch.long)
    report(
        first=milliseconds(lambda: graph_of(network, tokens), 1),
        second=milliseconds(lambda: graph_of(network, tokens), 1),
    )


MEASURES = {"ours": measure_ours, "parse": measure_parse, "capture": measure_capture}

if __name__ == "__main__":
    if SPAWNED in os.environ:
        MEASURES[sys.argv[1]](Path(sys.argv[2]))
    else:
        main()
