# SPDX-License-Identifier: Apache-2.0
"""Graph files: which files are, and both forms of what is in them."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH, MODEL
from mindscope.graph import find_graph_files, read_graph_file
from mindscope.graph.formats.assemble import MOST_NODES
from mindscope.reading import open_run
from mindscope.reasons import Reason
from tests.event_log import DATA

NET = {
    "name": "net",
    "node": [{"name": str(number), "op_type": "Add", "input": [{"name": "x"}]} for number in range(5)],
    "parameters": [{"name": "x"}],
}


def test_which_files_are_graph_files(tmp_path: Path) -> None:
    for name in ("b.pb", "a.pb", "memory_usage_3.pb", "memory_usage.pb", "graph.pbtxt", "x.ckpt"):
        (tmp_path / name).touch()
    (tmp_path / "directory.pb").mkdir()
    (tmp_path / "link.pb").symlink_to("/etc/hostname")
    assert [path.name for path in find_graph_files(tmp_path)] == ["a.pb", "b.pb", "memory_usage.pb"]


def test_a_model_and_a_bare_graph_read_alike(tmp_path: Path) -> None:
    model, bare = tmp_path / "model.pb", tmp_path / "bare.pb"
    model.write_bytes(wire.encode(MODEL, {"ir_version": 3, "model_version": 1, "graph": NET}))
    bare.write_bytes(wire.encode(GRAPH, NET))
    for graph in (read_graph_file(model), read_graph_file(bare)):
        assert (graph.name, len(graph.operations), graph.edge_count, len(graph.inputs)) == ("net", 5, 5, 1)


def test_graphs_of_event_files_read_alike_as_graph_files(tmp_path: Path) -> None:
    run = open_run(DATA / "mindspore" / "ops")
    values = run.values("graph", "graph")
    (tmp_path / "graph.pb").write_bytes(values.encoded(0))
    from_file, (from_events,) = read_graph_file(tmp_path / "graph.pb"), run.graphs().values()
    assert [node.name for node in from_file.nodes] == [node.name for node in from_events.nodes]
    assert from_file.edge_count == from_events.edge_count == 332


@pytest.mark.parametrize("data", [b"", b"hello, I am no graph", wire.encode(MODEL, {"ir_version": 1})])
def test_other_content_is_refused_with_the_name_of_the_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.pb"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"odd\.pb: (no graph with nodes|neither a ModelProto nor a GraphProto)"):
        read_graph_file(path)


def sparse(path: Path, size: int, head: bytes) -> Path:
    """A file that takes no disk: ``head``, then zeros."""
    path.write_bytes(head)
    os.truncate(path, size)
    return path


def test_a_file_of_gigabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = sparse(tmp_path / "model.pb", 1_900_000_000, b"\x0a\x04")
    tracemalloc.start()
    with pytest.raises(FormatError, match="is too large for a graph file: 1900000000 bytes, the limit is"):
        read_graph_file(path)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_a_model_of_zeros_ends(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no graph with nodes"):
        read_graph_file(sparse(tmp_path / "model.onnx", 1_900_000_000, b"\x08\x07"))


def test_more_nodes_than_a_page_is_made_for_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    path = tmp_path / "net.pb"
    path.write_bytes(b"\x0a\x00" * (MOST_NODES + 1))
    with pytest.raises(FormatError, match=f"it has {MOST_NODES + 1} nodes or inputs of nodes, the limit is"):
        read_graph_file(path)
    problems = dict[str, Reason]()
    assert open_run(tmp_path).graphs(problems=problems) == {}
    assert [(file, each.code) for file, each in problems.items()] == [("net.pb", "graph_too_large")]


def test_a_file_of_other_programs_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "other.pb").write_bytes(b"hello, I am no graph")
    (tmp_path / "broken.onnx").write_bytes(b"hello, I am no model")
    (tmp_path / "net.pb").write_bytes(wire.encode(GRAPH, NET))
    problems = dict[str, Reason]()
    assert list(open_run(tmp_path).graphs(problems=problems)) == ["net.pb"]
    assert list(problems) == ["broken.onnx"]
