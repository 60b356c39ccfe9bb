# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over HTTP: what the analysis finds in recorded runs, in requests that continue."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import mindscope
from mindscope.debug.watchpoints import CONDITIONS, RECOMMENDED, evaluate_watchpoints, parse_watchpoint
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.debugger.watchpoints import WatchpointSearches
from mindscope.settings import Settings
from tests.debug.made_sources import Recorded, output, parameter, source_of
from tests.debug.recorded_runs import write_run

LARGE = "tensor_too_large max_gt=2.5 @ a.*"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def client(logs: Path, tmp_path: Path) -> Iterator[TestClient]:
    logs.mkdir()
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=logs)
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        opened.catalog = catalog  # type: ignore[attr-defined]
        yield opened
    catalog.close()


def training(steps: range = range(1, 7)) -> Any:
    def rows(step: int) -> list[Recorded]:
        loss = np.array(np.nan if step == 6 else 1.0)
        return [
            Recorded(output("a.0"), np.array([1.0, step]), 1),
            Recorded(output("b"), np.array([100.0]), 2),
            Recorded(parameter("fc", shape=(2,)), np.ones(2), 3),
            Recorded(output("", "aten::nll_loss"), loss, 4),
        ]

    return source_of({step: rows(step) for step in steps})


def watch(client: TestClient, *texts: str, **more: Any) -> dict[str, Any]:
    client.catalog.refresh()  # type: ignore[attr-defined]
    answer = client.post("/api/debugger/watchpoints", json={"run": "run", "watchpoints": list(texts), **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_hits_are_those_of_the_analysis_by_tensor_and_by_step(client: TestClient, logs: Path) -> None:
    source = training()
    write_run(logs / "run", source)
    want = evaluate_watchpoints(source, [parse_watchpoint(LARGE), parse_watchpoint("overflow")])
    answer = watch(client, LARGE, "overflow")
    assert (answer["is_complete"], answer["steps"], answer["read_steps"]) == (True, 6, 6)
    large, overflow = answer["watchpoints"]
    assert (large["tensors"], large["hits"], large["first_step"], large["recommendation"]) == (1, 4, 3, None)
    assert (overflow["hits"], overflow["first_step"], overflow["recommendation"]) == (1, 6, "overflow")
    assert large["hits"] + overflow["hits"] == want.count
    assert answer["matching"] == 2
    first, last = answer["hits"]
    assert (first["tensor"]["module"], first["step"], first["row"], first["actual"], first["set_value"]) == (
        "a.0",
        3,
        0,
        3,
        2.5,
    )
    assert (first["count"], first["last_step"], first["last_actual"]) == (4, 6, 6)
    assert (last["watchpoint"], last["tensor"]["type"], last["actual"], last["set_value"]) == (
        1,
        "aten::nll_loss",
        1,
        None,
    )
    by_step = watch(client, LARGE, "overflow", by="step", first=1, count=3)
    assert by_step["matching"] == want.count
    assert [(each["step"], each["row"]) for each in by_step["hits"]] == [(hit.step, hit.row) for hit in want.hits[1:4]]
    at_step = watch(client, LARGE, "overflow", by="step", at_step=5, count=2)
    assert (at_step["first"], [each["step"] for each in at_step["hits"]]) == (2, [5, 6])
    after = watch(client, LARGE, "overflow", by="step", at_step=99, count=2)
    assert (after["first"], len(after["hits"])) == (4, 1)
    assert answer["marks"] == [
        {"first_step": step, "last_step": step, "count": 1 + (step == 6)} for step in (3, 4, 5, 6)
    ]
    assert [each["watchpoint"] for each in watch(client, LARGE, "overflow", watchpoint=1)["hits"]] == [1]


def test_what_follows_from_the_first_bad_number_is_a_list_of_its_own(client: TestClient, logs: Path) -> None:
    def rows(value: float) -> list[Recorded]:
        return [Recorded(output(name, "aten::log"), np.array([0.5, value]), n) for n, name in enumerate("abc", 1)]

    write_run(logs / "run", source_of({1: rows(1.0), 2: rows(np.nan), 3: rows(np.nan)}))
    answer = watch(client, "overflow")
    (entry,) = answer["watchpoints"]
    assert (entry["hits"], entry["consequences"], answer["matching"]) == (1, 5, 1)
    assert [(each["first_step"], each["count"]) for each in answer["marks"]] == [(2, 1)]
    following = watch(client, "overflow", by="step", of_consequences=True)
    assert [(each["step"], each["tensor"]["module"]) for each in following["hits"]] == [
        (2, "b"), (2, "c"), (3, "a"), (3, "b"), (3, "c"),
    ]  # fmt: skip
    assert watch(client, "overflow", of_consequences=True)["matching"] == 3
    large = "tensor_too_large max_gt=0.1"
    (entry,) = watch(client, large)["watchpoints"]  # finite elements of step 1; NaN gives no hit, so nothing follows
    assert (entry["hits"], entry["consequences"]) == (3, 0)
    (entry,) = watch(client, "tensor_overflow")["watchpoints"]  # the first bad tensor, and what comes after it
    assert (entry["hits"], entry["consequences"]) == (1, 5)


def test_a_hit_that_began_before_the_first_bad_number_does_not_follow_from_it(client: TestClient, logs: Path) -> None:
    def rows(step: int) -> list[Recorded]:
        values = {"zero": 0.0, "bad": np.nan if step >= 3 else 1.0, "later": 0.0 if step >= 3 else 1.0}
        return [
            Recorded(output(name, "aten::log"), np.array([value] * 4), n)
            for n, (name, value) in enumerate(values.items(), 1)
        ]

    def end(step: int) -> Recorded:
        return Recorded(output("", "loss"), np.array([np.nan if step >= 3 else 1.0]), 9)

    write_run(logs / "run", source_of({step: [*rows(step), end(step)] for step in range(1, 6)}))
    (entry,) = watch(client, "tensor_all_zero")["watchpoints"]
    assert (entry["hits"], entry["consequences"]) == (5, 3)


def test_what_is_wrong_with_a_watchpoint_is_in_its_place(client: TestClient, logs: Path) -> None:
    write_run(logs / "run", training())
    answer = watch(client, "tensor_to_large max_gt=1", LARGE, "TL max_gt=1 @ nothing")
    wrong, large, unmatched = answer["watchpoints"]
    assert "nearest are tensor_too_large" in wrong["problem"]["message"]
    assert wrong["problem"]["code"] == "watchpoint_invalid"
    assert (large["problem"], large["hits"], unmatched["tensors"]) == (None, 4, 0)
    assert [each["watchpoint"] for each in answer["hits"]] == [1]
    assert watch(client, "tensor_to_large", watchpoint=0)["hits"] == []


def test_what_a_recording_lacks_is_named(client: TestClient, logs: Path) -> None:
    write_run(logs / "run", training())
    (entry,) = watch(
        client, "tensor_range range_start_inclusive=1.5 range_end_inclusive=2 range_percentage_gt=30 @ a.*"
    )["watchpoints"]
    missing = [each for each in entry["unevaluated"] if "tensor" in each["missing"]]
    assert missing[0]["problems"] == ["whole_tensor_needed"]
    (entry,) = watch(client, "operator_overflow")["watchpoints"]
    assert entry["unevaluated"][0]["missing"] == ["operator_overflow"]
    assert entry["unevaluated"][0]["count"] == 24


def test_a_long_evaluation_continues_with_the_next_request(client: TestClient, logs: Path) -> None:
    client.app.state.viewer.shared(WatchpointSearches, lambda: WatchpointSearches(budget_s=-1))  # type: ignore[attr-defined]
    write_run(logs / "run", training())
    answers = [watch(client, LARGE) for _ in range(6)]
    assert [each["read_steps"] for each in answers] == [1, 2, 3, 4, 5, 6]
    assert [each["watchpoints"][0]["hits"] for each in answers] == [0, 0, 1, 2, 3, 4]
    assert [each["is_complete"] for each in answers] == [*[False] * 5, True]


def test_steps_that_a_training_adds_are_evaluated_and_the_others_kept(client: TestClient, logs: Path) -> None:
    client.app.state.viewer.shared(WatchpointSearches, lambda: WatchpointSearches(budget_s=-1))  # type: ignore[attr-defined]
    write_run(logs / "run", training(range(1, 4)))
    assert [watch(client, LARGE)["read_steps"] for _ in range(3)] == [1, 2, 3]
    write_run(logs / "run", training(range(4, 6)))
    answers = [watch(client, LARGE) for _ in range(2)]
    assert [(each["read_steps"], each["watchpoints"][0]["hits"]) for each in answers] == [(4, 2), (5, 3)]


def test_a_live_training_is_not_accused_before_its_steps_are_enough(client: TestClient, logs: Path) -> None:
    write_run(logs / "run", training(range(3, 4)))
    with mindscope.SummaryRecord(logs / "run") as record:  # keeps the run live
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
        record.flush()
        lasting = "tensor_too_large max_gt=2.5 for 3"
        assert watch(client, lasting)["watchpoints"][0]["hits"] == 0
    assert watch(client, lasting)["watchpoints"][0]["hits"] > 0


def test_many_hit_steps_have_few_marks_that_keep_all_hits(client: TestClient, logs: Path) -> None:
    write_run(logs / "run", source_of({step: [Recorded(output("a"), np.array([5.0]))] for step in range(1, 1002)}))
    while not (answer := watch(client, "TL max_gt=1", count=0))["is_complete"]:
        pass
    marks = answer["marks"]
    assert len(marks) <= 400
    assert (marks[0]["first_step"], marks[-1]["last_step"], sum(each["count"] for each in marks)) == (1, 1001, 1001)
    assert all(one["last_step"] < two["first_step"] for one, two in pairwise(marks))


def test_clients_at_the_same_time_lose_no_step(client: TestClient, logs: Path) -> None:
    client.app.state.viewer.shared(WatchpointSearches, lambda: WatchpointSearches(budget_s=-1))  # type: ignore[attr-defined]
    write_run(logs / "run", training())
    threads = [threading.Thread(target=watch, args=(client, LARGE)) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    answer = watch(client, LARGE)
    assert (answer["read_steps"], answer["watchpoints"][0]["hits"]) == (6, 4)


def test_the_conditions_are_those_of_the_analysis(client: TestClient) -> None:
    answer = client.get("/api/debugger/conditions").json()
    assert [each["id"] for each in answer["conditions"]] == list(CONDITIONS)
    assert [each["name"] for each in answer["recommended"]] == list(RECOMMENDED)
    parameters = {each["name"]: each for each in answer["conditions"][0]["parameters"]}
    assert parameters["zero_percentage_ge"] == {
        "name": "zero_percentage_ge", "statistic": "zero_percentage", "comparison": ">=", "default": 100,
        "low": 0, "high": 100, "is_low_excluded": False,
    }  # fmt: skip


def test_a_run_without_debugging_data_says_so(client: TestClient) -> None:
    answer = client.post("/api/debugger/watchpoints", json={"run": "nix", "watchpoints": []})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "run_not_found")
