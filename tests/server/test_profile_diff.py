# SPDX-License-Identifier: Apache-2.0
"""Differences of profiles over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mindscope.server.profiles.diff import query
from tests.profile.kineto_events import Events

from .profile_directory import viewer_of


def training(product: float, extra: tuple[str, ...] = (), steps: int = 4) -> Events:
    events = Events()
    for step in range(steps):
        begin = 100 * step
        events.step(step, begin, 100)
        events.add("python_function", "nn.Module: Linear_0", begin, product + 5)
        events.op("aten::mm", begin, product + step)
        for place, name in enumerate(extra):
            events.op(name, begin + 60 + 5 * place, 4)
    return events


def restarted() -> Events:
    """A training that goes back to step 5."""
    events = Events()
    for place, step in enumerate((5, 6, 5, 6)):
        events.step(step, 100 * place, 100)
        events.op("aten::mm", 100 * place, 20)
    return events


def write(run: Path) -> None:
    restarted().write(run / "restarted.pt.trace.json")
    training(20).write(run / "narrow.pt.trace.json")
    training(40, ("aten::item",)).write(run / "wide.pt.trace.json")
    (run / "damaged.pt.trace.json").write_text('{"schemaVersion": 1, "traceEvents": "odd"}')
    Events().write(run / "empty.pt.trace.json")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with viewer_of(tmp_path_factory.mktemp("profiles"), write) as made:
        yield made


def diff(client: TestClient, before: str, after: str, **steps: int) -> dict[str, Any]:
    of = {"run": "run", "profile": after, "before_run": "run", "before_profile": before, **steps}
    deadline = time.monotonic() + 30
    while (answer := client.get("/api/profiles/diff", params=of).json())["progress"] is not None:
        assert answer["reading"] in (before, after)
        assert time.monotonic() < deadline
    return answer


def test_two_profiles(client: TestClient) -> None:
    answer = diff(client, "narrow.pt.trace.json", "wide.pt.trace.json")
    assert answer["numbers_before"] == answer["numbers_after"] == [0, 1, 2, 3]
    found = answer["diff"]
    assert (found["step"]["before"], found["step"]["after"], found["steps_before"]) == (100_000, 100_000, 4)
    assert [(row["name"], row["module"], row["state"]) for row in found["operators"]] == [
        ("aten::mm", "Linear_0", "slower"),
        ("aten::item", "", "added"),
    ]
    calls = found["calls"]
    assert [(row["name"], row["kind"], row["parent"], row["state"]) for row in calls] == [
        ("Linear_0", "module", -1, "unchanged"),
        ("aten::item", "operator", -1, "added"),
        ("aten::mm", "operator", 0, "slower"),
        ("", "outside", -1, "faster"),
    ]
    assert calls[0]["total_after_ns"] - calls[0]["total_before_ns"] == 20_000
    assert found["kernels"] is None
    assert found["notes"] == []


def test_ranges_of_steps_of_one_profile(client: TestClient) -> None:
    name = "wide.pt.trace.json"
    found = diff(client, name, name, before_first=0, before_last=1, first=2)["diff"]
    assert (found["steps_before"], found["steps_after"]) == (2, 2)
    (row,) = (row for row in found["operators"] if row["name"] == "aten::mm")
    assert (row["before_ns"], row["after_ns"]) == (40_500, 42_500)


def test_steps_that_a_restart_repeats_are_offered_once(client: TestClient) -> None:
    name = "restarted.pt.trace.json"
    answer = diff(client, name, name, before_first=5, before_last=5)
    assert answer["numbers_before"] == answer["numbers_after"] == [5, 6]
    assert (answer["diff"]["steps_before"], answer["diff"]["steps_after"]) == (2, 4)


def test_problems_are_named(client: TestClient) -> None:
    name = "wide.pt.trace.json"
    assert "has no step from 9 to 12" in diff(client, name, name, first=9, last=12)["problem"]["message"]
    assert "has no operators" in diff(client, "empty.pt.trace.json", name)["problem"]["message"]
    answer = diff(client, "damaged.pt.trace.json", name)
    assert answer["reading"] == "damaged.pt.trace.json"
    assert answer["problem"] is not None
    of = {"run": "run", "profile": name, "before_run": "run", "before_profile": "nowhere"}
    assert client.get("/api/profiles/diff", params=of).status_code == 404


def test_small_changes_of_a_large_tree_are_left_out(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "MOST_CALLS", 1)
    found = diff(client, "narrow.pt.trace.json", "wide.pt.trace.json", first=0, last=2)["diff"]["calls"]
    assert [row["name"] for row in found] in (["Linear_0"], ["Linear_0", "aten::mm"], [""])
    assert sum(row["left_out"] for row in found) <= 1
