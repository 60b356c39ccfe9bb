# SPDX-License-Identifier: Apache-2.0
"""Graphs over HTTP against the graphs of the Python API."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.graph import DatasetNode, DatasetOperation, Graph
from mindscope.reading import open_run
from mindscope.server.graphs.query import pipeline_stages

from .live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

OPS = "mindspore/ops"
TORCH = "tensorboard/tb_all/run_a"


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    with running_viewer(DATA, tmp_path_factory.mktemp("graphs")) as live:
        yield live


def answer(viewer: LiveViewer, path: str, **query: Any) -> Any:
    return viewer.http.get(path, params=query).raise_for_status().json()


def unpack(body: bytes) -> tuple[Any, dict[str, np.ndarray[Any, Any]]]:
    """The header and the columns of a response."""
    length = int.from_bytes(body[4:8], "little")
    header = json.loads(body[8 : 8 + length])
    places = {**header, **header.get("texts", {})}
    return header, {name: column(body, 8 + length, place) for name, place in places.items() if is_column(place)}


def column(body: bytes, data: int, place: dict[str, Any]) -> np.ndarray[Any, Any]:
    if place.get("is_constant"):
        return np.repeat(np.frombuffer(body, place["dtype"], 1, data + place["offset"]), place["length"])
    return np.frombuffer(body, place["dtype"], place["length"], data + place["offset"])


def is_column(value: Any) -> bool:
    return isinstance(value, dict) and "offset" in value


def texts_of(columns: dict[str, np.ndarray[Any, Any]]) -> list[str]:
    text, ends = columns["utf8"].tobytes(), columns["ends"].tolist()
    return [text[start:end].decode() for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def columns_of(body: bytes) -> tuple[str, dict[str, np.ndarray[Any, Any]], list[str]]:
    """The name, the columns and the texts of a structure."""
    header, columns = unpack(body)
    return header["name"], columns, texts_of(columns)


def structure(viewer: LiveViewer, run: str, graph: str) -> tuple[str, dict[str, np.ndarray[Any, Any]], list[str]]:
    return columns_of(viewer.http.get("/api/graphs/structure", params={"run": run, "graph": graph}).content)


@pytest.mark.parametrize("run", [OPS, TORCH])
def test_the_structure_is_the_graph(viewer: LiveViewer, run: str) -> None:
    graphs = open_run(DATA / run).graphs()
    listed = eventually(lambda: answer(viewer, "/api/graphs", run=run)["graphs"])  # may be read after the tags
    assert [each["name"] for each in listed] == list(graphs)
    for entry, (name, graph) in zip(listed, graphs.items(), strict=True):
        assert (entry["operations"], entry["edges"]) == (len(graph.operations), graph.edge_count)
        assert (entry["scopes"], entry["damage"]) == (len(graph.scopes) - 1, None)
        got, columns, texts = structure(viewer, run, name)
        assert got == name
        check_structure(graph, columns, texts)


def check_structure(graph: Graph, columns: dict[str, np.ndarray[Any, Any]], texts: list[str]) -> None:
    assert [texts[number] for number in columns["type"]] == [node.op_type for node in graph.nodes]
    assert [texts[number] for number in columns["dtype"]] == [node.dtype for node in graph.nodes]
    assert columns["role"].tolist() == [int(node.role) for node in graph.nodes]
    root = graph.scope_numbers.get("Default", 0)
    scopes = [graph.scope(node.scope).index for node in graph.nodes]
    assert columns["scope"].tolist() == [0 if scope == root else scope for scope in scopes]
    assert [texts[number] for number in columns["scope_label"]] == [scope.label for scope in graph.scopes]
    edges = [(each.node.index, node.index, each.output) for node in graph.nodes for each in node.inputs]
    assert list(zip(columns["source"], columns["target"], columns["output"], strict=True)) == edges
    labels: list[str] = [texts[number] for number in columns["label"]]
    assert all(label and "/" not in label[:-1] for label in labels)


def test_details_of_every_node(viewer: LiveViewer) -> None:
    ((name, graph),) = open_run(DATA / OPS).graphs().items()
    for node in list(graph.nodes)[::7]:
        got = answer(viewer, "/api/graphs/node", run=OPS, graph=name, node=node.index)
        assert (got["name"], got["op_type"], got["scope"]) == (node.name, node.op_type, node.scope)
        assert [each["node"] for each in got["inputs"]] == [each.node.index for each in node.inputs]
        assert [each["node"] for each in got["consumers"]] == [each.index for each in node.consumers]
        assert {each["name"] for each in got["attributes"]} == set(node.attributes)
        assert got["problem"] is None


def test_the_difference_of_two_runs_is_that_of_the_python_api(viewer: LiveViewer) -> None:
    ((name, graph),) = open_run(DATA / OPS).graphs().items()
    (entry,) = answer(viewer, "/api/graphs", run=OPS)["graphs"]
    for run in (OPS, "mindspore/collector_specified", TORCH):
        other_name, other = next(iter(open_run(DATA / run).graphs().items()))
        other_entry = answer(viewer, "/api/graphs", run=run)["graphs"][0]
        query = {"run": OPS, "graph": name, "other_run": run, "other_graph": other_name}
        response = viewer.http.get("/api/graphs/diff", params=query).raise_for_status()
        assert "immutable" not in response.headers.get("cache-control", "")
        header, columns = unpack(response.content)
        want = graph.diff(other)
        assert header["counts"] == want.counts._asdict()
        for column in (
            "before_status",
            "after_status",
            "after_of",
            "before_of",
            "changes",
            "edge_removed",
            "edge_added",
        ):
            assert columns[column].tolist() == getattr(want, column).tolist(), column
        entries = [columns[f"entry_{each}"].tolist() for each in ("status", "before", "after")]
        assert entries == [each.tolist() for each in want.entries]
        versions = {"version": entry["version"], "other_version": other_entry["version"]}
        kept = viewer.http.get("/api/graphs/diff", params={**query, **versions})
        assert "immutable" in kept.headers["cache-control"]


@pytest.mark.parametrize(
    "run", [OPS, "mindspore/collector_specified", "mindspore/lineage_sweep/run_01", "mindspore/custom_loop"]
)
def test_the_data_pipeline_is_that_of_the_python_api(viewer: LiveViewer, run: str) -> None:
    stages = answer(viewer, "/api/graphs/dataset", run=run)["stages"]
    want = open_run(DATA / run).dataset_graph
    assert len(stages) == (0 if want is None else sum(1 for _ in want.walk()))
    if want is not None:
        check_stage(stages, len(stages) - 1, want)


def check_stage(stages: list[Any], place: int, want: DatasetNode) -> None:
    got = stages[place]
    assert (got["op_type"], [each["name"] for each in got["parameters"]]) == (want.op_type, list(want.parameters))
    assert [each["name"] for each in got["operations"]] == [each.name for each in want.operations]
    assert (got["sampler"] or {}).get("name") == (None if want.sampler is None else want.sampler.name)
    assert len(got["inputs"]) == len(want.children)
    for each, child in zip(got["inputs"], want.children, strict=True):
        assert each < place
        check_stage(stages, each, child)


def test_branches_of_a_data_pipeline_are_inputs() -> None:
    sources = tuple(DatasetNode("Source", {"path": f'<"{number}">'}) for number in range(3))
    zipped = DatasetNode("Zip", children=(DatasetNode("Map", children=sources[:1]), *sources[1:]))
    resize = DatasetOperation("Resize", {"size": [32, 32]}, weights=(0.5,))
    stages = pipeline_stages(DatasetNode("Batch", {"size": 4}, (resize,), DatasetOperation("Random"), (zipped,)))
    assert [(each.op_type, each.inputs) for each in stages] == [
        ("Source", []),
        ("Map", [0]),
        ("Source", []),
        ("Source", []),
        ("Zip", [1, 2, 3]),
        ("Batch", [4]),
    ]
    (operation,) = stages[-1].operations
    assert [(each.name, each.value) for each in operation.parameters] == [("size", "[32, 32]"), ("weights", "[0.5]")]
    assert pipeline_stages(None) == []


def test_attributes_of_all_nodes_are_texts(viewer: LiveViewer) -> None:
    ((name, graph),) = open_run(DATA / OPS).graphs().items()
    header, columns = unpack(viewer.http.get("/api/graphs/attributes", params={"run": OPS, "graph": name}).content)
    texts = texts_of(columns)
    assert len(set(texts)) == len(texts)
    assert header["is_cut"] is False
    got: dict[int, set[str]] = {}
    for node, attribute in zip(columns["node"].tolist(), columns["text"].tolist(), strict=True):
        got.setdefault(node, set()).add(texts[attribute].partition("=")[0])
    assert got == {node.index: set(node.attributes) for node in graph.nodes if node.attributes}
    pads = {node.index for node in graph.find(attribute="pad_mode=")}
    wanted = {number for number, text in enumerate(texts) if "pad_mode=" in text}
    assert pads == {node for node, number in zip(columns["node"], columns["text"], strict=True) if number in wanted}
    assert pads


def test_what_is_not_there_is_not_found(viewer: LiveViewer) -> None:
    (name,) = open_run(DATA / OPS).graphs()
    for path, query in (
        ("/api/graphs", {"run": "no such run"}),
        ("/api/graphs/dataset", {"run": "no such run"}),
        ("/api/graphs/structure", {"run": OPS, "graph": "<b>"}),
        ("/api/graphs/attributes", {"run": OPS, "graph": "<b>"}),
        ("/api/graphs/diff", {"run": OPS, "graph": name, "other_run": TORCH, "other_graph": "x"}),
        ("/api/graphs/diff", {"run": OPS, "graph": name, "other_run": "x", "other_graph": name}),
        ("/api/graphs/node", {"run": OPS, "graph": "x", "node": 0}),
        ("/api/graphs/node", {"run": OPS, "graph": name, "node": 10**6}),
    ):
        response = viewer.http.get(path, params=query)
        assert response.status_code == 404, path
        assert response.json()["error"]["remedy"]


def test_a_structure_of_a_known_version_is_kept_by_browsers(viewer: LiveViewer) -> None:
    (entry,) = answer(viewer, "/api/graphs", run=OPS)["graphs"]
    query = {"run": OPS, "graph": entry["name"]}
    kept = viewer.http.get("/api/graphs/structure", params={**query, "version": entry["version"]})
    assert "immutable" in kept.headers["cache-control"]
    other = viewer.http.get("/api/graphs/structure", params={**query, "version": "older"})
    assert "immutable" not in other.headers.get("cache-control", "")


def test_new_and_changed_graphs_appear(tmp_path: Path) -> None:
    log = GrowingLog(tmp_path / "logs" / "run")
    log.scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        eventually(lambda: "run" in viewer.runs())
        assert answer(viewer, "/api/graphs", run="run")["graphs"] == []
        file = tmp_path / "logs" / "run" / "net.pb"
        file.write_bytes(wire.encode(GRAPH, {"node": [{"name": '<"odd">', "op_type": "A"}]}))
        (first,) = eventually(lambda: answer(viewer, "/api/graphs", run="run")["graphs"])
        assert (first["name"], first["operations"]) == ("net.pb", 1)
        encoded = bytearray(wire.encode(GRAPH, {"node": [{"name": "a"}, {"name": "b", "op_type": "MARK"}]}))
        encoded[encoded.index(b"MARK") - 1] = 0x7F
        file.write_bytes(bytes(encoded))
        (second,) = answer(viewer, "/api/graphs", run="run")["graphs"]
        assert second["version"] != first["version"]
        assert second["damage"]["code"] == "graph_damaged"
        details = answer(viewer, "/api/graphs/node", run="run", graph="net.pb", node=1)
        assert details["problem"]["code"] == "wire_broken"
        assert structure(viewer, "run", "net.pb")[1]["label"].size == 2


def test_a_graph_file_that_is_not_read_is_named(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "run").mkdir(parents=True)
    (base / "run" / "model.pb").write_bytes(b"\x0a")
    os.truncate(base / "run" / "model.pb", 1_900_000_000)
    with running_viewer(base, tmp_path / "workspace") as live:
        eventually(lambda: "run" in [each["id"] for each in answer(live, "/api/runs")["runs"]])
        found = answer(live, "/api/graphs", run="run")
    assert found["graphs"] == []
    assert [(each["file"], each["problem"]["code"]) for each in found["problems"]] == [
        ("model.pb", "graph_file_too_large")
    ]
