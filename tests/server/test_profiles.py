# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs over HTTP: the list, the timeline with its progress, windows, details, search, export."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.profile.open import read_profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.server.app import create_app
from mindscope.server.profiles.timeline.query import facts_of, first_rows
from mindscope.server.profiles.timeline.schema import TrackRows
from mindscope.settings import Settings
from tests.profile.kineto_events import Events

EVENTS: list[dict[str, Any]] = [
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 1, "ts": 0, "args": {"name": "python"}},
    {"ph": "X", "name": "ProfilerStep#7", "cat": "user_annotation", "pid": 1, "tid": 1, "ts": 1000, "dur": 100},
    {"ph": "X", "name": "aten::mm", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1010, "dur": 40,
     "args": {"Input Dims": [[2, 3]]}},
    {"ph": "X", "name": "launch", "cat": "cuda_runtime", "pid": 1, "tid": 1, "ts": 1020, "dur": 5},
    {"ph": "X", "name": "gemm", "cat": "kernel", "pid": 0, "tid": 7, "ts": 1060, "dur": 20},
    {"ph": "s", "id": 5, "cat": "ac2g", "name": "ac2g", "pid": 1, "tid": 1, "ts": 1020},
    {"ph": "f", "id": 5, "cat": "ac2g", "name": "ac2g", "pid": 0, "tid": 7, "ts": 1060, "bp": "e"},
    {"ph": "C", "name": "queue", "pid": 1, "tid": 1, "ts": 1030, "args": {"n": 3}},
    {"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 1040, "s": "t"},
    {"ph": "X", "name": "no begin", "pid": 1, "tid": 1},
]  # fmt: skip
NAME = "host_1.1.pt.trace.json"


def write_trace(path: Path) -> None:
    text = json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": 10**18, "traceEvents": EVENTS}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    write_trace(tmp_path / "logs" / "run" / NAME)
    write_trace(tmp_path / "logs" / "run" / "rank_1" / (NAME + ".gz"))
    (tmp_path / "logs" / "run" / "bad.pt.trace.json").write_text("[oops")
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=tmp_path / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    made = TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080")
    with made:
        yield made
    catalog.close()


def timeline(client: TestClient, profile: str = NAME, run: str = "run") -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while True:
        answer = client.get("/api/profiles/timeline", params={"run": run, "profile": profile}).json()
        if answer["progress"] is None:
            return answer
        assert time.monotonic() < deadline


def columns_of(body: bytes) -> tuple[dict[str, Any], Any]:
    length = int.from_bytes(body[4:8], "little")
    header = json.loads(body[8 : 8 + length])

    def column(place: dict[str, Any]) -> list[Any]:
        return np.frombuffer(body, place["dtype"], place["length"], 8 + length + place["offset"]).tolist()

    return header, column


