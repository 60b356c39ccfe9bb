# SPDX-License-Identifier: Apache-2.0
"""The lineage table over hostile runs, and many requests while runs come and go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.lineage.column import ColumnKey, Group
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.event_log import LINEAGE_NAME, append, lineage
from tests.lineage.page_cases import literal, reference
from tests.reading.lineage_cache import custom

NAMES = ["a\"b'c`d\\", "line\nbreak", "🚀 <img src=x onerror=alert(1)>", "x" * 250, "and", "学习率"]


def write(base: Path, run: str, *records: bytes, settings: str | None = None) -> None:
    (base / run).mkdir(parents=True, exist_ok=True)
    append(base / run / LINEAGE_NAME.format(1), b"".join(records))
    if settings is not None:
        (base / run / "params.json").write_text(settings)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    (tmp_path / "logs").mkdir()
    return Catalog(tmp_path / "logs")


@pytest.fixture
def client(catalog: Catalog, tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(summary_base_dir=catalog.base, workspace=tmp_path / "workspace"), catalog)
    with TestClient(app, "http://localhost") as opened:  # one event loop for all requests, as in a viewer
        yield opened
    app.state.viewer.close()


def post(client: TestClient, path: str, **body: Any) -> Any:
    response = client.post(f"/api/{path}", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def column(answer: Any, id: str) -> dict[str, Any]:
    (found,) = [each for each in answer["columns"] if each["id"] == id]
    return dict(zip(answer["runs"], found["cells"], strict=True))


def test_hostile_names_of_runs_and_columns(client: TestClient, catalog: Catalog) -> None:
    for number, name in enumerate(NAMES):
        write(catalog.base, name, custom(x=number), settings=json.dumps(dict.fromkeys(NAMES, number)))
    catalog.refresh()
    assert set(post(client, "lineage")["runs"]) == set(NAMES)
    for number, name in enumerate(NAMES):
        key = ColumnKey(Group.PARAMETER, name)
        where = f"{reference(key)} == {number} and run == {literal(name)}"
        assert post(client, "lineage/filter", where=where)["runs"] == [name]
        rows = post(client, "lineage/file", format="json", runs=[name], columns=["run", key.id])
        assert rows == [{"run": name, key.id: number}]


def test_two_thousand_columns_are_one_table(client: TestClient, catalog: Catalog) -> None:
    write(catalog.base, "wide", settings=json.dumps({f"p{number}": number for number in range(2000)}))
    write(catalog.base, "narrow", custom(x=1))
    catalog.refresh()
    assert column(post(client, "lineage"), "p1999") == {"narrow": None, "wide": 1999}


def test_a_metric_named_like_a_fact_hides_none(client: TestClient, catalog: Catalog) -> None:
    metrics = {"metric": '{"state": 1, "run": 2, "fact/state": 3}'}
    write(catalog.base, "a", lineage({"evaluation_lineage": metrics}))
    catalog.refresh()
    answer = post(client, "lineage")
    cells = {id: column(answer, id)["a"] for id in ("run", "metric/run", "metric/state", "metric/fact/state")}
    assert cells == {"run": "a", "metric/run": 2, "metric/state": 1, "metric/fact/state": 3}
    assert column(answer, "fact/state")["a"] in ("idle", "live", "finished", "empty")
    assert post(client, "lineage/filter", where="metric['fact/state'] == 3 and run == 'a'")["runs"] == ["a"]


def test_a_damaged_event_and_a_link_to_a_run_hide_no_run(client: TestClient, catalog: Catalog) -> None:
    write(catalog.base, "good", custom(x=1))
    (catalog.base / "link").symlink_to(catalog.base / "good")
    write(catalog.base, "cut", custom(x=2)[:-5], b"soup", custom(x=3))
    write(catalog.base, "no json", lineage({"evaluation_lineage": {"metric": '{"a": '}}), custom(x=4))
    catalog.refresh()
    cells = column(post(client, "lineage"), "custom/x")
    assert set(cells) == {"cut", "good", "no json"}
    assert (cells["good"], cells["no json"]) == (1, 4)


def test_fifty_requests_at_once_while_runs_come_and_go(client: TestClient, catalog: Catalog) -> None:
    for number in range(4):
        write(catalog.base, f"stays_{number}", custom(x=number))
    catalog.refresh()
    is_over = Event()

    def churn() -> int:
        rounds = 0
        while not is_over.is_set():
            write(catalog.base, f"goes_{rounds % 3}", custom(x=9), settings=f'{{"lr": {rounds}}}')
            catalog.refresh()
            rmtree(catalog.base / f"goes_{(rounds + 1) % 3}", ignore_errors=True)
            rounds += 1
        return rounds

    def read(number: int) -> set[str]:
        if number % 3 == 0:
            return set(post(client, "lineage")["runs"])
        if number % 3 == 1:
            return set(post(client, "lineage/filter", where="x is not missing")["runs"])
        return {row["run"] for row in post(client, "lineage/file", format="json")}

    with ThreadPoolExecutor(51) as pool:
        churning = pool.submit(churn)
        try:
            found = list(pool.map(read, range(50)))
        finally:
            is_over.set()
        assert churning.result() > 0
    stays = {f"stays_{number}" for number in range(4)}
    assert all(stays <= each for each in found)
