# SPDX-License-Identifier: Apache-2.0
"""Operators of profiles of MindSpore before 2.3: FLOPs, strategies, tables for people."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from tests.profile.formats.test_mindspore_profiles import SCOPE, ascend, profiler
from tests.profile.made_profiles import write

TWO_UNITS = "MFLOPs(10^6 cube), GFLOPS(10^9 cube), FLOPS utilization(cube), MFLOPs(10^6 vector), GFLOPS(10^9 vector), "


@pytest.mark.parametrize(
    ("header", "row", "flops", "utilization", "vector"),
    [
        ("full_kernel_name, FLOPs, FLOPS, FLOPS utilization", "2.5, 300, 12", 7_500_000, 0.12, None),
        ("op_full_name, MFLOPs(10^6), GFLOPS(10^9), FLOPS utilization(%) ", "2.5, 300, 12", 7_500_000, 0.12, None),
        (
            f"full_kernel_name, {TWO_UNITS}FLOPS utilization(vec)",
            "2, 100, 12, 0.5, 9, 3",
            7_500_000,
            0.12,
            1_500_000,
        ),
        ("full_kernel_name, MFLOPs cube, GFLOPS cube, MFLOPs vector, GFLOPS vector", "2,9,0.5,7", 7_500_000, None,
         1_500_000),
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_flops(
    tmp_path: Path, header: str, row: str, flops: int, utilization: float | None, vector: int | None, encoding: str
) -> None:
    lines = f"{header}\r\n{SCOPE}/MatMul-op4, {row}\r\nDefault/Gone-op7, {row}\r\n{SCOPE}/MatMul-op4, 1\r\n"
    root = ascend(tmp_path)
    write(root / "flops_1.txt", lines.encode(encoding))
    profile = read_profile(root)
    rows = {each["name"]: each for each in profile.operators.rows()}
    matmul = rows[f"{SCOPE}/MatMul-op4"]
    assert matmul["flops"] == flops, "three runs"
    assert matmul["flops_rate"] == flops / 60_000
    assert matmul.get("utilization") == (None if utilization is None else pytest.approx(utilization))
    assert matmul.get("vector_flops") == vector
    assert rows["Default/Cast-op1"]["flops"] == 0
    merged = {each["type"]: each for each in profile.operators.group_by("type").rows()}
    assert merged["MatMul"]["flops"] == flops
    assert {each["path"]: each["flops"] for each in profile.modules.rows()} == {
        "network-Net": flops,
        "network-Net/fc1-Dense": flops,
    }
    problems = dict(profile.facts.properties["problems"])
    del problems["step_trace_raw_1_detail_time.csv"]
    assert problems == {
        "flops_1.txt": "1 row could not be read.",
        "flops_1.txt (2)": "1 of its 2 operators are not in the table of operators.",
    }


@pytest.mark.parametrize(
    ("summary", "found"),
    [
        (
            {"FLOPs": 3, "FLOPS": 400, "FLOPS_Utilization": 12.5},
            {"operations": 3e6, "per_second": 4e11, "utilization": 0.125},
        ),
        (
            {"cube_FLOPs": 3, "cube_FLOPS": 4, "vec_FLOPs": 1, "vec_FLOPS": 2},
            {
                "cube_operations": 3e6, "cube_per_second": 4e9, "vector_operations": 1e6, "vector_per_second": 2e9,
                "operations": 4e6, "per_second": 6e9,
            },
        ),
    ],
)  # fmt: skip
def test_summary_of_flops(tmp_path: Path, summary: dict[str, float], found: dict[str, float]) -> None:
    profile = read_profile(ascend(tmp_path, flops_summary_1__json=json.dumps(summary)))
    assert profile.facts.properties["flops"] == found
    figures = overview_of(profile).flops
    assert figures is not None
    assert (figures.operations, figures.per_second) == (found["operations"], found["per_second"])
    assert figures.utilization == found.get("utilization")


def test_flops_of_scopes(tmp_path: Path) -> None:
    def link(source: str, target: str, value: float) -> dict[str, Any]:
        return {"source": source, "target": target, "value": value}

    links = [
        link("Total", "Default", 3.0), link("Default", "network-Net(1_Default)", 2.5),
        link("network-Net(1_Default)", "fc1-Dense(2_Default)", 1.5), link("Total", "Gradients", 4.0),
        link("Gradients", "Default(1_Gradients)", 4.0), link("Default(1_Gradients)", "network-Net(2_Gradients)", 4.0),
        link("network-Net(2_Gradients)", "fc1-Dense(3_Gradients)", 4.0),
        link("fc1-Dense(3_Gradients)", "gradDense(4_Gradients)", 4.0), {"source": "Total"},
    ]  # fmt: skip
    content = {"data": {"nodes": [], "links": links}, "max_scope_num": 4}
    root = ascend(tmp_path, flops_scope_1__json=json.dumps(content))
    (root / "flops_1.txt").unlink()
    assert {each["path"]: each["flops"] for each in read_profile(root).modules.rows()} == {
        "network-Net": 6_500_000,
        "network-Net/fc1-Dense": 5_500_000,
    }


def test_a_parallel_strategy(tmp_path: Path) -> None:
    content: dict[str, Any] = {
        "config": {
            "rankId": "1", "stageId": "0", "parallelType": "semi_auto_parallel",
            "stageDevices": [{"dim": [{"size": "0"}, {"size": "1"}]}, {"dim": [{"size": "2"}, {"size": "3"}]}],
        },
        "graph": {
            "node": [
                {
                    "name": "MatMul-op4", "opType": "MatMul", "scope": SCOPE,
                    "attribute": [{"name": "in_strategy", "value": "((2, 1), (1, 4))"}],
                },
                {"name": "Cast-op1", "scope": "Default", "attribute": []},
            ]
        },
    }  # fmt: skip
    profile = read_profile(ascend(tmp_path, parallel_strategy_1__json=json.dumps(content)))
    assert profile.facts.properties["parallel_strategy"] == {
        "parallel_type": "semi_auto_parallel", "stage": 0, "rank": 1, "stage_devices": [[0, 1], [2, 3]],
    }  # fmt: skip
    found = {each["name"]: each["shard_strategy"] for each in profile.operators.rows()}
    assert found[f"{SCOPE}/MatMul-op4"] == "((2, 1), (1, 4))"
    assert found["Default/Cast-op1"] == ""


DETAIL = """====================op compute time====================
optype_name   compute_time(ms, per-step)   called_times(per-step)   percent
-----------   --------------------------   ----------------------   -------
MatMul        0.07                         2                        70.0
Cast          0.03                         1                        30.0

