# SPDX-License-Identifier: Apache-2.0
"""The built client's files, and what is said when there are none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.http import static_files
from mindscope.settings import Settings


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return create_app(Settings(summary_base_dir=tmp_path, workspace=tmp_path), Catalog(tmp_path))


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A client of three files, and a file beside it."""
    folder = tmp_path / "web"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>the page")
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "index-1a2b.js").write_text("let a = 1")
    (tmp_path / "secret.txt").write_text("not for you")
    return folder


@pytest.fixture
def http(app: FastAPI, web: Path) -> Iterator[httpx.Client]:
    static_files.mount(app, web)
    with TestClient(app, base_url="http://localhost") as http:
        yield http


@pytest.mark.parametrize("address", ["/", "/scalars", "/scalars?run=a%2Fb", "/any/thing/else", "/index.html"])
def test_an_address_of_the_client_is_its_page(http: httpx.Client, address: str):
    answer = http.get(address)
    assert answer.text == "<!doctype html>the page"
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("address", "up"),
    [("/", "./"), ("/scalars", "./"), ("/any/thing/else", "../../"), ("/a%2Fb/c", "../"), ("/a/", "../")],
)
def test_the_page_names_its_files_relative_to_its_address(http: httpx.Client, web: Path, address: str, up: str):
    """A browser behind a proxy resolves them to the root of the viewer, wherever that is."""
    (web / "index.html").write_text('<img src="./icon.svg"><script src="./assets/index-1a2b.js"></script><p>="./')
    answer = http.get(address)
    assert answer.text == f'<img src="{up}icon.svg"><script src="{up}assets/index-1a2b.js"></script><p>="./'
    behind = httpx.URL(f"http://localhost/proxy/8080{address}")
    assert behind.join(f"{up}assets/index-1a2b.js").path == "/proxy/8080/assets/index-1a2b.js"


def test_assets_are_cached_forever(http: httpx.Client):
    answer = http.get("/assets/index-1a2b.js")
    assert answer.text == "let a = 1"
    assert "javascript" in answer.headers["content-type"]
    assert "immutable" in answer.headers["cache-control"]


def test_a_file_beside_the_page_is_found_by_name(http: httpx.Client):
    assert http.get("/icon.svg").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize("address", ["/assets/nix.js", "/assets/", "/assets/..%2Findex.html", "/api/nix", "/api"])
def test_what_is_not_there_is_not_the_page(http: httpx.Client, address: str):
    answer = http.get(address)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("address", ["/..%2Fsecret.txt", "/%2E%2E/secret.txt", "/assets/..%2F..%2Fsecret.txt"])
def test_nothing_beside_the_web_folder_is_served(http: httpx.Client, address: str):
    assert "not for you" not in http.get(address).text


def test_a_page_can_be_asked_about_but_not_written_to(http: httpx.Client):
    assert http.head("/").status_code == 200
    assert http.post("/scalars", json={}).status_code == 404


def test_without_a_build_the_page_says_how_to_build(app: FastAPI, tmp_path: Path):
    static_files.mount(app, tmp_path / "no such folder")
    with TestClient(app, base_url="http://localhost") as http:
        answer = http.get("/scalars")
    assert answer.status_code == 503
    assert "npm run build" in answer.text
    assert "<script" not in answer.text
    seconds = int(answer.headers["retry-after"])
    assert f'<meta http-equiv="refresh" content="{seconds}">' in answer.text


def test_an_unforeseen_error_is_answered_politely_and_safely(app: FastAPI):
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as http:
        viewer, app.state.viewer = app.state.viewer, None
        answer = http.get("/api/runs")
        app.state.viewer = viewer
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert "content-security-policy" in answer.headers


def test_a_file_is_sent_as_the_build_compressed_it(http: httpx.Client, web: Path):
    script = web / "assets" / "index-1a2b.js"
    for end in (".br", ".gz"):
        script.with_name(script.name + end).write_bytes(end.encode())

    def sent(accepted: str) -> tuple[bytes, str | None]:
        with http.stream("GET", "/assets/index-1a2b.js", headers={"accept-encoding": accepted}) as answer:
            assert "javascript" in answer.headers["content-type"]
            return b"".join(answer.iter_raw()), answer.headers.get("content-encoding")

    assert sent("gzip, br") == (b".br", "br")
    assert sent("gzip, br;q=0") == (b".gz", "gzip")
    assert sent("identity") == (b"let a = 1", None)
