# SPDX-License-Identifier: Apache-2.0
"""``mindscope graph`` on a graph that MindSpore wrote."""

from __future__ import annotations

import json
from pathlib import Path

from mindscope.reading import open_run
from tests.event_log import DATA

from .conftest import CommandLine

OPS = DATA / "mindspore" / "ops"


def test_sizes_and_types_are_printed(mindscope: CommandLine) -> None:
    lines = mindscope("graph", str(OPS)).stdout.splitlines()
    assert "102 operations" in lines[1]
    assert "332 edges" in lines[1]
    (graph,) = open_run(OPS).graphs().values()
    assert sum(int(line.split()[0].replace(",", "")) for line in lines[2:]) == len(graph.operations)


def test_the_tree_has_every_scope(mindscope: CommandLine) -> None:
    lines = mindscope("graph", str(OPS), "--tree").stdout.splitlines()
    (graph,) = open_run(OPS).graphs().values()
    assert len(lines) == len(graph.scopes)
    assert lines[0].endswith("  102")
    assert lines[1].startswith("  ")


def test_nodes_are_found(mindscope: CommandLine) -> None:
    found = mindscope("graph", str(OPS), "--find", "^Conv2D$", "--regex").stdout.splitlines()
    (graph,) = open_run(OPS).graphs().values()
    assert len(found) == len([node for node in graph.operations if node.op_type == "Conv2D"])


def test_nodes_are_found_by_attribute(mindscope: CommandLine) -> None:
    found = mindscope("graph", str(OPS), "--attribute", "KERNEL_SIZE=").stdout.splitlines()
    (graph,) = open_run(OPS).graphs().values()
    assert len(found) == len([node for node in graph.nodes if "kernel_size" in node.attributes]) > 0
    both = mindscope("graph", str(OPS), "--attribute", "^kernel_size=", "--find", "^Conv2D$", "--regex")
    assert 0 < len(both.stdout.splitlines()) < len(found)
    assert "no regular expression" in mindscope("graph", str(OPS), "--attribute", "(", "--regex", want=2).stderr


def test_json_dot_and_scopes(mindscope: CommandLine) -> None:
    (graph,) = open_run(OPS).graphs().values()
    assert len(json.loads(mindscope("graph", str(OPS), "--json").stdout)["edges"]) == graph.edge_count
    dot = mindscope("graph", str(OPS), "--dot").stdout
    assert dot.count(" -> ") == graph.edge_count
    scope = graph.scopes[1]
    part = json.loads(mindscope("graph", str(OPS), "--scope", scope.path, "--json").stdout)
    assert sum(node["role"] == "operation" for node in part["nodes"]) == scope.size


def test_the_graph_is_drawn(mindscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "graph.svg"
    assert mindscope("graph", str(OPS), "--svg", str(file), "--depth", "1").stdout == ""
    assert file.read_text().startswith("<svg ")
    assert mindscope("graph", str(OPS), "--svg", "-", "--depth", "1").stdout == file.read_text()
    assert len(mindscope("graph", str(OPS), "--svg", "-").stdout) > len(file.read_text())
    assert "can't be written" in mindscope("graph", str(OPS), "--svg", str(tmp_path), want=1).stderr


def test_the_difference_lists_every_node_that_differs(mindscope: CommandLine) -> None:
    other = DATA / "mindspore" / "collector_specified"
    lines = mindscope("graph", str(OPS), "--diff", str(other)).stdout.splitlines()
    before, after = next(iter(open_run(OPS).graphs().values())), next(iter(open_run(other).graphs().values()))
    diff = before.diff(after)
    counts = [f"{diff.counts.same:,} same", f"{diff.counts.changed:,} changed", f"{diff.counts.added:,} added"]
    assert lines[0] == ", ".join([*counts, f"{diff.counts.removed:,} removed"])
    assert [line.split()[0] for line in lines[1:]] == [entry.status.name.lower() for entry in diff]
    assert mindscope("graph", str(OPS), "--diff", str(OPS)).stdout == f"{len(before.nodes)} same\n"
    assert "no graph 'x'" in mindscope("graph", str(OPS), "--diff", str(OPS), "--other-name", "x", want=1).stderr


def test_nodes_on_paths_are_listed(mindscope: CommandLine) -> None:
    (graph,) = open_run(OPS).graphs().values()
    first, last = graph.operations[0], graph.operations[60]
    after = mindscope("graph", str(OPS), "--from", first.full_name).stdout.splitlines()
    assert len(after) == len(first.downstream)
    assert len(mindscope("graph", str(OPS), "--to", last.name).stdout.splitlines()) == len(last.upstream)
    both = mindscope("graph", str(OPS), "--from", first.name, "--to", last.name).stdout.splitlines()
    assert len(both) == len(graph.between(first, last))
    assert "no node 'x'" in mindscope("graph", str(OPS), "--from", "x", want=1).stderr


def test_errors_name_the_remedy(mindscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "odd.pb").write_bytes(b"no graph")
    assert "odd.pb" in mindscope("graph", str(tmp_path / "odd.pb"), want=1).stderr
    assert "it has '" in mindscope("graph", str(OPS), "--name", "x", want=1).stderr
    assert "no regular expression" in mindscope("graph", str(OPS), "--find", "(", "--regex", want=2).stderr
    assert "no scope" in mindscope("graph", str(OPS), "--scope", "x", want=1).stderr
