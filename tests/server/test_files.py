# SPDX-License-Identifier: Apache-2.0
"""The files of a run over HTTP: list, text, download; nothing leads out of the run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from mindscope import SummaryRecord
from mindscope.artifacts.recorded_files import LIST_NAME, RecordedFile, line_of
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings

HTML = "<script>alert(1)</script>"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    sources = {"model.pt": b"\0" * 3_000_000, "page.html": HTML.encode(), "notes.txt": ("é" * 700_000).encode()}
    with SummaryRecord(tmp_path / "logs" / "first") as record:
        for name, content in sources.items():
            (tmp_path / name).write_bytes(content)
            record.log_file(tmp_path / name, step=3 if name == "model.pt" else None)
        record.files.run_later(
            lambda: record.files.add_text("git_diff.patch", "+a\n", "git_diff", is_cut=True, masked=2)
        )
        record.files.run_later(lambda: record.files.leave_out("config/big.json", "config", "too_large"))
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    return tmp_path / "logs"


@pytest.fixture
def client(base: Path) -> Iterator[TestClient]:
    catalog = Catalog(base, None)
    catalog.refresh()
    with TestClient(create_app(Settings(summary_base_dir=base), catalog), base_url="http://127.0.0.1:8080") as client:
        yield client
    catalog.close()


def ask(client: TestClient, what: str, path: str, run: str = "first") -> tuple[int, dict[str, object]]:
    response = client.get(f"/api/files{what}", params={"run": run, "path": path})
    return response.status_code, response.json()


def test_the_list_of_files(client: TestClient) -> None:
    answer = client.get("/api/files", params={"run": "first"}).json()
    facts = [
        (each["name"], each["kind"], each["step"], each["size_bytes"], each["left_out"]) for each in answer["files"]
    ]
    assert facts == [
        ("git_diff.patch", "git_diff", None, 3, None), ("config/big.json", "config", None, 0, "too_large"),
        ("notes.txt", "file", None, 1_400_000, None), ("page.html", "file", None, len(HTML), None),
        ("model.pt", "checkpoint", 3, 3_000_000, None),
    ]  # fmt: skip
    assert (answer["files"][0]["is_cut"], answer["files"][0]["masked"]) == (True, 2)
    assert (answer["total"], answer["size_bytes"]) == (5, 3_000_000 + 1_400_000 + len(HTML) + 3)


def test_a_text_and_what_is_none(client: TestClient) -> None:
    assert ask(client, "/text", "files/page.html") == (200, {"text": HTML, "size_bytes": len(HTML), "is_cut": False})
    status, long = ask(client, "/text", "files/notes.txt")
    assert (status, long["is_cut"], long["size_bytes"]) == (200, True, 1_400_000)
    assert str(long["text"]).startswith("é" * 500_000)
    assert ask(client, "/text", "files/step_3/model.pt")[1] == {"text": None, "size_bytes": 3_000_000, "is_cut": True}


def test_bytes_are_saved_and_never_shown_as_a_page(client: TestClient) -> None:
    response = client.get("/api/files/content", params={"run": "first", "path": "files/page.html"})
    assert response.text == HTML
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["content-disposition"] == "attachment; filename*=UTF-8''page.html"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.headers["content-length"] == str(len(HTML))
    large = client.get("/api/files/content", params={"run": "first", "path": "files/step_3/model.pt"})
    assert large.content == b"\0" * 3_000_000


@pytest.mark.parametrize("path", [
    "", "/etc/passwd", "../first/files/page.html", "files/../../first/files/page.html", "files/page.html/", "files",
    f"files/{LIST_NAME}", "events", "files/config/big.json", "files/%2e%2e/x", "files/page.html\0", "x" * 1000,
])  # fmt: skip
@pytest.mark.parametrize("what", ["/text", "/content"])
def test_other_paths_are_refused(client: TestClient, path: str, what: str) -> None:
    status, answer = ask(client, what, path)
    assert status == 404
    assert answer["error"]["code"] == "file_not_found"  # type: ignore[index]


def test_an_unknown_run(client: TestClient) -> None:
    assert client.get("/api/files", params={"run": "x"}).status_code == 404
    assert ask(client, "/content", "files/page.html", "x")[0] == 404


def test_a_list_that_leads_outside_is_not_followed(client: TestClient, base: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    files = base / "first" / "files"
    (files / "link.txt").symlink_to(tmp_path / "secret")
    (files / "step_1").symlink_to(tmp_path)
    hostile = [
        RecordedFile("link.txt", "files/link.txt", "file", 6, "", 1.0),
        RecordedFile("secret", "files/step_1/secret", "file", 6, "", 1.0, 1),
        RecordedFile("../../../secret", "files/../../../secret", "file", 6, "", 1.0),
    ]
    with (files / LIST_NAME).open("ab") as file:
        file.writelines(map(line_of, hostile))
        file.write(json.dumps({"name": HTML, "path": f"files/{HTML}", "kind": HTML, "left_out": HTML}).encode())
    for each in hostile:
        assert ask(client, "/text", each.path)[0] == 404
        assert ask(client, "/content", each.path)[0] == 404
    listed = {each["name"]: each for each in client.get("/api/files", params={"run": "first"}).json()["files"]}
    assert (listed[HTML]["kind"], listed[HTML]["left_out"]) == ("file", "unreadable")
    assert listed["link.txt"]["left_out"] == "missing"


def test_a_file_that_is_replaced_or_deleted_is_read_as_it_is_now(client: TestClient, base: Path) -> None:
    path = base / "first" / "files" / "page.html"
    path.write_text("new")
    assert ask(client, "/text", "files/page.html")[1]["text"] == "new"
    path.unlink()
    assert ask(client, "/content", "files/page.html")[0] == 404


def test_a_run_without_files(client: TestClient, base: Path) -> None:
    (base / "first" / "files" / LIST_NAME).unlink()
    assert client.get("/api/files", params={"run": "first"}).json() == {"files": [], "total": 0, "size_bytes": 0}
