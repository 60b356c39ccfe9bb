# SPDX-License-Identifier: Apache-2.0
"""Hostile values in one run: every route of values answers for that run and for the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.hostile_values import write_good_run, write_hostile_run

RUNS = ["good", "hostile"]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    base: Path = tmp_path_factory.mktemp("logs")
    write_good_run(base / "good")
    write_hostile_run(base / "hostile")
    catalog = Catalog(base)
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=base, workspace=tmp_path_factory.mktemp("workspace")), catalog)
    yield TestClient(app, "http://localhost", raise_server_exceptions=False)
    app.state.viewer.close()


def answer(client: TestClient, address: str, **body: Any) -> Any:
    response = client.post(address, json=body) if body else client.get(address)
    assert response.status_code == 200, response.text
    return response.json() if "json" in response.headers["content-type"] else response.content


def test_the_parameters_of_all_runs_are_shown(client: TestClient) -> None:
    table = answer(client, "/api/lineage", scalars=[])
    assert table["runs"] == RUNS
    cells = {column["id"]: column["cells"] for column in table["columns"]}
    assert cells["metric/acc"] == [0.25, 0.5]


@pytest.mark.parametrize("run", RUNS)
def test_outlines_of_each_run_are_shown(client: TestClient, run: str) -> None:
    outlines = answer(client, f"/api/previews?run={run}")
    assert outlines["landscape"]["tag"] == {"good": "fine", "hostile": "no point"}[run]
    assert bool(outlines["problems"]) == (run == "hostile")


def test_lists_of_all_runs_are_answered(client: TestClient) -> None:
    assert [run["id"] for run in answer(client, "/api/runs")["runs"]] == RUNS
    for kind in ("scalar", "image", "tensor", "landscape"):
        assert answer(client, "/api/tags", runs=RUNS, kind=kind)["tags"]
    answer(client, "/api/curves", series=[{"run": run, "tag": "loss"} for run in RUNS])
    assert len(answer(client, "/api/statistics", runs=RUNS, tags=["loss"])["series"]) == 2
    assert len(answer(client, "/api/damages?run=hostile")["damages"]) == 3


def test_each_value_is_answered_or_refused_with_a_reason(client: TestClient) -> None:
    values = answer(client, "/api/values?run=hostile&kind=tensor&tag=deep")
    refused = client.get("/api/tensor", params={"run": "hostile", "tag": "deep", "id": values["id"][0]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (415, "tensor_dimensions")
    images = answer(client, "/api/images?run=hostile&tag=picture")
    for id in images["id"]:
        response = client.get("/api/image", params={"run": "hostile", "tag": "picture", "id": id})
        assert response.status_code in (200, 415), response.text
