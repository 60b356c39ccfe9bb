# SPDX-License-Identifier: Apache-2.0
"""Memory of profiles over HTTP: curves, areas, live blocks, stacks, segments, leaks."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.profile.formats.test_memory_snapshot import MB, SNAPSHOT, entry
from tests.profile.kineto_events import Events

from .profile_directory import columns_of, viewer_of, wait_until_read

NAME = "host_1_rank0.1700000000000000000.memory_snapshot.pickle"
WINDOW = {"begin_ns": 0, "pixel_ns": 10_000, "width": 5}


def leaking() -> dict[str, Any]:
    """Every 100 us a line keeps 1 MiB."""
    kept = [entry("alloc", 1 << 20 | place << 8, MB, place * 100) for place in range(40)]
    return {"segments": [], "device_traces": [kept]}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    def write(run: Path) -> None:
        (run / NAME).write_bytes(pickle.dumps(SNAPSHOT))
        (run / "leak.memory_snapshot.pickle").write_bytes(pickle.dumps(leaking()))
        old = Events()
        old.memory(10, 64, 0, 0)
        del old.events[0]["args"]["Addr"], old.events[0]["args"]["Total Allocated"]
        old.write(run / "b.pt.trace.json")
        (run / "a.pt.trace.json").write_text('{"schemaVersion": 1, "traceEvents": []}')

    with viewer_of(tmp_path, write) as made:
        yield made


def opened(client: TestClient, profile: str = NAME) -> dict[str, Any]:
    of = wait_until_read(client, profile)
    return {**of, "version": client.get("/api/profiles/memory", params=of).json()["memory"]["version"]}


def test_facts(client: TestClient) -> None:
    of = wait_until_read(client, NAME)
    memory = client.get("/api/profiles/memory", params=of).json()["memory"]
    assert (memory["begin_ns"], memory["end_ns"], memory["has_times"]) == (0, 40_000, True)
    assert memory["devices"] == [{"device": "GPU 0", "memory_bytes": 0, "peak_ns": 20_000}]
    (curve,) = memory["curves"]
    assert (curve["peak_bytes"], curve["reserved_peak_bytes"], curve["points"]) == (9 * MB, 20 * MB, 7)
    assert (memory["blocks"], memory["groups"], memory["has_segments"]) == (4, ["line"], True)
    assert memory["failures"] == [
        {"device": "GPU 0", "time_ns": 40_000, "size": 90 * MB, "device_free": 5 * MB}
    ]  # fmt: skip


def test_why_memory_is_missing(client: TestClient) -> None:
    of = wait_until_read(client, "a.pt.trace.json")
    answer = client.get("/api/profiles/memory", params=of).json()
    assert answer["memory"] is None
    assert (answer["missing"]["part"], answer["missing"]["code"]) == ("memory", "torch_memory")
    refused = client.post("/api/profiles/memory/window", json={**of, "version": "?", "curves": [], **WINDOW})
    assert refused.status_code == 409


def test_curve_and_areas(client: TestClient) -> None:
    query = {**opened(client), "curves": [0, 7], **WINDOW, "device": "GPU 0", "by": "line"}
    header, column = columns_of(client.post("/api/profiles/memory/window", json=query).content)
    (curve,) = header["curves"]
    assert column(curve["allocated"]["pixel"]) == [0, 1, 2, 3, 4]
    assert column(curve["allocated"]["high"]) == [each * MB for each in (2, 6, 9, 6, 6)]
    assert column(curve["reserved"]["last"]) == [0, *[20 * MB] * 4]
    areas = header["areas"]
    assert (areas["texts"], areas["has_others"]) == (["a.py(3): forward", ""], False)
    assert areas["before"] == [0, 3 * MB]  # before the profile lives the block that is freed at 0, too
    assert column(areas["highest"]) == [each * MB for each in (0, 4, 7, 4, 2, 2, 2, 2)]
    assert column(areas["pixel"]) == [0, 1, 2, 3]


def test_live_blocks(client: TestClient) -> None:
    query = {**opened(client), "device": "GPU 0", "time_ns": 25_000, "by": "line", "count": 2}
    answer = client.post("/api/profiles/memory/blocks", json=query).json()
    assert (answer["count"], answer["size"], answer["older"], answer["allocated"]) == (3, 9 * MB, 1, 9 * MB)
    assert [(each["text"], each["size"]) for each in answer["groups"]] == [("a.py(3): forward", 7 * MB), ("", 2 * MB)]
    first, second = answer["blocks"]
    assert (first["size"], first["allocated_ns"], first["freed_ns"]) == (4 * MB, 10_000, None)
    assert (second["size"], second["allocated_ns"], second["freed_ns"]) == (3 * MB, 20_000, 30_000)
    rest = client.post("/api/profiles/memory/blocks", json={**query, "offset": 2}).json()
    assert [(each["size"], each["allocated_ns"], each["line"]) for each in rest["blocks"]] == [(2 * MB, None, "")]
    unknown = client.post("/api/profiles/memory/blocks", json={**query, "group": ""}).json()
    assert (unknown["listed"], unknown["count"], unknown["blocks"]) == (1, 3, rest["blocks"])


def test_flame(client: TestClient) -> None:
    of = {**opened(client), "device": "GPU 0"}
    header, column = columns_of(client.post("/api/profiles/memory/flame", json={**of, "begin_ns": 25_000}).content)
    names = [header["names"][name] for name in column(header["name"])]
    parents = column(header["parent"])
    found = sorted(zip(names, parents, column(header["total"]), strict=True))
    assert [(name, total) for name, _, total in found] == [
        ("", 2 * MB), ("a.py(3): forward", 7 * MB), ("b.py(9): main", 7 * MB),
    ]  # fmt: skip
    later = client.post("/api/profiles/memory/flame", json={**of, "begin_ns": 15_000, "end_ns": 30_000})
    header, column = columns_of(later.content)
    assert column(header["own"]) == [0, 3 * MB]


def test_segments(client: TestClient) -> None:
    params = {**opened(client), "device": "GPU 0", "time_ns": 40_000, "by": "line"}
    header, column = columns_of(client.get("/api/profiles/memory/segments", params=params).content)
    assert (header["reserved"], header["allocated"], header["largest_gap"]) == (20 * MB, 6 * MB, 14 * MB)
    assert header["address"] == [hex(1 << 63)]
    assert column(header["start"]) == [0, 4 * MB]
    assert [header["texts"][place] for place in column(header["group"])] == ["a.py(3): forward", ""]


def test_one_block(client: TestClient) -> None:
    of = opened(client)
    query = {**of, "device": "GPU 0", "time_ns": 25_000, "by": "line"}
    block = client.post("/api/profiles/memory/blocks", json=query).json()["blocks"][0]["block"]
    answer = client.get("/api/profiles/memory/block", params={**of, "block": block}).json()
    assert answer["frames"] == ["a.py(3): forward", "b.py(9): main"]
    assert (answer["address"], answer["slice"], answer["device"]) == (hex(1 << 63), None, "GPU 0")
    refused = client.get("/api/profiles/memory/block", params={**of, "block": 4})
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "memory_block_not_found")


def test_leaks(client: TestClient) -> None:
    of = wait_until_read(client, "leak.memory_snapshot.pickle")
    memory = client.get("/api/profiles/memory", params=of).json()["memory"]
    (leak,) = memory["leaks"]
    assert memory["leaks_by_period"]
    assert (leak["line"], leak["bytes_per_step"], leak["blocks"]) == ("a.py(3): forward", 5 * MB, 30)


def test_what_curve_and_blocks_lack_is_said(client: TestClient) -> None:
    of = wait_until_read(client, "b.pt.trace.json")
    memory = client.get("/api/profiles/memory", params=of).json()["memory"]
    assert [note["code"] for note in memory["notes"]] == ["torch_memory_addresses", "torch_memory_totals"]
    assert (memory["blocks"], memory["leaks"], memory["curves"][0]["peak_bytes"]) == (0, [], 64)
    assert client.post("/api/profiles/memory/flame", json={
        **of, "version": memory["version"], "device": "CPU", "begin_ns": 0, "end_ns": None,
    }).status_code == 409  # fmt: skip


def test_another_version_is_refused(client: TestClient) -> None:
    query: dict[str, Any] = {**opened(client), "version": "old", "curves": [], **WINDOW}
    refused = client.post("/api/profiles/memory/window", json=query)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "profile_changed")
