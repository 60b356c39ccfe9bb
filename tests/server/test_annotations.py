# SPDX-License-Identifier: Apache-2.0
"""Notes, tags, colors of runs and groups, thresholds, pins, views, mutes, targets and reports over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer
from .test_live import listening

RUN = "run"
CARD = {"title": "input", "run": "a"}
BLOCK = {"id": "1", "text": "# Why", "address": None, "card": None, "pinned": None, "is_half": False}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("annotations")


@pytest.fixture(scope="module")
def noted(room: Path) -> Iterator[LiveViewer]:
    GrowingLog(room / "logs" / RUN).scalar(1, 0.5)
    with running_viewer(room / "logs", room) as viewer:
        yield viewer


def read_annotations(viewer: LiveViewer) -> dict[str, Any]:
    return viewer.http.get("/api/annotations").raise_for_status().json()


def change_run(viewer: LiveViewer, run: str, version: int, **change: Any) -> httpx.Response:
    body = {"changes": [{"run": run, "version": version, **change}]}
    return viewer.http.patch("/api/annotations/runs", json=body)


def put(viewer: LiveViewer, sort: str, id: str, version: int, value: Any) -> httpx.Response:
    return viewer.http.put(f"/api/annotations/{sort}s", json={"id": id, "version": version, sort: value})


def test_notes_of_a_run_are_changed_one_by_one(noted: LiveViewer):
    first = change_run(noted, "one/by/one", 0, note="fast", tags=["best", "\u6700\u597d"]).raise_for_status().json()
    version = first["runs"]["one/by/one"]["version"]
    second = change_run(noted, "one/by/one", version, color="#ff0000", archived=True).raise_for_status().json()
    record = read_annotations(noted)["runs"]["one/by/one"]
    assert record == second["runs"]["one/by/one"]
    assert record | {"version": 0} == {
        "note": "fast", "tags": ["best", "\u6700\u597d"], "color": "#ff0000", "archived": True, "version": 0,
        "note_author": "",
    }  # fmt: skip
    third = change_run(noted, "one/by/one", record["version"], color=None).raise_for_status().json()
    assert third["runs"]["one/by/one"]["color"] is None
    assert third["runs"]["one/by/one"]["note"] == "fast"


def test_a_lost_update_is_answered_with_the_newer_one(noted: LiveViewer):
    change_run(noted, "lost", 0, note="theirs").raise_for_status()
    refused = change_run(noted, "lost", 0, note="mine")
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "stale_record"
    newer = refused.json()["newer"]["runs"]["lost"]
    assert newer["note"] == "theirs"
    change_run(noted, "lost", newer["version"], note="mine").raise_for_status()
    assert read_annotations(noted)["runs"]["lost"]["note"] == "mine"


@pytest.mark.parametrize(
    ("sort", "value"),
    [
        ("pin", {"page": "scalars", "subject": "train/loss", "place": 2.5}),
        ("view", {"title": "the best", "address": "/scalars?runs=a&smooth=0.6", "note": ""}),
        ("target", {"goal": "min", "is_chosen": True}),
        (
            "report",
            {
                "title": "\u62a5\u544a",
                "blocks": [BLOCK, BLOCK | {"address": "/images?run=a", "card": CARD, "is_half": True}],
            },
        ),
        ("mute", {"alert": None, "rule": "nan", "run": "a/b", "tag": None, "until": 1.8e9}),
        ("threshold", {"tag": "loss", "rule": "value > 2", "for_steps": 3, "runs": "a/*", "enabled": True}),
    ],
)
def test_records_are_written_read_and_deleted(noted: LiveViewer, sort: str, value: dict[str, Any]):
    written = put(noted, sort, "an id", 0, value).raise_for_status().json()
    record = read_annotations(noted)[f"{sort}s"]["an id"]
    assert {name: record[name] for name in value} == value
    assert record == written[f"{sort}s"]["an id"]
    gone = put(noted, sort, "an id", record["version"], None).raise_for_status().json()
    assert gone[f"{sort}s"] == {"an id": None}
    assert read_annotations(noted)[f"{sort}s"] == {}


def change_group(viewer: LiveViewer, group: str, version: int, **change: Any) -> httpx.Response:
    body = {"changes": [{"group": group, "version": version, **change}]}
    return viewer.http.patch("/api/annotations/groups", json=body)


def test_a_group_of_runs_has_a_color_for_everybody(noted: LiveViewer):
    group = "optimizer = Adam"
    first = change_group(noted, group, 0, color="3").raise_for_status().json()["groups"][group]
    assert change_group(noted, group, 0, color="#00ff00").json()["newer"]["groups"] == {group: first}
    taken = change_group(noted, group, first["version"], color=None).raise_for_status().json()["groups"][group]
    assert read_annotations(noted)["groups"] == {group: taken}
    assert taken["color"] is None
    again = change_group(noted, group, taken["version"], color="#00ff00").raise_for_status().json()
    assert again["groups"][group]["color"] == "#00ff00"
    assert change_group(noted, group, again["groups"][group]["version"], color="red").status_code == 422


def test_a_threshold_says_which_lines_to_draw(noted: LiveViewer):
    rule = "value > 2 or (-0.5 >= value and step > 100) or `other` > 3"
    written = put(noted, "threshold", "lines", 0, {"tag": "train/loss", "rule": rule}).raise_for_status().json()
    record = written["thresholds"]["lines"]
    assert record["bounds"] == [{"operator": ">", "limit": 2.0}, {"operator": "<=", "limit": -0.5}]
    assert record["problem"] is None


def test_a_rule_that_can_not_be_read_says_why(noted: LiveViewer):
    written = put(noted, "threshold", "bad", 0, {"tag": "loss", "rule": "value[0] > 2"}).raise_for_status()
    assert "Unexpected “[” (character 6)" in written.json()["thresholds"]["bad"]["problem"]["message"]


@pytest.mark.parametrize(
    ("sort", "value"),
    [
        ("threshold", {"tag": "loss", "rule": "value > 2", "for_steps": 0}),
        ("threshold", {"tag": "loss"}),
        ("target", {"goal": "highest"}),
        ("view", {"title": "evil", "address": "//evil.example"}),
        ("view", {"title": "evil", "address": "javascript:alert(1)"}),
        ("report", {"title": "evil", "blocks": [BLOCK | {"address": "//evil.example"}]}),
        ("report", {"title": "evil", "blocks": [BLOCK | {"pinned": "https://evil.example"}]}),
        ("report", {"title": "long", "blocks": [BLOCK] * 501}),
    ],
)
def test_what_is_out_of_range_is_refused(noted: LiveViewer, sort: str, value: dict[str, Any]):
    assert put(noted, sort, "refused", 0, value).status_code == 422


def test_a_change_is_told_to_every_page(noted: LiveViewer):
    with listening(noted) as events:
        events.next()
        changed = change_run(noted, "told", 0, note="x").raise_for_status().json()
        told = eventually(lambda: next((data for name, data in [events.next()] if name == "annotations"), None))
        assert told == {"revision": changed["revision"]}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_sites_change_nothing(noted: LiveViewer, headers: dict[str, str]):
    before = read_annotations(noted)["revision"]
    body = {"changes": [{"run": "evil", "version": 0, "note": "x"}]}
    refused = noted.http.patch("/api/annotations/runs", json=body, headers=headers)
    assert refused.status_code == 403
    assert read_annotations(noted)["revision"] == before


def test_our_own_page_may_change_it(noted: LiveViewer):
    headers = {"origin": f"http://127.0.0.1:{noted.port}", "sec-fetch-site": "same-origin"}
    body = {"changes": [{"run": "ours", "version": 0, "note": "x"}]}
    assert noted.http.patch("/api/annotations/runs", json=body, headers=headers).status_code == 200


def test_a_body_that_is_not_declared_as_json_is_refused(noted: LiveViewer):
    refused = noted.http.put("/api/annotations/pins", content='{"id": "x"}', headers={"content-type": "text/plain"})
    assert refused.status_code == 415


def test_it_outlives_the_viewer(tmp_path: Path):
    GrowingLog(tmp_path / "logs" / RUN).scalar(1, 0.5)
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        change_run(viewer, RUN, 0, note="kept").raise_for_status()
        change_group(viewer, "/", 0, color="4").raise_for_status()
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        assert read_annotations(viewer)["runs"][RUN]["note"] == "kept"
        assert read_annotations(viewer)["groups"]["/"]["color"] == "4"


def test_without_annotations_the_pages_still_work(tmp_path: Path):
    GrowingLog(tmp_path / "logs" / RUN).scalar(1, 0.5)
    (tmp_path / "workspace" / "annotations.sqlite3").mkdir(parents=True)
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        known = read_annotations(viewer)
        assert not known["is_writable"]
        assert "annotations.sqlite3" in known["problem"]["message"]
        refused = change_run(viewer, RUN, 0, note="x")
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "annotations_read_only"
        assert change_group(viewer, "/", 0, color="1").status_code == 503
        eventually(lambda: RUN in viewer.runs())


@pytest.mark.parametrize("address", ["//elsewhere", "/\\elsewhere", "/\t/elsewhere", "/ /elsewhere", "scalars", "/a b"])
def test_a_view_leads_to_no_other_site(noted: LiveViewer, address: str):
    view = {"title": "v", "address": address}
    answer = noted.http.put("/api/annotations/views", json={"id": "v", "version": 0, "view": view})
    assert answer.status_code == 422


def test_a_change_takes_as_many_runs_as_the_page_sends_at_once(noted: LiveViewer):
    changes = [{"run": f"many/{number}", "version": 0, "tags": ["paper"]} for number in range(10_001)]
    refused = noted.http.patch("/api/annotations/runs", json={"changes": changes})
    assert refused.status_code == 422
    whole = noted.http.patch("/api/annotations/runs", json={"changes": changes[:10_000]}).raise_for_status().json()
    assert len(whole["runs"]) == 10_000
