# SPDX-License-Identifier: Apache-2.0
"""All ranks of a training over HTTP: in one run, or in one run for each rank."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.profile.kineto_events import Events

from .profile_directory import columns_of, viewer_of

OFFSET_US = 3_000_000


def write_rank(path: Path, rank: int, wait: float, offset: float = 0) -> None:
    events = Events()
    events.op("aten::ones", offset - 50, 10)
    for step in range(4):
        start = 1000 * step + offset
        events.step(step, start, 900)
        events.op("aten::mm", start, wait)
        events.add("user_annotation", "gloo:all_reduce", start + wait, 800 - wait, tid=7)
    events.write(path, distributedInfo={"rank": rank, "world_size": 4})


def write(run: Path) -> None:
    for rank, wait in enumerate((100, 500, 100)):
        write_rank(run / f"rank{rank}.pt.trace.json", rank, wait, OFFSET_US if rank == 2 else 0)
        (run / f"rank_{rank}").mkdir()
        write_rank(run / f"rank_{rank}" / "a.pt.trace.json", rank, wait)
    (run / "bad.pt.trace.json").write_text("[oops")
    output = run / "cluster_analysis_output"
    output.mkdir()
    (output / "cluster_communication.json").write_text("{")
    write_directory(run.parent / "directory" / "profiler")
    (run / "empty").mkdir()
    (run / "empty" / "a.pt.trace.json").write_text('{"schemaVersion": 1, "traceEvents": []}')


def write_directory(profiler: Path) -> None:
    """Files of three ranks, as MindSpore writes them beside each other."""
    profiler.mkdir(parents=True)
    names = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail\n"
    for rank, rate in enumerate((9.0, 9.0, 3.0)):
        rows = ""
        for step in (1, 2, 3):
            begin, whole = 10**9 + 10**7 * step, 10_000_000 - 1_000_000 * rank
            row = (step, begin, begin + whole, whole, begin, begin + whole, 0, whole, 0)
            rows += ",".join(map(str, row)) + "\n"
        (profiler / f"step_trace_raw_{rank}_detail_time.csv").write_text(names + rows)
        (profiler / f"flops_summary_{rank}.json").write_text(json.dumps({"FLOPs": 10, "FLOPS": rate}))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with viewer_of(tmp_path_factory.mktemp("ranks"), write) as made:
        yield made


def ranks_of(client: TestClient, runs: list[str]) -> tuple[dict[str, Any], Any]:
    deadline = time.monotonic() + 60
    while True:
        response = client.post("/api/profiles/ranks", json={"runs": runs})
        assert response.status_code == 200, response.text
        header, column = columns_of(response.content)
        if header["progress"] is None:
            return header, column
        assert header["progress"]["read"] <= header["progress"]["total"]
        assert header["ranks"] == []
        assert time.monotonic() < deadline


def test_ranks_of_one_run(client: TestClient) -> None:
    header, column = ranks_of(client, ["run"])
    assert (header["ranks"], header["missing_ranks"], header["cycles"]) == ([0, 1, 2], [3], 1)
    assert [(each["run"], each["profile"]) for each in header["profiles"]] == [
        ("run", f"rank{rank}.pt.trace.json") for rank in range(3)
    ]
    steps = header["steps"]
    assert column(steps["rank"]) == [0] * 4 + [1] * 4 + [2] * 4
    assert column(steps["begin"]) == [50_000 + 1_000_000 * step for step in range(4)] * 3, "of the own timeline"
    found = {name: column(each) for name, each in steps["columns"].items()}
    assert found["own"][:5] == [200_000] * 4 + [600_000]
    assert found["synchronizing"][:5] == [400_000] * 4 + [0]
    assert "data_waiting" not in found
    assert [(each["offset_ns"], each["is_aligned"]) for each in header["clocks"]] == [
        (0, True), (0, True), (OFFSET_US * 1000, True),
    ]  # fmt: skip
    (collective,) = header["collectives"]
    assert (collective["kind"], collective["count"], collective["bytes"]) == ("allreduce", 4, None)
    (straggler,) = header["stragglers"]
    assert (straggler["rank"], straggler["steps"], straggler["all_steps"], straggler["profile"]) == (1, 4, 4, 1)
    assert straggler["waiting_ns"] == 400_000
    assert straggler["begin_ns"] == 50_000 + 500_000
    assert {"straggler", "slow_rank"} <= {each["code"] for each in header["advice"]}
    (unread,) = header["unread"]
    assert (unread["run"], unread["profile"]) == ("run", "")
    assert "cluster_communication.json" in unread["problem"]["message"]


def test_a_run_for_each_rank(client: TestClient) -> None:
    header, _ = ranks_of(client, ["run/rank_2", "run/rank_0", "run/rank_1", "unknown"])
    assert header["ranks"] == [0, 1, 2]
    assert [each["run"] for each in header["profiles"]] == ["run/rank_0", "run/rank_1", "run/rank_2"]
    assert header["means"][1]["times"]["own"] == 600_000


def test_ranks_of_one_directory_are_told_apart(client: TestClient) -> None:
    header, _ = ranks_of(client, ["directory"])
    assert [each["profile"] for each in header["profiles"]] == ["profiler#rank0", "profiler#rank1", "profiler#rank2"]
    means = header["means"]
    assert [each["times"]["compute"] for each in means] == [100_000_000, 90_000_000, 80_000_000]
    assert [each["flops_per_second"] for each in means] == [9e9, 9e9, 3e9]
    (slow,) = (each for each in header["advice"] if each["code"] == "rank_flops")
    assert slow["values"]["rank"] == 2


def test_a_run_without_ranks(client: TestClient) -> None:
    for runs in (["run/empty"], []):
        header, _ = ranks_of(client, runs)
        assert (header["ranks"], header["steps"], header["advice"]) == ([], None, [])


def test_a_summary_of_a_cluster_alone_is_a_profile_whose_ranks_are_compared(tmp_path: Path) -> None:
    def write_summary(run: Path) -> None:
        output = run / "deep" / "cluster_analysis_output"
        output.mkdir(parents=True)
        columns = "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble"
        rows = [f"{step},rank,{rank},500.0,200.0,20.0,220.0,300.0,1000.0,0" for step in (7, 8) for rank in (0, 1)]
        (output / "cluster_step_trace_time.csv").write_text("\n".join([columns, *rows]))

    with viewer_of(tmp_path, write_summary) as client:
        (profile,) = client.post("/api/profiles", json={"runs": ["run/deep"]}).json()["profiles"]
        assert (profile["profile"], profile["format"]) == ("cluster_analysis_output", "ascend_cluster")
        header, _ = ranks_of(client, [profile["run"]])
        assert header["ranks"] == [0, 1]
        of = {"run": profile["run"], "profile": profile["profile"]}
        deadline = time.monotonic() + 30
        while (answer := client.get("/api/profiles/tables", params=of).json())["progress"] is not None:
            assert time.monotonic() < deadline
        assert {each["code"] for each in answer["tables"]["summary"]["missing"]} == {"not_in_format"}
