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
TASKS = "op_name, stream_id, start_time(ms), duration(ms)\nDefault/fc1-Dense/MatMul-op4,7,10.5,0.03\n"


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    write(tmp_path / "logs" / "run" / TRACE, json.dumps([SLICE]))
    write(tmp_path / "logs" / "old" / "profiler" / "output_timeline_data_0.txt", TASKS)
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


def test_size_is_that_of_all_files(client: TestClient) -> None:
    (found,) = client.post("/api/profiles", json={"runs": ["run"]}).json()["profiles"]
    assert found["size_bytes"] == len(json.dumps([SLICE]))


def test_a_changed_file_in_a_directory_is_read_again(client: TestClient, tmp_path: Path) -> None:
    before = timeline(client, "run", ASCEND)
    file = tmp_path / "logs" / "run" / TRACE
    status = file.stat()
    write(file, json.dumps([SLICE, SLICE]))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    after = timeline(client, "run", ASCEND)
    assert after["version"] != before["version"]
    assert sum(track["slices"] for track in after["tracks"]) == 2
