# SPDX-License-Identifier: Apache-2.0
"""Files of MindSpore before 2.3: whose rank they are of, damage, findings of the vendor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import FormatError
from mindscope.profile.advice import advise
from mindscope.profile.open import find_profiles, read_profile
from tests.profile.formats.test_mindspore_profiles import SCOPE, ascend
from tests.profile.made_profiles import write


def test_findings_of_the_vendor(tmp_path: Path) -> None:
    root = ascend(tmp_path)
    folder = root / "msadvisor" / "device_1" / "recommendation"
    content: dict[str, Any] = {
        "model": {"AICPUModel": {"title": "AICPU", "data": [["op", "time"], ["GetNext", 900]]}, "Empty": []}
    }
    write(folder / "recommendation_20230101.json", content)
    profile = read_profile(root)
    assert profile.facts.properties["recommendations"] == [{"model": "AICPUModel", "text": "op | time\nGetNext | 900"}]
    (found,) = [each for each in advise(profile) if each.code == "vendor_finding"]
    assert "GetNext | 900" in found.finding


def two_ranks(directory: Path) -> Path:
    root = ascend(directory)
    for file in list(root.iterdir()):
        content = file.read_text("utf-8").replace("0.02,3", "0.04,3")
        write(root / file.name.replace("_1", "_10", 1), content)
    event = {"name": "x", "ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"rank": 10}}
    write(root / "ascend_timeline_display_10.json", json.dumps([event]))
    return root


def test_each_rank_is_a_profile(tmp_path: Path) -> None:
    root = two_ranks(tmp_path)
    found = list(find_profiles(tmp_path))
    assert [(each.key.name, each.rank) for each in found] == [("profiler#rank1", 1), ("profiler#rank10", 10)]
    times = [int(each.read().operators.self_time.max()) for each in found]
    assert times == [1_000_000, 1_000_000]
    name = f"{SCOPE}/MatMul-op4"
    rows = [{row["name"]: row for row in each.read().operators.rows()}[name] for each in found]
    assert [row["device_self"] for row in rows] == [60_000, 120_000]
    assert [row["device"] for row in rows] == ["NPU 1", "NPU 10"]
    with pytest.raises(FormatError, match=r"holds 2 profiles, choose one: profiler#rank1, profiler#rank10"):
        read_profile(root)
    with pytest.raises(FormatError, match=r"holds no profile of rank 3, it holds profiler#rank1, profiler#rank10"):
        read_profile(tmp_path, rank=3)
    assert read_profile(tmp_path, rank=10).rank == 10
    tenth = read_profile(f"{root}#rank10")
    assert (tenth.rank, tenth.name) == (10, f"{tmp_path.name}#rank10")
    assert read_profile(tenth.facts.path).rank == 10


def test_files_named_by_the_device_belong_to_the_only_rank(tmp_path: Path) -> None:
    root = ascend(tmp_path, profiler_info_8__json='{"rank_id": "8"}')
    profile = read_profile(root)
    assert (profile.rank, len(profile.operators)) == (8, 4)
    assert not find_profiles_of_several(root)


def find_profiles_of_several(root: Path) -> list[int]:
    return [each.rank for each in find_profiles(root) if each.rank is not None]


def test_a_newer_profile_within_an_older_one(tmp_path: Path) -> None:
    root = ascend(tmp_path)
    write(
        root / "rank-0_20270115080000000_ascend_ms" / "ASCEND_PROFILER_OUTPUT" / "step_trace_time.csv", "Computing\n1\n"
    )
    write(root / "PROF_000001_20270115080000000_ABCDEF" / "host.txt", "")
    assert [each.path.name for each in find_profiles(tmp_path)] == ["profiler", "rank-0_20270115080000000_ascend_ms"]


FILES = (
    "flops_1.txt", "flops_summary_1.json", "flops_scope_1.json", "memory_usage_details_1.json",
    "memory_usage_summary_1.json", "dynamic_shape_info_1.json", "parallel_strategy_1.json",
    "output_op_compute_time_1.txt", "output_op_compute_time_detail_1.txt", "output_data_preprocess_aicpu_1.txt",
    "step_trace_profiling_1.txt", "cpu_ms_memory_record_1.txt", "min_cycle_counter_1.txt",
    "msadvisor/device_1/recommendation/a.json",
)  # fmt: skip

DAMAGED = (
    b"", b"\n\n", b"a,b,c\n1,2\n", b"\x00\xff\xfe\x00", b"{", b"[1, 2]",
    b'{"1": 3, "data": {"links": [3]}, "graph": 4}', b'{"operator": {"1": [3]}, "config": {"stageDevices": [3]}}',
    b'{"1": {"nodes": [3], "lines": ["x"], "breakdowns": [[4]]}}',
    b"op_name op_type avg\nx y z\n", b"a,1 b,2 c,3 d,x\n", b'"' * 1000, "网络,1,2\r\n".encode("gb18030"),
)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_leaves_the_others(tmp_path: Path, name: str, content: bytes) -> None:
    root = ascend(tmp_path)
    write(root / name, content)
    profile = read_profile(root)
    assert all(each.reason for each in profile.missing.values())
    advise(profile)
    assert len(profile.operators) == 4
    assert profile.steps.number.tolist() == [1, 2]
    problems = profile.facts.properties["problems"]
    if content == b"{" and name.endswith(".json"):
        assert Path(name).name in problems
