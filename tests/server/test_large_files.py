# SPDX-License-Identifier: Apache-2.0
"""Large files are read in a process with limited memory: same answers, and a problem where the memory does not do."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mindscope.errors import FormatError
from mindscope.formats import tensorboard_schemas, wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.ingest import Catalog
from mindscope.limited_process import run_limited
from mindscope.reasons import reason_of
from mindscope.server.app import create_app
from mindscope.server.http.response_limit import MAX_ANSWER_BYTES, MAX_ENTRIES
from mindscope.server.profiles.diff.cache import DiffCache
from mindscope.server.profiles.large_profile import PARTS, TIMELINE
from mindscope.settings import Settings
from tests.event_log import MINDSPORE_NAME, TENSORBOARD_NAME, tensorboard_event, tensorboard_version, version
from tests.processes_of_readers import read_profile

DEADLINE_S = 60.0
PROFILE = "host_1.1.pt.trace.json"
OF = {"run": "run", "profile": PROFILE}


def write_trace(path: Path, count: int) -> None:
    events = [
        {"ph": "X", "name": f"op_{row % 50}", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 10 * row, "dur": 5}
        for row in range(count)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))


@contextmanager
def viewer(tmp_path: Path, reader_memory: int, cache_size: int = 1 << 30) -> Generator[TestClient]:
    settings = Settings(
        workspace=tmp_path / f"workspace-{reader_memory}",
        summary_base_dir=tmp_path / "logs",
        reader_memory=reader_memory,
        cache_size=cache_size,
    )
    catalog = Catalog(settings.summary_base_dir, settings.workspace, settings.cache_size)
    catalog.refresh()
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as client:
        yield client
    catalog.close()


def answer(client: TestClient, path: str, run: str = "run") -> Any:
    deadline = time.monotonic() + DEADLINE_S
    while (found := client.get(path, params={**OF, "run": run}).json())["progress"] is not None:
        assert time.monotonic() < deadline
    return found


@pytest.mark.parametrize("cache_size", [1 << 30, 0], ids=["with a cache", "without a cache"])
def test_a_profile_that_is_read_apart_is_the_same(tmp_path: Path, cache_size: int) -> None:
    write_trace(tmp_path / "logs" / "run" / PROFILE, 20_000)
    found = list[Any]()
    for reader_memory in (0, 64 << 20):  # the file is larger than a 64th of the second
        with viewer(tmp_path, reader_memory, cache_size) as client:
            timeline = answer(client, "/api/profiles/timeline")
            tables = answer(client, "/api/profiles/tables")
            found.append((timeline["timeline"], tables["tables"], timeline["problem"], tables["problem"]))
    assert found[0] == found[1]
    assert found[1][2:] == (None, None)
    assert found[1][0]["slices"] == 20_000
    assert not list((tmp_path / f"workspace-{64 << 20}").rglob("reading-*"))


def test_the_timeline_of_a_profile_that_is_read_apart_comes_before_its_tables(tmp_path: Path) -> None:
    write_trace(tmp_path / "logs" / "run" / PROFILE, 200_000)
    with viewer(tmp_path, 1 << 30) as client:
        timeline = answer(client, "/api/profiles/timeline")
        reader_files = list((tmp_path / f"workspace-{1 << 30}").rglob("reading-*"))
        assert timeline["timeline"]["slices"] == 200_000
        assert reader_files, "the process still computes the tables"
        assert answer(client, "/api/profiles/tables")["problem"] is None


def test_a_file_that_needs_more_memory_is_a_problem_and_the_viewer_answers(tmp_path: Path) -> None:
    write_trace(tmp_path / "logs" / "run" / PROFILE, 100_000)
    write_trace(tmp_path / "logs" / "small" / PROFILE, 10)
    with viewer(tmp_path, 4 << 20) as client:
        for path in ("/api/profiles/timeline", "/api/profiles/tables"):
            problem = answer(client, path)["problem"]
            assert (problem["code"], problem["values"]) == (
                "reader_out_of_memory",
                {"file": PROFILE, "limit": "4 MiB"},
            )
        assert client.get("/api/runs").status_code == 200
        OF_SMALL = {"run": "small", "profile": PROFILE}
        deadline = time.monotonic() + DEADLINE_S
        while (small := client.get("/api/profiles/timeline", params=OF_SMALL).json())["progress"] is not None:
            assert time.monotonic() < deadline
        assert small["timeline"]["slices"] == 10


def test_a_part_that_needs_more_memory_is_no_damage(tmp_path: Path) -> None:
    """The cache would keep a damaged part; with more memory, the profile is read again."""
    trace = tmp_path / PROFILE
    write_trace(trace, 100_000)
    messages = list[Any]()
    with pytest.raises(FormatError) as caught:
        run_limited(
            read_profile,
            {"path": str(trace), "folder": str(tmp_path)},
            file=PROFILE,
            memory_bytes=1 << 30,
            on_message=messages.append,
        )
    assert reason_of(caught.value).code == "reader_out_of_memory"
    assert messages[-1] == {"phase": "tables"}
    assert (tmp_path / TIMELINE).exists()
    assert not (tmp_path / PARTS).exists()


@contextmanager
def two_profiles(tmp_path: Path, reader_memory: int, cache_size: int = 1 << 30) -> Generator[TestClient]:
    """A viewer with the same profile in two runs, of which one has more calls."""
    for run, count in (("run", 9_000), ("other", 10_000)):
        write_trace(tmp_path / "logs" / run / PROFILE, count)
    with viewer(tmp_path, reader_memory, cache_size) as client:
        yield client


def difference(client: TestClient) -> Any:
    deadline = time.monotonic() + DEADLINE_S
    phases = list[str]()
    of = {**OF, "before_run": "other", "before_profile": PROFILE}
    while (found := client.get("/api/profiles/diff", params=of).json())["progress"] is not None:
        phases.append(found["progress"]["phase"])
        assert time.monotonic() < deadline
    return found, phases


@pytest.mark.parametrize("cache_size", [1 << 30, 0], ids=["with a cache", "without a cache"])
def test_large_profiles_that_are_compared_apart_differ_the_same(tmp_path: Path, cache_size: int) -> None:
    found = list[Any]()
    for reader_memory in (0, 64 << 20):  # the parts are larger than a 1024th of the second
        with two_profiles(tmp_path, reader_memory, cache_size) as client:
            found.append(difference(client))
    assert found[0][0] == found[1][0]
    assert found[0][0]["diff"]["calls"][0]["state"] == "unchanged"
    assert sum(row["count_before"] - row["count_after"] for row in found[0][0]["diff"]["operators"]) == 1000
    assert "comparing" in found[1][1]
    assert "comparing" not in found[0][1]
    assert not list((tmp_path / f"workspace-{64 << 20}").rglob("reading-*"))


def test_a_difference_that_needs_more_memory_is_a_problem_and_the_viewer_answers(tmp_path: Path) -> None:
    memory = 1 << 20
    with two_profiles(tmp_path, 0) as client:
        assert difference(client)[0]["problem"] is None
    (tmp_path / "workspace-0").rename(tmp_path / f"workspace-{memory}")  # where the profiles are read already
    with viewer(tmp_path, memory) as client:
        problem = difference(client)[0]["problem"]
        assert (problem["code"], problem["values"]) == (
            "reader_out_of_memory",
            {"file": f"{PROFILE}, {PROFILE}", "limit": "1 MiB"},
        )
        assert client.get("/api/runs").status_code == 200


def test_a_difference_that_nobody_waits_for_ends_and_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = {**OF, "before_run": "other", "before_profile": PROFILE}
    with two_profiles(tmp_path, 64 << 20) as client:
        for run in ("run", "other"):
            answer(client, "/api/profiles/tables", run)
        assert client.get("/api/profiles/diff", params=of).json()["progress"] is not None
        with monkeypatch.context() as patch:
            patch.setattr(client.app.state.viewer.shared(DiffCache).jobs, "patience_s", -1.0)  # type: ignore[attr-defined]
            for _ in range(3):
                assert client.get("/api/profiles/diff", params=of).json()["progress"] is not None
        assert difference(client)[0]["diff"]["steps_before"] == 0


def graph_of(count: int) -> bytes:
    """An encoded GraphProto of a chain, each node with an attribute."""
    nodes = [
        {
            "name": str(number),
            "op_type": "Add",
            "full_name": f"net/block{number % 7}/Add-op{number}",
            "input": [{"name": str(number - 1)}],
            "attribute": [{"name": "axis", "value": {"int_val": number}}],
        }
        for number in range(1, count + 1)
    ]
    return wire.encode(GRAPH, {"name": "net", "node": nodes})


def test_a_graph_that_is_read_apart_is_the_same(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / "net.pb").write_bytes(graph_of(3000))
    assert (run / "net.pb").stat().st_size * 16 * 64 < 256 << 20  # large of the second limit only
    found = list[Any]()
    for reader_memory in (0, 64 << 20):
        with viewer(tmp_path, reader_memory) as client:
            (entry,) = client.get("/api/graphs", params={"run": "run"}).json()["graphs"]
            of = {"run": "run", "graph": "net.pb"}
            answers = [client.get(f"/api/graphs/{what}", params=of).content for what in ("structure", "attributes")]
            node = client.get("/api/graphs/node", params={**of, "node": 17}).json()
            found.append([{**entry, "version": ""}, *answers, node])
    assert found[0] == found[1]
    assert found[1][0]["operations"] == 3000
    assert found[1][3]["attributes"] == [{"name": "axis", "value": "18", "is_cut": False}]
    assert not list((tmp_path / f"workspace-{64 << 20}").rglob("reading-*"))


def test_a_graph_that_needs_more_memory_is_named_and_hides_no_other(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / "large.pb").write_bytes(b"\x0a\x00" * 1_000_000)  # a million nodes without content
    (run / "small.pb").write_bytes(graph_of(3))
    with viewer(tmp_path, 64 << 20) as client:
        found = client.get("/api/graphs", params={"run": "run"}).json()
        assert [each["name"] for each in found["graphs"]] == ["small.pb"]
        (problem,) = found["problems"]
        assert problem["file"] == "large.pb"
        assert problem["problem"]["code"] == "reader_out_of_memory"
        assert problem["problem"]["values"] == {"file": "large.pb", "limit": "64 MiB"}
        (problem,) = client.get("/api/previews", params={"run": "run"}).json()["problems"]
        assert problem["code"] == "reader_out_of_memory"
        assert client.get("/api/runs").status_code == 200


def mindspore_log(graph: bytes) -> tuple[str, bytes]:
    """Name and content of an event file that holds a graph."""
    return MINDSPORE_NAME.format(1), version() + tensorboard_event(0, graph_def=graph)  # equal fields in both programs


def tensorboard_log(count: int) -> tuple[str, bytes]:
    """The same with a MetaGraphDef."""
    graph = wire.encode(tensorboard_schemas.GRAPH, {"node": [{"name": f"n{row}", "op": "A"} for row in range(count)]})
    size = bytes([len(graph) & 127 | 128, len(graph) >> 7 & 127 | 128, len(graph) >> 14])  # a varint
    return TENSORBOARD_NAME.format(1), tensorboard_version() + tensorboard_event(
        0, meta_graph_def=b"\x12" + size + graph
    )


@pytest.mark.parametrize(
    "log", [mindspore_log(graph_of(3000)), tensorboard_log(9000)], ids=["mindspore", "tensorboard"]
)
def test_a_graph_of_an_event_file_that_is_read_apart_is_the_same(tmp_path: Path, log: tuple[str, bytes]) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    (run / log[0]).write_bytes(log[1])
    found = list[Any]()
    for reader_memory in (0, 64 << 20):
        with viewer(tmp_path, reader_memory) as client:
            (entry,) = client.get("/api/graphs", params={"run": "run"}).json()["graphs"]
            of = {"run": "run", "graph": entry["name"]}
            answers = [client.get(f"/api/graphs/{what}", params=of).content for what in ("structure", "attributes")]
            found.append([{**entry, "version": ""}, *answers])
    assert found[0] == found[1]
    assert found[1][0]["operations"] >= 3000


def test_a_graph_of_an_event_file_that_needs_more_memory_is_named(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    name, content = mindspore_log(b"\x0a\x00" * 1_000_000)
    (run / name).write_bytes(content)
    (run / "small.pb").write_bytes(graph_of(3))
    with viewer(tmp_path, 64 << 20) as client:
        found = client.get("/api/graphs", params={"run": "run"}).json()
        assert [each["name"] for each in found["graphs"]] == ["small.pb"]
        (problem,) = found["problems"]
        assert problem["file"] == name
        assert problem["problem"]["values"] == {"file": name, "limit": "64 MiB"}
        (problem,) = client.get("/api/previews", params={"run": "run"}).json()["problems"]
        assert problem["code"] == "reader_out_of_memory"


@pytest.mark.parametrize(
    ("texts", "code"),
    [([b""] * (MAX_ENTRIES + 1), "answer_too_many"), ([b"a" * (MAX_ANSWER_BYTES + 1)], "answer_too_large")],
    ids=["many", "long"],
)
def test_texts_beyond_the_limits_of_an_answer_are_refused(tmp_path: Path, texts: list[bytes], code: str) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    tensor = {"dtype": 7, "string_val": texts}
    value = {"tag": "notes", "metadata": {"plugin_data": {"plugin_name": "text"}}, "tensor": tensor}
    (run / TENSORBOARD_NAME.format(1)).write_bytes(tensorboard_version() + tensorboard_event(0, value))
    with viewer(tmp_path, 0) as client:
        of = {"run": "run", "tag": "notes"}
        (id,) = client.get("/api/values", params={**of, "kind": "text"}).json()["id"]
        answer = client.get("/api/text", params={**of, "id": id})
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, code)
