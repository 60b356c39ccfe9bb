# SPDX-License-Identifier: Apache-2.0
"""Profiles that are directories, over HTTP: Ascend's, and those whose timeline is made of tables."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.profile.made_profiles import ascend_output
from tests.profile.nsight_events import training

from .profile_directory import viewer_of, wait_until_read

ASCEND = "host_1_20270115080000000_ascend_ms"
TRACE = f"{ASCEND}/ASCEND_PROFILER_OUTPUT/trace_view.json"
SLICE = {
    "ph": "X",
    "name": "MatMul",
    "pid": 1,
    "tid": 2,
    "ts": "1800000000000010.250",
    "dur": 3,
    "args": {"Task Id": 4},
}
L2_CACHE, SOC_PMU = "Op Name,Hit Rate\nMatMul,0.5\nCast,N/A\n", "Task Id\n7\n"
TASKS = "op_name, stream_id, start_time(ms), duration(ms)\nDefault/fc1-Dense/MatMul-op4,7,10.5,0.03\n"


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    write(tmp_path / "logs" / "run" / TRACE, json.dumps([SLICE]))
    write(tmp_path / "logs" / "run" / TRACE.replace("trace_view.json", "l2_cache.csv"), L2_CACHE)
    write(tmp_path / "logs" / "run" / TRACE.replace("trace_view.json", "soc_pmu.csv"), SOC_PMU)
    write(tmp_path / "logs" / "old" / "profiler" / "output_timeline_data_0.txt", TASKS)
    for rank in (0, 1, 12):
        event = {**SLICE, "ts": 1, "args": {"rank": rank}}
        write(tmp_path / "logs" / "many" / "profiler" / f"ascend_timeline_display_{rank}.json", json.dumps([event]))
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=tmp_path / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    made = TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080")
    with made:
        yield made
    catalog.close()


def timeline(client: TestClient, run: str, profile: str) -> dict[str, Any]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        answer = client.get("/api/profiles/timeline", params={"run": run, "profile": profile}).json()
        if answer["progress"] is None:
            assert answer["problem"] is None
            return answer["timeline"]
    raise AssertionError("the profile was not read")


def slice_of(client: TestClient, run: str, profile: str) -> dict[str, Any]:
    version = timeline(client, run, profile)["version"]
    where = {"run": run, "profile": profile, "version": version, "slice": 0}
    return client.get("/api/profiles/slice", params=where).json()


def test_slices_have_the_arguments_of_the_file_in_the_directory(client: TestClient) -> None:
    found = slice_of(client, "run", ASCEND)
    assert (found["slice"]["name"], found["arguments"]) == ("MatMul", [{"name": "Task Id", "value": "4"}])


def test_a_timeline_of_tables_has_no_arguments(client: TestClient) -> None:
    found = slice_of(client, "old", "profiler")
    assert (found["slice"]["name"], found["arguments"]) == ("Default/fc1-Dense/MatMul-op4", [])


def test_slices_of_a_database_have_the_cells_of_their_rows(tmp_path: Path) -> None:
    def arguments_by_name() -> dict[str, list[dict[str, str]]]:
        facts = timeline(client, "run", "report.sqlite")
        where = {"run": "run", "profile": "report.sqlite", "version": facts["version"]}
        answers = [
            client.get("/api/profiles/slice", params={**where, "slice": slice}).json()
            for slice in range(facts["slices"])
        ]
        assert {each["arguments_problem"] for each in answers} == {None}
        return {each["slice"]["name"]: each["arguments"] for each in answers}

    with viewer_of(tmp_path, lambda run: training(1).write(run / "report.sqlite")) as client:
        found = arguments_by_name()
        assert {"name": "grid", "value": "[264, 1, 1]"} in found["void gemm_f32(float*, float const*)"]
        assert {"name": "bytes", "value": str(1 << 20)} in found["Memcpy HtoD (Pageable -> Device)"]


def test_each_rank_of_a_directory_is_a_profile(client: TestClient) -> None:
    listed = client.post("/api/profiles", json={"runs": ["many"]}).json()["profiles"]
    names = [each["profile"] for each in listed]
    assert names == ["profiler#rank0", "profiler#rank1", "profiler#rank12"]
    for name in names:
        assert slice_of(client, "many", name)["arguments"] == [
            {"name": "rank", "value": name.removeprefix("profiler#rank")}
        ]
    params = {"run": "many", "profile": "profiler#rank12"}
    deadline = time.monotonic() + 20
    while (tables := client.get("/api/profiles/tables", params=params).json())["tables"] is None:
        assert time.monotonic() < deadline
    assert tables["tables"]["summary"]["rank"] == 12
    for unknown in ("profiler", "profiler#rank3", "profiler#rank", "profiler#rankx"):
        assert client.get("/api/profiles/timeline", params={"run": "many", "profile": unknown}).status_code == 404


@pytest.mark.parametrize("name", ["profiler", "profiler_1"])
def test_the_base_directory_itself_may_be_a_profile_of_several_ranks(tmp_path: Path, name: str) -> None:
    base = tmp_path / name
    for rank in (0, 3):
        event = {**SLICE, "ts": 1, "args": {"rank": rank}}
        write(base / f"ascend_timeline_display_{rank}.json", json.dumps([event]))
    catalog = Catalog(base)
    catalog.refresh()
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=base)
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as made:
        listed = made.post("/api/profiles", json={"runs": ["."]}).json()["profiles"]
        assert [each["profile"] for each in listed] == [".#rank0", ".#rank3"]
        assert slice_of(made, ".", ".#rank3")["arguments"] == [{"name": "rank", "value": "3"}]
        refused = made.get("/api/profiles/timeline", params={"run": ".", "profile": ".#rank1"})
        assert refused.status_code == 404
    catalog.close()


def test_further_tables(client: TestClient) -> None:
    params = {"run": "run", "profile": ASCEND}
    deadline = time.monotonic() + 20
    while client.get("/api/profiles/tables", params=params).json()["tables"] is None:
        assert time.monotonic() < deadline
    found = client.get("/api/profiles/further", params=params).json()
    assert found["tables"] == [{"name": "l2_cache", "rows": 2}, {"name": "soc_pmu", "rows": 1}]
    assert (found["table"], found["columns"]) == (
        "l2_cache",
        [
            {"name": "Op Name", "texts": ["MatMul", "Cast"], "numbers": None},
            {"name": "Hit Rate", "texts": None, "numbers": [0.5, None]},
        ],
    )
    other = client.get("/api/profiles/further", params={**params, "table": "soc_pmu"}).json()
    assert (other["table"], other["columns"][0]["numbers"], other["left_out"]) == ("soc_pmu", [7.0], 0)


def test_size_is_that_of_all_files(client: TestClient) -> None:
    (found,) = client.post("/api/profiles", json={"runs": ["run"]}).json()["profiles"]
    assert found["size_bytes"] == len(json.dumps([SLICE])) + len(L2_CACHE) + len(SOC_PMU)


def test_a_changed_file_in_a_directory_is_read_again(client: TestClient, tmp_path: Path) -> None:
    before = timeline(client, "run", ASCEND)
    file = tmp_path / "logs" / "run" / TRACE
    status = file.stat()
    write(file, json.dumps([SLICE, SLICE]))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    after = timeline(client, "run", ASCEND)
    assert after["version"] != before["version"]
    assert sum(track["slices"] for track in after["tracks"]) == 2


def test_problems_of_files_have_codes(tmp_path: Path) -> None:
    with viewer_of(tmp_path, ascend_output) as client:
        of = wait_until_read(client, "host_71_20270115080000000_ascend_ms")
        summary = client.get("/api/profiles/tables", params=of).json()["tables"]["summary"]
    problem = {"code": "profile_rows_skipped", "values": {"count": 1}, "message": "1 row could not be read."}
    assert summary["problems"] == [{"file": "kernel_details.csv", "problem": problem}]
