# SPDX-License-Identifier: Apache-2.0
"""Operators, kernels and modules over HTTP: pages, conditions, one row with what belongs to it, files."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.profile.kineto_events import Events

NAME = "made.pt.trace.json"
FORMULA = '=HYPERLINK("http://example.org","mm")'
OF = {"run": "run", "profile": NAME}
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def made() -> Events:
    events = Events()
    events.step(3, 0, 1000)
    for place, (name, shapes, dtypes, dur) in enumerate(
        [
            ("aten::mm", [[2, 3]], ["float"], 30),
            ("aten::mm", [[4, 3]], ["float"], 10),
            ("aten::add", [[2, 3]], ["int"], 20),
            (FORMULA, [[1]], ["float"], 5),
        ]
    ):
        ts, id = 100 + 100 * place, place + 1
        events.op(name, ts, dur, Input_Dims=shapes, Input_type=dtypes, External_id=id)
        events.launch(ts + 1, 2, id, External_id=id)
        events.kernel("gemm" if "mm" in name else "elementwise", ts + 50, dur, id, External_id=id)
    return events


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    directory = tmp_path / "logs" / "run"
    directory.mkdir(parents=True)
    made().write(directory / NAME)
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=tmp_path / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    opened = TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080")
    with opened:
        deadline = time.monotonic() + 20
        while opened.get("/api/profiles/tables", params=OF).json()["progress"] is not None:
            assert time.monotonic() < deadline
        yield opened
    catalog.close()


def rows(client: TestClient, **query: Any) -> dict[str, Any]:
    answer = client.post("/api/profiles/rows", json={**OF, "part": "operators", **query})
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_a_page_has_some_rows_and_the_greatest_of_all(client: TestClient) -> None:
    found = rows(client, by="each", first=1, count=2)
    assert (found["total"], found["matching"], found["whole_ns"]) == (4, 4, 65_000)
    assert [each["time_ns"] for each in found["top"]] == [30_000, 20_000, 10_000, 5_000]
    assert [(each["row"], each["name"], each["texts"]["shapes"]) for each in found["rows"]] == [
        (1, "aten::add", "[[2,3]]"),
        (2, "aten::mm", "[[4,3]]"),
    ]
    assert found["groups"] == ["type", "name", "shapes", "dtypes", "each"]
    assert {"name": "device_self", "kind": "ns"} in found["figures"]


def test_merged_rows_say_how_many_they_stand_for(client: TestClient) -> None:
    found = rows(client, by="dtypes")
    assert [(each["name"], each["time_ns"], each["distinct"]) for each in found["rows"]] == [
        ('["float"]', 45_000, {"name": 2, "type": 2, "shapes": 3}),
        ('["int"]', 20_000, {}),
    ]


def test_rows_are_narrowed_filtered_and_ordered(client: TestClient) -> None:
    found = rows(client, by="shapes", where=["name=aten::mm"], sort="count", is_descending=False)
    assert (found["total"], found["time_ns"]) == (2, 40_000)
    assert found["rows"][0]["figures"]["share"] == pytest.approx(30 / 65)
    found = rows(client, by="name", words=["ATEN"], regex="(mm|sub)$", count=0)
    assert (found["total"], found["matching"], found["rows"]) == (3, 1, [])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"by": "stack"}, "profile_grouping_unknown"),
        ({"sort": "nothing"}, "profile_column_unknown"),
        ({"where": ["stack=a"]}, "profile_texts_unknown"),
        ({"regex": "("}, "profile_pattern"),
        ({"regex": r"(?=a)"}, "profile_pattern"),
    ],
)
def test_what_the_profile_does_not_have_is_refused(client: TestClient, query: dict[str, Any], code: str) -> None:
    answer = client.post("/api/profiles/rows", json={**OF, "part": "operators", **query})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)


def test_operators_lead_to_their_kernels_and_back(client: TestClient) -> None:
    query = {**OF, "part": "operators", "by": "name", "row": 0}
    found = client.post("/api/profiles/row", json=query).json()
    assert found["row"]["name"] == "aten::mm"
    assert [(each["name"], each["count"], each["share"]) for each in found["related"]] == [("gemm", 2, 1.0)]
    kernels = rows(client, part="kernels", by="operator", where=["operator=aten::mm"])
    assert [(each["name"], each["time_ns"]) for each in kernels["rows"]] == [("aten::mm", 40_000)]
    back = client.post("/api/profiles/row", json={**OF, "part": "kernels", "by": "name", "row": 0}).json()
    assert (back["row"]["name"], [each["name"] for each in back["related"]]) == ("gemm", ["aten::mm", FORMULA])
    assert client.post("/api/profiles/row", json={**query, "row": 99}).status_code == 404


def test_a_missing_part_says_why(client: TestClient) -> None:
    answer = client.get("/api/profiles/modules", params=OF)
    assert (answer.status_code, "no modules" in answer.json()["error"]["message"]) == (422, True)


def test_a_csv_has_all_rows_and_no_formula(client: TestClient) -> None:
    query = {**OF, "part": "operators", "by": "name", "format": "csv", "sort": "name", "is_descending": False}
    text = client.post("/api/profiles/rows/file", json=query).text
    lines = list(csv.DictReader(io.StringIO(text)))
    assert [each["name"] for each in lines] == ["'" + FORMULA, "aten::add", "aten::mm"]
    assert [each["device_self_ms"] for each in lines] == ["0.005", "0.02", "0.04"]
    assert [each["shapes"] for each in lines] == ["[[1]]", "[[2,3]]", "(2 different)"]


def test_without_its_package_a_workbook_is_refused_with_the_remedy(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    answer = client.post("/api/profiles/rows/file", json={**OF, "part": "operators", "by": "name", "format": "xlsx"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (501, "excel_missing")
    assert "pip install 'mindscope[excel]'" in answer.json()["error"]["remedy"]


def test_a_workbook_has_texts_and_numbers(client: TestClient) -> None:
    pytest.importorskip("xlsxwriter")
    query = {**OF, "part": "operators", "by": "name", "format": "xlsx"}
    answer = client.post("/api/profiles/rows/file", json=query)
    assert answer.headers["content-type"].startswith("application/vnd.openxmlformats")
    with ZipFile(io.BytesIO(answer.content)) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        shared = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
    assert sheet.findall(f".//{SHEET}f") == []
    texts = ["".join(each.itertext()) for each in shared.iter(f"{SHEET}si")]
    assert texts[0] == "name"
    assert FORMULA in texts
    assert "0.04" in [each.text for each in sheet.iter(f"{SHEET}v")]
