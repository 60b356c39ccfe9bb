# SPDX-License-Identifier: Apache-2.0
"""A client of the run list is told what is new to it, and ends with the list that a new client is told."""

from __future__ import annotations

import json
import time
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from mindscope.ingest import Catalog
from mindscope.server.runs.query import RunList

from .live_viewer import GrowingLog, LiveViewer


class Client:
    """Keeps a list as new as the answers make it."""

    def __init__(self, listed: RunList) -> None:
        self._listed = listed
        self._cursor: str | None = None
        self.runs: dict[str, Any] = {}

    def ask(self) -> dict[str, Any]:
        answer = json.loads(self._listed.answer(self._cursor))
        self._cursor = answer["cursor"]
        if answer["is_whole"]:
            self.runs = {}
        for id in answer["gone"]:
            del self.runs[id]
        self.runs.update({run["id"]: run for run in answer["runs"]})
        return answer


class Clock:
    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        GrowingLog(tmp_path / name).scalar(1, 1.0)
    return tmp_path


@pytest.fixture
def catalog(base: Path) -> Catalog:
    catalog = Catalog(base)
    catalog.refresh()
    return catalog


def test_only_the_run_that_grew_is_told(base: Path, catalog: Catalog):
    client = Client(RunList(catalog))
    assert client.ask()["is_whole"]
    assert list(client.runs) == ["a", "b", "c"]
    assert client.ask()["runs"] == []
    GrowingLog(base / "b").scalar(7, 2.0)
    catalog.refresh()
    answer = client.ask()
    assert (answer["is_whole"], answer["version"]) == (False, catalog.version)
    assert [(run["id"], run["last_step"]) for run in answer["runs"]] == [("b", 7)]


def test_runs_that_come_and_go_and_come_again_are_told(base: Path, catalog: Catalog):
    listed = RunList(catalog)
    client = Client(listed)
    client.ask()
    GrowingLog(base / "deep" / "d").scalar(1, 1.0)
    rmtree(base / "a")
    catalog.refresh()
    answer = client.ask()
    assert answer["gone"] == ["a"]
    assert {run["id"] for run in answer["runs"]} == {"deep/d"}
    GrowingLog(base / "a").scalar(3, 1.0)
    catalog.refresh()
    assert client.ask()["gone"] == []
    newcomer = Client(listed)
    newcomer.ask()
    assert client.runs == newcomer.runs


def test_what_cannot_be_read_is_told_when_it_is_another(base: Path, catalog: Catalog):
    client = Client(RunList(catalog))
    assert client.ask()["unread"] == []
    link = base / "b" / "events.out.tfevents.1"
    link.symlink_to(link.name)
    catalog.refresh()
    (place,) = client.ask()["unread"]
    assert (place["path"], place["kind"], place["detail"]["code"]) == (str(link), "link", "symlink_loop")
    assert place["detail"]["values"]["errno"] == "ELOOP"
    assert place["remedy"] == "Delete the link, or point it to a file."
    assert client.ask()["unread"] is None
    GrowingLog(base / "a").scalar(9, 2.0)
    catalog.refresh()
    assert client.ask()["unread"] is None
    link.unlink()
    catalog.refresh()
    answer = client.ask()
    assert (answer["runs"], answer["unread"]) == ([], [])


def test_a_rank_that_gets_a_sibling_is_told_again(base: Path, catalog: Catalog):
    client = Client(RunList(catalog))
    for name, want in (("rank_0", {"rank_0"}), ("rank_1", {"rank_0", "rank_1"})):
        GrowingLog(base / "ddp" / name).scalar(1, 1.0)
        catalog.refresh()
        client.ask()
        assert {id for id in client.runs if id.startswith("ddp")} == {f"ddp/{each}" for each in want}
    assert {client.runs[f"ddp/rank_{number}"]["rank_of"] for number in (0, 1)} == {"ddp/rank_*"}


def test_a_run_that_nobody_writes_any_more_is_told_without_a_change_of_it(base: Path, catalog: Catalog):
    clock = Clock()
    client = Client(RunList(catalog, clock))
    GrowingLog(base / "b").scalar(2, 1.0)
    catalog.refresh()
    client.ask()
    assert client.runs["b"]["state"] == "live"
    clock.ahead_s = 3600
    client.ask()
    assert client.runs["b"]["state"] == "idle"
    assert client.ask()["runs"] == []


def test_a_cursor_of_another_viewer_gets_the_whole_list(viewer: LiveViewer):
    whole = viewer.http.get("/api/runs").json()
    assert len(whole["runs"]) == len(viewer.runs())
    for since in ("", "soup", "0-0", f"{whole['cursor']}9", whole["cursor"].replace("-", "0-"), "deadbeef-٣"):
        answer = viewer.http.get("/api/runs", params={"since": since}).json()
        assert (answer["is_whole"], answer["gone"], answer["runs"]) == (True, [], whole["runs"])
    same = viewer.http.get("/api/runs", params={"since": whole["cursor"]}).json()
    assert (same["is_whole"], same["runs"], same["cursor"]) == (False, [], whole["cursor"])