def test_threads_that_only_help_come_last(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    events.add("python_function", "threading.py(982): run", 0, 100, tid=0)
    events.add("python_function", "train.py(3): main", 0, 100)
    events.add("python_function", "nn.Module: Net_0", 1, 90)
    events.add("python_function", "torch/nn/modules/module.py(1782): _call_impl", 2, 80)
    events.op("aten::mm", 10, 50)
    trace = read_profile(events.write(tmp_path / "a.pt.trace.json")).trace
    assert trace is not None
    facts = facts_of(build_timeline(trace, tmp_path / "a.pt.trace.json"), "")
    found = [(each.thread, each.is_steps, each.is_helper, each.rows) for each in facts.tracks]
    assert found == [
        ("900 steps", True, False, 1), ("900", False, False, 3), ("900 wrappers", False, True, 1),
        ("0", False, True, 1),
    ]  # fmt: skip


def test_profiles_belong_to_the_nearest_run(client: TestClient) -> None:
    answer = client.post("/api/profiles", json={"runs": ["run", "run/rank_1", "unknown"]}).json()
    assert [(each["run"], each["profile"], each["format"]) for each in answer["profiles"]] == [
        ("run", "bad.pt.trace.json", "torch_trace"),
        ("run", NAME, "torch_trace"),
        ("run/rank_1", NAME + ".gz", "torch_trace"),
    ]
    assert answer["unlisted"] == []


def test_no_address_leads_out_of_the_directory_of_the_run(client: TestClient, tmp_path: Path) -> None:
    write_trace(tmp_path / "secret" / NAME)
    run = tmp_path / "logs" / "run"
    (run / "link.pt.trace.json").symlink_to(tmp_path / "secret" / NAME)
    (run / "linked").symlink_to(tmp_path / "secret")
    (run / "loop.json").symlink_to("loop.json")
    (run / "inner.pt.trace.json").symlink_to(NAME)
    outside = (
        str(tmp_path / "secret" / NAME),
        "link.pt.trace.json",
        f"linked/{NAME}",
        f"../../secret/{NAME}",
        "loop.json",
    )
    for profile in outside:
        found = client.get("/api/profiles/timeline", params={"run": "run", "profile": profile})
        assert (found.status_code, found.json()["error"]["code"]) == (404, "profile_not_found")
    assert timeline(client, "inner.pt.trace.json")["timeline"]["slices"] == 4


def test_names_that_are_no_unicode_are_shown_with_escapes(client: TestClient, tmp_path: Path) -> None:
    event = {**EVENTS[2], "pid": "\udfff", "name": "\ud800 half", "args": {"Input type": "\ud800"}}
    (tmp_path / "logs" / "run" / "\udcff.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event]}))
    names = [each["profile"] for each in client.post("/api/profiles", json={"runs": ["run"]}).json()["profiles"]]
    (name,) = set(names) - {NAME, "bad.pt.trace.json"}
    found = timeline(client, name)["timeline"]
    assert [each["process"] for each in found["tracks"]] == ["\\udfff"]
    where = {"run": "run", "profile": name, "version": found["version"], "slice": 0}
    one = client.get("/api/profiles/slice", params=where).json()
    assert (one["slice"]["name"], one["arguments"]) == ("\\ud800 half", [{"name": "Input type", "value": "\\ud800"}])
    deadline = time.monotonic() + 20
    of = {"run": "run", "profile": name}
    while (tables := client.get("/api/profiles/tables", params=of).json())["tables"] is None:
        assert tables["problem"] is None
        assert time.monotonic() < deadline


def test_timeline_says_what_was_read_and_skipped(client: TestClient) -> None:
    found = timeline(client)["timeline"]
    assert found["begin_at"] == str(10**18 + 1_000_000)
    assert found["duration_ns"] == 100_000
    tracks = [(each["process"], each["thread"], each["rows"], each["is_steps"]) for each in found["tracks"]]
    assert tracks == [("0", "7", 1, False), ("1", "1 steps", 1, True), ("1", "1", 2, False)]
    assert [(each["number"], each["begin_ns"]) for each in found["steps"]] == [(7, 0)]
    assert [each["name"] for each in found["counters"]] == ["queue", "queue length"]
    assert found["read"] + sum(each["count"] for each in found["skipped"]) == len(EVENTS)
    assert found["is_whole"]


def test_an_unreadable_profile_has_a_problem(client: TestClient) -> None:
    answer = timeline(client, "bad.pt.trace.json")
    assert answer["timeline"] is None or answer["timeline"]["slices"] == 0


def test_window_has_cells_wide_slices_counters_and_marks(client: TestClient) -> None:
    found = timeline(client)["timeline"]
    tracks = [{"track": each["track"], "rows": 99} for each in found["tracks"]]
    of = {"run": "run", "profile": NAME, "version": found["version"]}
    query = {**of, "tracks": tracks, "counters": [0], "begin_ns": 0, "pixel_ns": 10_000, "width": 10}
    header, column = columns_of(client.post("/api/profiles/window", json=query).content)
    wide = [header["names"][name] for name in column(header["wide_name"])]
    assert sorted(wide) == ["ProfilerStep#7", "aten::mm", "gemm"]
    assert column(header["pixel"]) == [2]
    assert column(header["busy"]) == [128]
    (counter,) = header["counters"]
    assert counter["before"] is None
    assert column(counter["high"]) == [3]
    assert (column(header["mark_pixel"]), column(header["mark_count"])) == ([4], [1])
    assert [header["names"][name] for name in column(header["mark_name"])] == ["mark"]
    one_row = {**query, "tracks": [{**each, "rows": 1} for each in tracks]}
    header, column = columns_of(client.post("/api/profiles/window", json=one_row).content)
    assert set(column(header["lane_row"])) == {0}


def test_a_window_stays_small_whatever_it_holds(client: TestClient, tmp_path: Path) -> None:
    """Threads, rows and a counter that fill each pixel."""
    calls = [
        {"ph": "X", "name": f"call {depth}", "ts": call + depth / 10, "dur": 0.9 - depth / 5, "pid": 1, "tid": thread}
        for thread in range(20)
        for call in range(500)
        for depth in range(3)
    ]
    counters = [{"ph": "C", "name": "queue", "ts": at, "pid": 1, "args": {"length": at % 7}} for at in range(500)]
    (tmp_path / "logs" / "run" / "dense.json").write_text(json.dumps({"traceEvents": calls + counters}))
    found = timeline(client, "dense.json")["timeline"]
    tracks = [{"track": each["track"], "rows": each["rows"]} for each in found["tracks"] if each["rows"]]
    of = {"run": "run", "profile": "dense.json", "version": found["version"], "tracks": tracks, "counters": [0]}
    for pixel_ns, width, most in [(1000, 1900, 200_000), (200, 2500, 250_000), (2**40, 8192, 819_200)]:
        query = {**of, "begin_ns": 0, "pixel_ns": pixel_ns, "width": width}
        answer = client.post("/api/profiles/window", json=query)
        assert len(answer.content) <= most
        header, column = columns_of(answer.content)
        assert header["pixel_ns"] % pixel_ns == 0
        assert header["pixel_ns"] * header["width"] >= pixel_ns * width
        counted = sum(column(header["count"])) + header["wide"]["length"]
        assert counted == found["slices"]
    assert header["pixel_ns"] == 2**40
    query = {**of, "begin_ns": 0, "pixel_ns": 1, "width": 10, "tracks": [{"track": 0, "rows": 1025}]}
    refused = client.post("/api/profiles/window", json=query)
    assert refused.status_code == 422
    assert "less than or equal to 1024" in refused.text
    many = [{"track": 0, "rows": 1000}, {"track": 1, "rows": 1000}, {"track": 2, "rows": 1000}]
    assert first_rows([TrackRows(**each) for each in many]) == {0: 1000, 1: 24}


@pytest.mark.parametrize("place", [-1, 1 << 31, 1 << 63, -(1 << 64)])
def test_places_beyond_any_list_are_refused(client: TestClient, place: int) -> None:
    of = {"run": "run", "profile": NAME, "version": timeline(client, NAME)["timeline"]["version"]}
    ranged = {**of, "tracks": [0, place], "begin_ns": 0, "end_ns": 30_000}
    window = {**of, "tracks": [], "counters": [place], "begin_ns": 0, "pixel_ns": 1, "width": 10}
    assert client.post("/api/profiles/statistics", json=ranged).status_code == 422
    assert client.post("/api/profiles/flame", json=ranged).status_code == 422
    assert client.get("/api/profiles/export", params=ranged).status_code == 422
    assert client.post("/api/profiles/window", json=window).status_code == 422
    assert client.post("/api/profiles/search", json={**of, "names": [place]}).status_code == 422


@pytest.mark.parametrize(("run", "profile"), [("run", NAME), ("run/rank_1", NAME + ".gz")])
def test_slice_has_arguments_relatives_and_arrows(client: TestClient, run: str, profile: str) -> None:
    found = timeline(client, profile, run)["timeline"]
    of = {"run": run, "profile": profile, "version": found["version"]}
    slices = {
        each["slice"]["name"]: each
        for place in range(found["slices"])
        for each in [client.get("/api/profiles/slice", params={**of, "slice": place}).json()]
    }
    mm = slices["aten::mm"]
    assert mm["arguments"] == [{"name": "Input Dims", "value": "[[2, 3]]"}]
    assert [each["name"] for each in slices["launch"]["parents"]] == ["aten::mm"]
    assert [each["name"] for each in mm["children"]] == ["launch"]
    (target,) = slices["launch"]["targets"]
    assert (target["slice"]["name"], target["delay_ns"]) == ("gemm", 35_000)
    assert client.get("/api/profiles/slice", params={**of, "slice": 99}).status_code == 404


def test_search_statistics_flame_and_export(client: TestClient) -> None:
    found = timeline(client)["timeline"]
    of = {"run": "run", "profile": NAME, "version": found["version"]}
    names = client.get("/api/profiles/names", params=of).json()["names"]
    wanted = [place for place, name in enumerate(names) if "mm" in name]
    query = {**of, "names": wanted, "begin_ns": 0, "pixel_ns": 1000, "width": 100, "after_ns": 0}
    answer = client.post("/api/profiles/search", json=query).json()
    assert (answer["count"], answer["pixels"], answer["counts"]) == (2, [10, 60], [1, 1])
    assert (answer["found"]["name"], answer["position"]) == ("aten::mm", 0)
    tracks = [each["track"] for each in found["tracks"]]
    ranged = {**of, "tracks": tracks, "begin_ns": 0, "end_ns": 30_000}
    rows = client.post("/api/profiles/statistics", json=ranged).json()["rows"]
    assert [(row["name"], row["total_ns"], row["own_ns"]) for row in rows] == [
        ("ProfilerStep#7", 30_000, 30_000),
        ("aten::mm", 20_000, 15_000),
        ("launch", 5_000, 5_000),
    ]
    header, column = columns_of(client.post("/api/profiles/flame", json=ranged).content)
    called = [header["names"][name] for name in column(header["name"])]
    assert called == ["aten::mm", "launch", "ProfilerStep#7"]
    assert column(header["parent"]) == [-1, 0, -1]
    response = client.get("/api/profiles/export", params={**of, "begin_ns": 0, "end_ns": 30_000, "tracks": tracks})
    assert "attachment" in response.headers["content-disposition"]
    exported = [each["name"] for each in response.json()["traceEvents"] if each["ph"] == "X"]
    assert sorted(exported) == ["ProfilerStep#7", "aten::mm", "launch"]


def tables(client: TestClient, profile: str = NAME) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while True:
        answer = client.get("/api/profiles/tables", params={"run": "run", "profile": profile}).json()
        if answer["progress"] is None:
            return answer
        assert time.monotonic() < deadline


def test_tables_sum_up_the_profile(client: TestClient, tmp_path: Path) -> None:
    found = tables(client)["tables"]
    (step,) = found["summary"]["steps"]
    assert (step["number"], step["begin_ns"], sum(step["parts"].values())) == (7, 0, step["duration_ns"])
    assert [(each["name"], each["share"]) for each in found["top_operators"]] == [("aten::mm", 1.0)]
    assert [(each["name"], each["time_ns"]) for each in found["top_kernels"]] == [("gemm", 20_000)]
    assert {each["part"] for each in found["summary"]["missing"]} >= {"memory", "modules"}
    assert len(list((tmp_path / "workspace").rglob("*.tables"))) == 1
    assert tables(client)["tables"] == found
    next((tmp_path / "workspace").rglob("*.tables")).write_text("damaged")
    assert tables(client)["tables"] == found


def test_a_changed_profile_is_read_again(client: TestClient, tmp_path: Path) -> None:
    found = timeline(client)["timeline"]
    path = tmp_path / "logs" / "run" / NAME
    path.write_text(path.read_text().replace("aten::mm", "aten::addmm"))
    of = {"run": "run", "profile": NAME, "version": found["version"]}
    assert client.get("/api/profiles/names", params=of).status_code == 409
    again = timeline(client)["timeline"]
    assert again["version"] != found["version"]
    assert (
        "aten::addmm" in client.get("/api/profiles/names", params={**of, "version": again["version"]}).json()["names"]
    )


@pytest.mark.parametrize("profile", ["nothing.pt.trace.json", "../run/" + NAME, "/etc/passwd", "rank_1", "\x00"])
def test_only_profiles_of_the_run_are_read(client: TestClient, profile: str) -> None:
    answer = client.get("/api/profiles/timeline", params={"run": "run", "profile": profile})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "profile_not_found"


def test_a_timeline_is_kept_in_the_workspace(client: TestClient, tmp_path: Path) -> None:
    timeline(client)
    assert len(list((tmp_path / "workspace").rglob("*.timeline"))) == 1


@pytest.mark.parametrize(
    ("facts", "steps"),
    [
        ({"rank": 0, "steps": {"3": 19, "4": 20}, "job_id": ""}, (19, 20)),
        ({"steps": {"3": 7}}, (7, 7)),
        ({"rank": 0, "steps": {}}, (None, None)),
        ({"rank": 0}, (None, None)),
        ({"steps": {"x": 1, "4": "y"}}, (None, None)),
        (None, (None, None)),
    ],
)
def test_the_list_names_the_steps_of_the_training(
    client: TestClient, tmp_path: Path, facts: Any, steps: tuple[int | None, int | None]
) -> None:
    named = {} if facts is None else {"mindscope": facts}
    path = tmp_path / "logs" / "run" / NAME
    path.write_text(json.dumps({"schemaVersion": 1, **named, "traceEvents": EVENTS}))
    listed = client.post("/api/profiles", json={"runs": ["run"]}).json()["profiles"]
    entry = next(each for each in listed if each["profile"] == NAME)
    assert (entry["first_step"], entry["last_step"]) == steps


def test_tables_that_are_not_computed_yet_need_no_reading(client: TestClient) -> None:
    def ask() -> dict[str, Any]:
        parameters = {"run": "run", "profile": NAME, "is_waiting": False}
        found: dict[str, Any] = client.get("/api/profiles/tables", params=parameters).json()
        return found

    assert (
        ask()
        == ask()
        == {"run": "run", "profile": NAME, "version": None, "progress": None, "problem": None, "tables": None}
    )
    whole = tables(client)
    assert ask() == whole
