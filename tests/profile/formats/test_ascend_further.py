# SPDX-License-Identifier: Apache-2.0
"""Further files of ``ASCEND_PROFILER_OUTPUT``: statistics, and samples of the hardware."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.profile.open import read_profile
from mindscope.profile.profile import Profile
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.table.columns import TextColumn
from tests.profile.made_profiles import BASE_US, ascend_output, write

FILES = {
    "l2_cache.csv": "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n"
    "3,2,40,0.75,0.125,MatMulV2\n3,2,41,N/A,0.5,Cast\n",
    "hbm.csv": "Device_id,Metric,Read(MB/s),Write(MB/s)\n3,Average,12.5,3\n3,hbmId 0,10,2\n",
    "nic.csv": "Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),rxPacket/s,funcId\n"
    f"3,{BASE_US + 40}.5\t,25000,12.5,100,0\n3,{BASE_US + 20}.5\t,25000,10,300,0\n"
    f"3,{BASE_US + 20}.5\t,25000,1,2,1\nbroken\n",
    "npu_module_mem.csv": "Device_id,Component,Timestamp(us),Total Reserved(MB),Device\n"
    f"3,HCCL,{BASE_US + 10}.000\t,2,NPU:3\n3,RUNTIME,{BASE_US + 10}.000\t,4,NPU:3\n"
    f"3,HCCL,{BASE_US + 30}.000\t,3,NPU:3\n",
    "npu_mem_20270115.csv": "event,timestamp(us),allocated(KB),memory(KB),active,stream_ptr\n"
    f"malloc,{BASE_US + 15}.250,16,32,16,12345678901234567890\n",
    "api_statistic.csv": "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"
    "host,runtime,aclrtSynchronizeStream,9000.5,60,150,1,900,3\nhost,node,launch,500,100,5,1,9,1\n",
    "dataset.csv": "Operation,Stage,Occurrences,Avg. time(us),Custom Info\nDataset,GetNext,12,40.5,N/A\n",
    "data_preprocess.csv": "Device_id,Timestamp(us),Node,Compute_time(us)\n3,5,GetNext,30\n",
    "pcie.csv": "",
    "roce.csv": "Device_id,Timestamp(us),Bandwidth(MB/s)\n",
    "soc_pmu.csv": "Task Id,TLB Hit Rate\n40,0.5\n",
}  # fmt: skip


def with_files(directory: Path, **files: str | bytes) -> Path:
    root = ascend_output(directory)
    for name, content in (FILES | {name.replace("__", "."): each for name, each in files.items()}).items():
        write(root / "ASCEND_PROFILER_OUTPUT" / name, content)
    return root


def counters_of(profile: Profile) -> dict[str, tuple[list[int], list[float], str]]:
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, Path(profile.facts.path))
    return {each.name: (each.times.tolist(), each.values.tolist(), each.unit) for each in timeline.counters}


def test_tables_keep_their_columns(tmp_path: Path) -> None:
    profile = read_profile(with_files(tmp_path))
    tables = profile.further_tables
    assert list(tables) == [
        "api_statistic", "data_preprocess", "dataset", "hbm", "l2_cache", "nic", "npu_mem_20270115", "npu_module_mem",
        "soc_pmu",
    ]  # fmt: skip
    assert tables["l2_cache"].row(0) == {
        "Device_id": 3, "Stream Id": 2, "Task Id": 40, "Hit Rate": 0.75, "Victim Rate": 0.125, "Op Name": "MatMulV2",
    }  # fmt: skip
    assert np.isnan(list(tables["l2_cache"].rows())[1]["Hit Rate"])
    assert tables["api_statistic"].row(0)["Time(us)"] == 9000.5
    assert isinstance(tables["npu_mem_20270115"].columns()["stream_ptr"], TextColumn), "a float64 can't hold it"
    assert tables["dataset"].row(0)["Custom Info"] == "N/A"
    assert profile.facts.properties["problems"]["nic.csv"] == "1 row could not be read."


def test_samples_are_counters_of_the_timeline(tmp_path: Path) -> None:
    found = counters_of(read_profile(with_files(tmp_path)))
    assert found == {
        "nic funcId 0 Rx Bandwidth efficiency(%)": ([20_500, 40_500], [10, 12.5], ""),
        "nic funcId 0 rxPacket/s": ([20_500, 40_500], [300, 100], ""),
        "nic funcId 0 Bandwidth(MB/s)": ([20_500, 40_500], [25_000, 25_000], ""),
        "nic funcId 1 Rx Bandwidth efficiency(%)": ([20_500], [1], ""),
        "nic funcId 1 rxPacket/s": ([20_500], [2], ""),
        "nic funcId 1 Bandwidth(MB/s)": ([20_500], [25_000], ""),
        "npu_mem_20270115 malloc active": ([15_250], [16], ""),
        "npu_mem_20270115 malloc allocated": ([15_250], [16 << 10], "bytes"),
        "npu_mem_20270115 malloc memory": ([15_250], [32 << 10], "bytes"),
        "npu_module_mem HCCL NPU:3 Total Reserved": ([10_000, 30_000], [2 << 20, 3 << 20], "bytes"),
        "npu_module_mem RUNTIME NPU:3 Total Reserved": ([10_000], [4 << 20], "bytes"),
    }


def test_samples_of_another_clock_are_only_a_table(tmp_path: Path) -> None:
    profile = read_profile(with_files(tmp_path, nic__csv="Timestamp(us),rxPacket/s\n5,100\n"))
    assert not [name for name in counters_of(profile) if name.startswith("nic")]
    assert len(profile.further_tables["nic"]) == 1


def test_tasks_where_kernels_are_not_recorded(tmp_path: Path) -> None:
    root = with_files(
        tmp_path,
        task_time__csv="Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)\n"
        f'3,MatMulV2,KERNEL_AICORE,2,40,18.4,"{BASE_US}.000\t","{BASE_US + 18}.400\t"\n'
        '3,N/A,EVENT_RECORD,2,41,0,"1\t","1\t"\n',
    )
    (root / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv").unlink()
    profile = read_profile(root)
    (kernel,) = profile.kernels.rows()
    assert (kernel["name"], kernel["total"], kernel["stream"]) == ("MatMulV2", 18_400, "2")
    (operator,) = profile.operators.rows()
    assert operator["device_self"] == 18_400
    write(
        root / "ASCEND_PROFILER_OUTPUT" / "op_statistic.csv",
        "OP Type,Core Type,Count,Total Time(us)\nMatMul,AI_CORE,4,80\n",
    )
    (operator,) = read_profile(root).operators.rows()
    assert (operator["type"], operator["device_self"], operator["count"]) == ("MatMul", 80_000, 4)


def test_slices_of_a_table_are_joined(tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    for number in (10, 2, 1):
        write(root / "ASCEND_PROFILER_OUTPUT" / f"l2_cache_slice_{number}.csv", f"Task Id,Hit Rate\n{number},0.5\n")
    table = read_profile(root).further_tables["l2_cache"]
    assert np.asarray(table.columns()["Task Id"]).tolist() == [1, 2, 10]


@pytest.mark.parametrize(
    "name", ["nic.csv", "npu_mem.csv", "l2_cache.csv", "hbm.csv", "task_time.csv", "api_statistic.csv"]
)
@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"a,b\n1\n", b"\x00\xff\xfe\x00", b'"' * 100, b"Timestamp(us),x\nN/A,1\n,\n",
     b"Timestamp(us)\n1e400\n",
     "网卡,Timestamp(us)\n千,1\n".encode("gb18030"), b"\xef\xbb\xbfTimestamp(us),x,x\r\n1,2,3\r\n"],
)  # fmt: skip
def test_a_damaged_table_leaves_the_others(tmp_path: Path, name: str, content: bytes) -> None:
    root = with_files(tmp_path, **{name.replace(".", "__"): content})
    profile = read_profile(root)
    assert len(profile.kernels) == 3
    assert len(profile.further_tables["soc_pmu"]) == 1
    counters_of(profile)
    rows: list[Any] = [list(table.rows()) for table in profile.further_tables.values()]
    json.dumps(rows)
