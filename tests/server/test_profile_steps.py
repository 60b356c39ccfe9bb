# SPDX-License-Identifier: Apache-2.0
"""Steps and data pipelines of profiles over HTTP."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.profile.kineto_events import Events

from .profile_directory import columns_of, viewer_of, wait_until_read

STEPS = """step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail,\
stream_520_0_AllReduceOp_start_point,stream_520_0_AllReduceOp_end_point
1,1000,2000,1000,1100,1800,100,700,200,1700,1900
2,2000,3500,1500,2200,3200,200,1000,300,3100,3400
"""


def operation(id: int, type: str, sizes: list[int] | None, children: list[int]) -> dict[str, object]:
    queue = None if sizes is None else {"output_queue": {"size": sizes, "length": 10}}
    return {"op_id": id, "op_type": type, "num_workers": 4, "children": children, "metrics": queue}


def write(run: Path) -> None:
    profiler = run / "profiler"
    profiler.mkdir()
    (profiler / "step_trace_raw_0_detail_time.csv").write_text(STEPS)
    operations = [
        operation(2, "MapOp", [9, 7], []),
        operation(1, "BatchOp", [1, 2], [2]),
        operation(0, "Root", None, [1]),
    ]
    (profiler / "pipeline_profiling_0.json").write_text(json.dumps({"sampling_interval": 10, "op_info": operations}))
    lines = [f"1 64 {batch} {size} {1000 + batch}" for batch, size in enumerate([0, 64, 3], 1)]
    lines += [f"0 {what} {batch} {what + batch} 1000" for what in range(3) for batch in (1, 2, 3)]
    (profiler / "device_queue_profiling_0.txt").write_text("\n".join(lines))
    made = Events()
    for number, has_backward in enumerate([True, False, True]):
        made.step(number, 100 * number, 100)
        made.op("aten::mm", 100 * number + 10, 20, Sequence_number=number)
        if has_backward:
            made.op("MmBackward0", 100 * number + 50, 30, Sequence_number=number, Fwd_thread_id=1)
    made.write(run / "b.pt.trace.json")
    (run / "a.pt.trace.json").write_text('{"schemaVersion": 1, "traceEvents": []}')


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with viewer_of(tmp_path_factory.mktemp("profiles"), write) as made:
        yield made


def test_steps(client: TestClient) -> None:
    of = wait_until_read(client, "profiler")
    header, column = columns_of(client.get("/api/profiles/steps", params=of).content)
    assert (header["missing"], header["count"], header["has_communication"]) == (None, 2, True)
    assert column(header["number"]) == [1, 2]
    assert (header["warm_up_rows"], header["incomplete_rows"]) == ([0], [])
    found = {name: column(each) for name, each in header["columns"].items()}
    assert (found["duration"], found["interval"]) == ([10_000, 15_000], [1000, 2000])
    assert (found["forward_backward"], found["tail"]) == ([7000, 10_000], [2000, 3000])
    assert "host" not in found
    begin = column(header["begin"])
    answer = client.get("/api/profiles/steps/communication", params={**of, "number": 2}).json()
    (reduce,) = answer["operations"]
    assert (reduce["lane"], reduce["kind"], reduce["duration_ns"]) == ("stream_520", "allreduce", 3000)
    assert reduce["begin_ns"] == begin[1] + 11_000
    assert client.get("/api/profiles/steps/communication", params={**of, "number": 9}).json()["operations"] == []


def test_phases_that_a_step_lacks_are_no_numbers(client: TestClient) -> None:
    of = wait_until_read(client, "b.pt.trace.json")
    header, column = columns_of(client.get("/api/profiles/steps", params=of).content)
    found = {name: column(each) for name, each in header["columns"].items()}
    for name, time in (("interval", 10_000), ("forward_backward", 70_000), ("tail", 20_000)):
        assert (found[name][0], found[name][2]) == (time, time)
        assert math.isnan(found[name][1])
    assert found["duration"] == [100_000] * 3


def test_pipeline(client: TestClient) -> None:
    of = wait_until_read(client, "profiler")
    header, column = columns_of(client.get("/api/profiles/pipeline", params=of).content)
    assert [(each["name"], each["parent"], each["advice"]) for each in header["operations"]] == [
        ("MapOp_2", 1, None), ("BatchOp_1", 2, "pipeline_batch"), ("Root_0", -1, None),
    ]  # fmt: skip
    assert (header["operations"][0]["usage"], header["operations"][2]["usage"]) == (0.8, None)
    queues = {each["name"]: each for each in header["queues"]}
    assert list(queues) == ["device_queue", "MapOp_2", "BatchOp_1"]
    assert (queues["device_queue"]["empty"], queues["device_queue"]["full"]) == (1, 1)
    assert (column(queues["device_queue"]["x"]), column(queues["device_queue"]["size"])) == ([1, 2, 3], [0, 64, 3])
    assert column(queues["MapOp_2"]["x"]) == [0, 10_000_000]
    batches = header["batches"]
    assert column(batches["wait"]) == [1e6, 2e6, 3e6]
    assert (column(batches["push"]), column(batches["whole"])) == ([2e6, 3e6, 4e6], [3e6, 4e6, 5e6])


def test_why_they_are_missing(client: TestClient) -> None:
    of = wait_until_read(client, "a.pt.trace.json")
    for route, code in (("steps", "torch_steps"), ("pipeline", "torch_data_pipeline")):
        header, _ = columns_of(client.get(f"/api/profiles/{route}", params=of).content)
        assert header["missing"]["code"] == code
        assert client.get(f"/api/profiles/{route}", params={**of, "profile": "none"}).status_code == 404