Detail:
op_name       op_type   avg_execution_time   subgraph
-----------   -------   ------------------   ---------
MatMul-op4    MatMul    0.05                 Default
MatMul-op9    MatMul    0.02                 Gradients
Cast-op1      Cast      0.03                 Default
"""


@pytest.mark.parametrize("copies", [1, 3])
def test_operators_for_people_to_read(tmp_path: Path, copies: int) -> None:
    root = profiler(tmp_path, output_op_compute_time_detail_0__txt=copies * DETAIL)
    found = [
        (each["name"], each["type"], each["device_self"], each["phase"]) for each in read_profile(root).operators.rows()
    ]
    assert found == [
        ("MatMul-op4", "MatMul", 50_000, "forward"),
        ("Cast-op1", "Cast", 30_000, "forward"),
        ("MatMul-op9", "MatMul", 20_000, "backward"),
    ]
    write(root / "output_op_compute_time_detail_0.txt", re.sub(r"-+ .*\n", "", DETAIL.partition("Detail:")[0]))
    assert [(each["type"], each["count"]) for each in read_profile(root).operators.rows()] == [
        ("MatMul", 2),
        ("Cast", 1),
    ]
    write(
        root / "output_op_compute_time_0.txt",
        "=====op compute time=====\nop_name compute_time(ms) stream_id\n------- ----- ---\n"
        f"{SCOPE}/MatMul-op4 0.05 7\nbroken\ntotal op  0.05  0\n",
    )
    (row,) = read_profile(root).operators.rows()
    assert (row["name"], row["module"], row["device_self"]) == (f"{SCOPE}/MatMul-op4", "network-Net/fc1-Dense", 50_000)


def test_the_older_table_of_the_ai_cpu(tmp_path: Path) -> None:
    root = ascend(tmp_path)
    (root / "aicpu_intermediate_1.csv").unlink()
    write(
        root / "output_data_preprocess_aicpu_1.txt",
        "serial_number   node_type_name   total_time(ms)   dispatch_time(ms)   run_start   run_end\n"
        "-------------   --------------   --------------   -----------------   ---------   -------\n"
        "1               GetNext          0.9              0.1                 10500       10900\n"
        "2               GetNext          0.1              0.1                 11000       11100\n"
        "AI CPU Total Time(ms): 1.000000\n",
    )
    profile = read_profile(root)
    (row,) = [each for each in profile.operators.rows() if each["core"] == "AI_CPU"]
    assert (row["type"], row["count"], row["device_self"]) == ("GetNext", 2, 1_000_000)
    assert profile.trace is not None
    assert "AI CPU" in {track.thread_name for track in profile.trace.tracks}


def test_operators_of_pynative(tmp_path: Path) -> None:
    root = profiler(
        tmp_path,
        pynative_op_intermediate_0_type__csv="op_type,execution_time(ms),execution_frequency,percent\nMatMul,0.5,2,100\n",
    )
    (row,) = read_profile(root).operators.rows()
    assert (row["type"], row["count"], row["device_self"]) == ("MatMul", 2, 500_000)
    write(
        root / "pynative_op_intermediate_0_detail.csv", "op_name,execution_time(ms)\nMatMul-op1,0.25\nMatMul-op2,0.25\n"
    )
    assert [each["name"] for each in read_profile(root).operators.rows()] == ["MatMul-op1", "MatMul-op2"]
