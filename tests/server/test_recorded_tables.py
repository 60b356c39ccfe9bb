# SPDX-License-Identifier: Apache-2.0
"""Recorded tables and HTML pages: rows, order, conditions, files of cells, and the rights of a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from starlette.testclient import TestClient

from mindscope import SummaryRecord
from mindscope.formats.kinds.table import table_to_tensorboard
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from mindscope.types import RecordedTable, TableColumn
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version

Ask = Callable[..., httpx.Response]
PAGE = "<script>top.location = 'http://example.invalid'</script><p>完成</p>"
HOSTILE = RecordedTable((TableColumn("<b>", "media", (0,)),), (("text/html", b"<script>alert(1)</script>"),))


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    """Asks about a run with a table of 1,000 rows, one of all types, one with a hostile file, and a page."""
    logs = tmp_path / "logs"
    with SummaryRecord(str(logs / "run"), raise_exception=True) as record:
        record.add_value("table", "long", {"n": list(range(1000)), "name": [f"item {n}" for n in range(1000)]})
        cells = {
            "loss": [0.5, float("nan"), None, float("inf")],
            "label": ["Katze", "狗", "x" * 5000, None],
            "right": [True, False, None, True],
            "picture": [np.zeros((4, 4, 3), np.uint8), None, None, None],
            "sound": [None, {"samples": np.zeros(80, np.float32), "sample_rate": 8000}, None, None],
        }
        record.add_value("table", "mixed", cells)
        record.add_value("table", "empty", {"a": []})
        record.add_value("html", "page", PAGE)
        record.record(3)
    (logs / "other").mkdir()
    events = tensorboard_version() + tensorboard_event(1, table_to_tensorboard("bad", HOSTILE))
    append(logs / "other" / TENSORBOARD_NAME.format(1), events)
    catalog = Catalog(logs)
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=logs, workspace=tmp_path), catalog)
    with TestClient(app, "http://localhost") as http:

        def ask(path: str, tag: str, kind: str = "table", run: str = "run", **more: Any) -> httpx.Response:
            query = {"run": run, "tag": tag, **more}
            if "id" not in query:
                query["id"] = http.get("/api/values", params={"run": run, "tag": tag, "kind": kind}).json()["id"][0]
            return http.get(path, params=query)

        yield ask


def test_rows_come_in_parts(ask: Ask) -> None:
    answer = ask("/api/table", "long", first=990, count=20).json()
    assert (answer["total"], answer["matching"], answer["first"]) == (1000, 1000, 990)
    assert answer["rows"] == list(range(990, 1000))
    assert answer["columns"][1]["values"][0] == "item 990"
    assert ask("/api/table", "long", count=501).status_code == 422
    assert ask("/api/table", "empty").json()["rows"] == []


def test_rows_are_sorted_searched_and_filtered_together(ask: Ask) -> None:
    answer = ask("/api/table", "long", where="n >= 10 and n % 2 == 0", search="ITEM 9", sort="-0", count=3).json()
    assert answer["rows"] == [998, 996, 994]
    assert answer["matching"] == sum("9" in str(n) for n in range(10, 1000, 2))
    assert ask("/api/table", "long", where='name == "item 7"').json()["rows"] == [7]
    assert ask("/api/table", "long", sort=["77", "x", "-1"], count=1).json()["rows"] == [999]
    bad = ask("/api/table", "long", where="nn > 1").json()["error"]
    assert "nn" in bad["message"]
    assert bad["values"]["position"] == 0


def test_cells_of_all_types(ask: Ask) -> None:
    answer = ask("/api/table", "mixed").json()
    cells = {column["name"]: column["values"] for column in answer["columns"]}
    assert cells["loss"] == [0.5, "NaN", None, "Infinity"]
    assert cells["right"] == [True, False, None, True]
    assert [cells["label"][1], len(cells["label"][2])] == ["狗", 2001]
    assert answer["media"] == {"0": "image/png", "1": "audio/wav"}
    for name, media_type, start in (("picture", "image/png", b"\x89PNG"), ("sound", "audio/wav", b"RIFF")):
        number = next(cell for cell in cells[name] if cell is not None)
        file = ask("/api/table/media", "mixed", file=number)
        assert (file.headers["content-type"], file.content[:4]) == (media_type, start)
    assert ask("/api/table", "mixed", sort="0").json()["rows"] == [0, 3, 1, 2]


def test_csv_has_whole_cells_in_the_same_order(ask: Ask) -> None:
    lines = list(csv.reader(io.StringIO(ask("/api/table/csv", "mixed", sort="-1", where="label is not missing").text)))
    assert lines[0] == ["loss", "label", "right", "picture", "sound"]
    assert [len(line[1]) for line in lines[1:]] == [1, 5000, 5]
    assert len(list(csv.reader(io.StringIO(ask("/api/table/csv", "long").text)))) == 1001


def test_a_file_that_a_browser_could_run_is_refused(ask: Ask) -> None:
    answer = ask("/api/table/media", "bad", run="other", file=0)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "table_media_type")
    assert ask("/api/table/media", "bad", run="other", file=1).status_code == 404


def test_a_page_has_no_rights(ask: Ask) -> None:
    for more, sandbox in (({}, "sandbox"), ({"scripts": True}, "sandbox allow-scripts")):
        answer = ask("/api/html", "page", "html", **more)
        policy = [each.strip() for each in answer.headers["content-security-policy"].split(";")]
        assert answer.text == PAGE
        assert policy[0] == sandbox
        assert "default-src 'none'" in policy
        assert ("script-src 'unsafe-inline'" in policy) is bool(more)
        assert not [each for each in policy if "'self'" in each and not each.startswith("frame-ancestors")]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_an_unknown_value_is_not_found(ask: Ask) -> None:
    for path, tag, kind in (
        ("/api/table", "long", "table"),
        ("/api/table/csv", "long", "table"),
        ("/api/html", "page", "html"),
    ):
        answer = ask(path, tag, kind, id="1-2-3")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "value_not_found")
