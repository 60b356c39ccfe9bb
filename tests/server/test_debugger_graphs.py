# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors on a graph over HTTP: a dump of MindSpore, with the graph that it has beside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope.debug.model.tensors import Phase, Role
from mindscope.debug.open import read_debug_data
from mindscope.ingest import Catalog
from mindscope.reading import Run
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.debug.formats.made_dumps import real_dump

from .live_viewer import unpack

GRAPH = "rank_0/graphs/ms_output_trace_code_graph_0.pb"
DUMP = {"run": "dump_e2e", "source": "./", "graph": GRAPH}
DENSE = "Default/network-WithLossCell/_backbone-Conv/d-Dense"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    directory = tmp_path_factory.mktemp("dumped")
    real_dump(directory / "logs")
    settings = Settings(workspace=directory / "workspace", summary_base_dir=directory / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    app = create_app(settings, catalog)
    with closing(catalog), TestClient(app, base_url="http://127.0.0.1:8080") as opened:
        opened.catalog = catalog  # type: ignore[attr-defined]
        yield opened


def ask(client: TestClient, path: str, **query: Any) -> Any:
    answer = client.post(f"/api/debugger/graph/{path}", json={**DUMP, **query})
    assert answer.status_code == 200, answer.text
    return answer


def figures(client: TestClient, **query: Any) -> tuple[dict[str, Any], dict[str, float], dict[str, int]]:
    """The header, and the value and bits of each item by its path, of the first step."""
    found = unpack(ask(client, "figures", **query).content)
    columns = [np.frombuffer(found.data, each["dtype"], each["length"], each["offset"])
               for each in (found.header["item"], found.header["value"], found.header["bits"])]  # fmt: skip
    names = [item_path(client, int(item)) for item in columns[0]]
    count = len(names)
    return (
        found.header,
        dict(zip(names, columns[1][:count].tolist(), strict=True)),
        dict(zip(names, columns[2][:count].tolist(), strict=True)),
    )


def item_path(client: TestClient, item: int) -> str:
    graph = Run(client.catalog.run("dump_e2e"), lambda: False).graphs()[GRAPH]  # type: ignore[attr-defined]
    scopes = graph.scopes
    return scopes[item].path if item < len(scopes) else graph.nodes[item - len(scopes)].full_name


def test_graphs_of_a_dump_belong_to_its_run(client: TestClient) -> None:
    assert [run["id"] for run in client.get("/api/runs").json()["runs"]] == ["dump_e2e"]
    graphs = client.get("/api/graphs", params={"run": "dump_e2e"}).json()["graphs"]
    assert [(each["name"], each["operations"]) for each in graphs] == [(GRAPH, 34)]


def test_nodes_and_scopes_have_figures_of_their_outputs(client: TestClient, tmp_path: Path) -> None:
    header, value, bits = figures(client, role="output", figure="max_abs", steps=[0])
    source = read_debug_data(real_dump(tmp_path))
    recorded, outputs = source.at(0, 0), dict[str, float]()
    for row, number in enumerate(recorded.tensor.tolist()):
        tensor, array = source.tensors[number], source.array(0, 0, row)
        if tensor.role is Role.OUTPUT and array is not None and array.size:
            largest = float(np.abs(array).max())
            outputs[tensor.name] = max(outputs.get(tensor.name, 0), largest)
    assert outputs
    assert {name: value[name] for name in outputs} == pytest.approx(outputs)
    inside = [each for name, each in outputs.items() if name.startswith(f"{DENSE}/")]
    assert value[DENSE] == pytest.approx(max(inside))
    assert set(bits.values()) == {0}
    assert header["phases"] == []  # every node runs once
    assert 0 < header["placed"] <= header["tensors"]


def test_several_steps_come_together(client: TestClient) -> None:
    query = {"role": "output", "figure": "mean_abs"}
    found = unpack(ask(client, "figures", **query, steps=[0, 2]).content)
    each = [unpack(ask(client, "figures", **query, steps=[step]).content) for step in (0, 2)]
    columns = [np.frombuffer(one.data, "f8", one.header["value"]["length"], one.header["value"]["offset"])
               for one in (found, *each)]  # fmt: skip
    np.testing.assert_array_equal(columns[0], np.concatenate(columns[1:]))


def test_tensors_lead_to_items_and_back(client: TestClient) -> None:
    rows = client.post("/api/debugger/rows", json={**DUMP, "graph": None, "step": 0, "count": 500})
    assert rows.status_code == 422  # a page of rows has no graph
    rows = unpack(client.post("/api/debugger/rows", json={"run": "dump_e2e", "source": "./", "count": 99}).content)
    places = [place for place, each in enumerate(rows.header["tensors"])
              if each["operator"] == f"{DENSE}/MatMul-op0" and each["phase"] == Phase.FORWARD.value]  # fmt: skip
    numbers = np.frombuffer(rows.data, "i4", rows.header["row"]["length"], rows.header["row"]["offset"])
    wanted = [int(numbers[place]) for place in places]
    items = ask(client, "items", step=rows.header["step"], rows=wanted).json()["items"]
    assert {item_path(client, item) for each in items for item in each} == {f"{DENSE}/MatMul-op0"}
    tensors = ask(client, "tensors", step=rows.header["step"], item=items[0][0]).json()
    assert [each["row"] for each in tensors["rows"]] == wanted
    assert tensors["total"] == len(wanted)


@pytest.mark.parametrize(("path", "query", "code"), [
    ("figures", {"graph": "nix", "role": "output", "figure": "max", "steps": [0]}, "graph_not_found"),
    ("figures", {"role": "output", "figure": "max", "steps": [77]}, "debug_data_not_found"),
    ("items", {"step": 0, "rows": [100000]}, "debug_data_not_found"),
    ("tensors", {"source": "nix", "step": 0, "item": 0}, "debug_source_not_found"),
])  # fmt: skip
def test_what_is_not_there_says_so(client: TestClient, path: str, query: dict[str, Any], code: str) -> None:
    answer = client.post(f"/api/debugger/graph/{path}", json={**DUMP, **query})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)


def test_an_item_without_tensors_has_none(client: TestClient) -> None:
    assert ask(client, "tensors", step=0, item=2**31 - 1).json() | {"version": ""} == {
        "version": "",
        "rows": [],
        "total": 0,
    }
