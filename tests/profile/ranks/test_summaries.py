# SPDX-License-Identifier: Apache-2.0
"""Summaries of clusters, invented, with the oddities of their writers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import FormatError
from mindscope.profile.ranks.advice import advise_ranks
from mindscope.profile.ranks.open import read_ranks

MS = 1_000_000
HEADER = (
    "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive)"
)
STEPS = f"""\ufeff{HEADER}
7,rank,0,500.0\t,200.0,20.0,220.0,300.0,1000.0,150.0,50.0
7,rank,1,510.0,260.0,20.0,280.0,240.0,1010.0,0.0,260.0
7,rank,3,900.0,10.0,N/A,10.0,100.0,1010.0,0.0,10.0
8,rank,0,500.0,200.0,20.0,220.0,300.0,1000.0,0.0,200.0
8,rank,1,broken
7,stage,"(0, 1)",510.0,260.0,20.0,280.0,300.0,1000.0,0,260.0
7,stage,"(2, 3)",900.0,10.0,20.0,280.0,300.0,1000.0,0,260.0
"""


def write(path: Path, content: str | object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def block(start_us: float, elapse_ms: float) -> dict[str, Any]:
    return {
        "Communication Time Info": {
            "Start Timestamp(us)": start_us, "Elapse Time(ms)": elapse_ms, "Transit Time(ms)": 1.0, "Wait Time(ms)": 1,
        },
        "Communication Bandwidth Info": {"SDMA": {"Transit Size(MB)": 4.0}, "HCCS": {"Transit Size(MB)": 4.0}},
    }  # fmt: skip


def cluster(root: Path) -> Path:
    output = root / "cluster_analysis_output"
    write(output / "cluster_step_trace_time.csv", STEPS)
    base = 1_800_000_000_000_000.0
    operations: dict[str, Any] = {
        f"hcom_allReduce__844_{number}_1@8440": {
            "0": block(base + 5000 * number, 3.0),
            "1": block(base + 5000 * number + 2_000_001, 2.0),
            "odd": block(0, 1),
        }
        for number in range(1, 5)
    }
    write(
        output / "cluster_communication.json",
        {"(0, 1)": {"step7": {**operations, "Total Op Info": {"0": block(0, 9)}}}, "p2p": {}, "odd": 5},
    )
    link = {"Transport Type": "HCCS", "Transit Size(MB)": 18, "Transit Time(ms)": 1, "Bandwidth(GB/s)": 18}
    slow = {**link, "Transit Time(ms)": 3}
    write(
        output / "cluster_communication_matrix.json",
        {
            "(0, 1)": {
                "step7": {
                    "allreduce-total@8440": {"0-1": link, "1-0": slow, "0-0": link, "x": {}},
                    "allreduce-top1@8440": {"0-1": link},
                }
            }
        },
    )
    return root


def test_a_summary_of_ascend(tmp_path: Path) -> None:
    ranks = read_ranks(cluster(tmp_path))
    steps = ranks.steps
    assert steps is not None
    rows = {(row["rank"], row["step"]): row for row in steps.rows()}
    assert sorted(rows) == [(0, 7), (0, 8), (1, 7), (3, 7)], "rows of stages are no ranks; a broken row is left out"
    assert (rows[0, 7]["compute"], rows[0, 7]["communication"], rows[0, 7]["idle"]) == (500_000, 200_000, 300_000)
    assert rows[0, 7]["receive"] == 150_000
    assert rows[3, 7]["overlapped"] == 0, "N/A"
    assert ranks.missing_ranks == [2]
    assert list(ranks.problems.values()) == ["1 row could not be read."]
    assert ranks.clocks.offset.tolist() == [0, 2_000_001_000 - 1_000_000, 0], "rank 1 began later by its clock"
    assert ranks.clocks.is_aligned.tolist() == [True, True, False]
    collectives = ranks.collectives
    assert collectives is not None
    row = collectives.row(0)
    assert (row["kind"], row["group_ranks"], row["count"], row["ranks"]) == ("allreduce", "0,1", 4, 2)
    assert (row["transfer"], row["synchronizing"]) == (8 * MS, 2 * MS)
    links = ranks.links
    assert links is not None
    assert [(row["source"], row["destination"], row["bandwidth"]) for row in links.rows()] == [(0, 1, 18), (1, 0, 6)]
    assert ranks.stages is not None
    assert ranks.stages.compute.tolist() == [505_000, 900_000]
    assert {"slow_rank", "slow_link", "uneven_stages"} <= {each.code for each in advise_ranks(ranks)}


def test_a_damaged_file_leaves_the_others(tmp_path: Path) -> None:
    output = cluster(tmp_path) / "cluster_analysis_output"
    write(output / "cluster_communication.json", "{")
    write(output / "cluster_communication_matrix.json", "[]")
    ranks = read_ranks(tmp_path)
    assert ranks.steps is not None
    assert ranks.links is None
    assert len(ranks.problems) == 3
    write(output / "cluster_step_trace_time.csv", "Step,Computing\n1,2\n")
    with pytest.raises(FormatError, match="cluster_step_trace_time"):
        read_ranks(tmp_path)


def test_files_of_old_mindspore(tmp_path: Path) -> None:
    for rank in range(4):
        stage = "10,4,9,3,1\n30,4,9,3,1\n20,4,9,3,1\n" if rank < 3 else "10,4,9,3,1\n"
        write(
            tmp_path / f"profiler/ascend_cluster_analyse_pipeline-parallel_2_4_{rank}.csv",
            "computation_time,communication_alone_time,stage_time,receive_alone_time,collective_communication_alone\n"
            + stage,
        )
        link = {f"{rank}-{(rank + 1) % 4}": {"RDMA": [2.0, 2000.0 if rank else 200.0, 7, 1]}, "1-1": {"SDMA": [1, 1]}}
        operators: dict[str, Any] = {"AllReduce-op1": [1, 3.0, 1.0 + rank, {}], "broken": "x"}
        row = f'1,3,{rank},"{quoted(link)}","{quoted(operators)}"\n-,3,{rank},"{quoted(link)}","{quoted(operators)}"\n'
        write(
            tmp_path / f"profiler/hccl_raw_{rank}.csv",
            "step_num,communication_cost,wait_cost,link_info,communication_operator_cost\n" + row,
        )
    ranks = read_ranks(tmp_path)
    steps = ranks.steps
    assert steps is not None
    assert steps.step.tolist() == [1, 2, 1, 2, 1, 2, 1], "the last of several rows is their mean"
    assert steps.compute.tolist() == [10 * MS, 30 * MS] * 3 + [10 * MS]
    assert steps.duration.tolist() == [14 * MS, 34 * MS] * 3 + [14 * MS]
    assert steps.receive is not None
    assert set(steps.receive.tolist()) == {3 * MS}
    assert ranks.stages is not None
    assert ranks.stages.stage.tolist() == [1, 2]
    links = ranks.links
    assert links is not None
    bandwidths = {(row["source"], row["destination"]): row["bandwidth"] for row in links.rows()}
    assert bandwidths == {(0, 1): 0.1, (1, 2): 1.0, (2, 3): 1.0, (3, 0): 1.0}, "size by time; the stored one is a sum"
    collectives = ranks.collectives
    assert collectives is not None
    assert (collectives.kind[0], collectives.count[0], collectives.transfer[0]) == ("allreduce", 1, 4 * MS)
    assert ranks.clocks.is_aligned.tolist() == [False] * 4, "these files have no times"


def quoted(value: object) -> str:
    return json.dumps(value).replace('"', '""')


def test_the_oldest_file_repeats_the_step_trace(tmp_path: Path) -> None:
    write(
        tmp_path / "ascend_cluster_analyse_data-parallel_1_2_1.csv",
        "iteration_interval, fp_and_bp, tail\n100, 2000, 300\n100, 2000, 300\n",
    )
    ranks = read_ranks(tmp_path)
    assert (ranks.ranks, ranks.missing_ranks) == ([1], [0])
    steps = ranks.steps
    assert steps is not None
    assert steps.duration.tolist() == [24_000], "ticks of 10 ns"
    assert (steps.data_waiting.tolist(), steps.compute.tolist()) == ([1_000], [23_000])


def test_links_of_each_stage_are_those_of_its_ranks(tmp_path: Path) -> None:
    """Stages number their ranks from 0, so that one name is two links."""
    for rank in range(4):
        own, other = rank % 2, 1 - rank % 2
        link = {f"{other}-{own}": {"SDMA": [1.0, 1000.0 * (rank + 1)]}, f"{own}-{own}": {"SDMA": [1.0, 9.0]}}
        write(tmp_path / f"hccl_raw_{rank}.csv", f'step_num,link_info\n1,"{quoted(link)}"\n')
    links = read_ranks(tmp_path).links
    assert links is not None
    bandwidths = {(row["source"], row["destination"]): row["bandwidth"] for row in links.rows()}
    assert bandwidths == {(1, 0): 1.0, (0, 1): 2.0, (3, 2): 3.0, (2, 3): 4.0}


@pytest.mark.parametrize("directory", ["profiler", "results"])
def test_an_analysis_beside_a_step_trace_splits_its_steps(tmp_path: Path, directory: str) -> None:
    for rank, alone in enumerate((1293.1, 651.9)):
        rows = [
            [step, begin, begin + 200_000_000, 200_000_000, begin + 10_000_000, begin + 190_000_000, 10_000_000,
             180_000_000, 10_000_000]
            for step in (1, 2, 3)
            if (begin := 10**10 + 200_000_000 * step)
        ]  # fmt: skip
        text = "".join(",".join(map(str, row)) + "\n" for row in [STEP_NAMES, *rows])
        write(tmp_path / directory / f"step_trace_raw_{rank}_detail_time.csv", text)
        split = "computation_time,communication_alone_time,stage_time,receive_alone_time,collective\n"
        split += f"600,{alone},1,50,1\n" * 4
        write(tmp_path / directory / f"ascend_cluster_analyse_pipeline-parallel_2_2_{rank}.csv", split)
        flops = {"FLOPs": 10, "FLOPS": 2.5 + rank}
        write(tmp_path / directory / f"flops_summary_{rank}.json", json.dumps(flops))
    means = read_ranks(tmp_path).means
    assert means is not None
    assert means.communication.tolist() == [1_293_100_000, 651_900_000]
    assert means.compute.tolist() == [600 * MS] * 2
    assert means.duration.tolist() == [2000 * MS] * 2
    assert means.interval is not None
    assert means.interval.tolist() == [100 * MS] * 2
    assert means.data_waiting.tolist() == [100 * MS] * 2
    assert means.receive is not None
    assert means.receive.tolist() == [50 * MS] * 2
    assert means.stage.tolist() == [1, 2]
    assert means.flops_per_second is not None
    assert means.flops_per_second.tolist() == [2.5e9, 3.5e9]


@pytest.mark.parametrize(
    ("rates", "stages", "slow"),
    [
        ([10.0, 10.0, 10.0, 6.0], 1, 3),  # 33 % below the mean of 9
        ([10.0, 10.0, 10.0, 7.6], 1, None),  # 24 % below the others, 19.1 % below the mean
        ([2000.0, 2000.0, 900.0, 2000.0], 1, 2),
        ([10.0, 10.0, 5.0, 5.0], 2, None),  # stages of a pipeline compute different layers
        ([10.0, 10.0, 8.0, 4.0], 2, 3),
        ([10.0, 10.0, 10.0, None], 1, None),  # the file of one rank is missing
        ([10.0, 10.0, None, 6.0], 1, None),
        ([0.0, 0.0, 0.0, 0.0], 1, None),
    ],
)  # fmt: skip
def test_the_rank_with_few_flops_is_named(
    tmp_path: Path, rates: list[float | None], stages: int, slow: int | None
) -> None:
    for rank, rate in enumerate(rates):
        rows = "".join(f"{step},{(b := 10**9 * step)},{b + 10**8},{10**8},{b},{b},0,0,0\n" for step in (1, 2, 3))
        write(tmp_path / f"profiler/step_trace_raw_{rank}_detail_time.csv", ",".join(STEP_NAMES) + "\n" + rows)
        if stages > 1:
            split = "computation_time,communication_alone_time,stage_time,receive_alone_time,collective\n"
            name = f"ascend_cluster_analyse_pipeline-parallel_{stages}_4_{rank}.csv"
            write(tmp_path / "profiler" / name, split + "600,10,1,5,1\n" * 4)
        if rate is not None:
            write(tmp_path / f"profiler/flops_summary_{rank}.json", json.dumps({"FLOPs": 10, "FLOPS": rate}))
    found = [each for each in advise_ranks(read_ranks(tmp_path)) if each.code.endswith("rank_flops")]
    assert [each.values["rank"] for each in found] == ([] if slow is None else [slow])
    for each in found:
        assert each.code == ("rank_flops" if stages == 1 else "stage_rank_flops")
        assert ("pipeline stage" in each.finding) == (stages > 1)
    if rates == [10.0, 10.0, 10.0, 6.0]:
        assert "Rank 3 computes with 6 GFLOPS, 33.3 % below the mean of all ranks, 9 GFLOPS" in found[0].finding


STEP_NAMES = (
    "step_num", "start_point", "end_point", "total", "fp_point", "bp_point", "iteration_interval", "fp_and_bp", "tail",
)  # fmt: skip


def test_step_traces_of_several_ranks(tmp_path: Path) -> None:
    """Each rank of such a directory is a profile; all of them are compared."""
    header = "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail,"
    names = "stream_7_parallel_0_start_point,stream_7_parallel_0_end_point,stream_7_parallel_0"
    for rank in (0, 1):
        begin, reduce = 5_000_000_000 * (rank + 1), 610_000 + 200_000 * rank
        rows = [
            [step, start, start + 900_000, 900_000, start + 10_000, start + 600_000, 10_000, 590_000, 300_000,
             start + reduce, start + 880_000, 880_000 - reduce]
            for step in (1, 2, 3)
            if (start := begin + 900_000 * step)
        ]  # fmt: skip
        table = "\n".join(",".join(map(str, row)) for row in rows)
        write(tmp_path / f"profiler/step_trace_raw_{rank}_detail_time.csv", f"{header}{names}\n{table}\n")
    ranks = read_ranks(tmp_path)
    assert ranks.ranks == [0, 1]
    assert ranks.clocks.offset.tolist() == [0, 50_000_000_000], "clocks of devices count from any time"
    stragglers = ranks.stragglers
    assert stragglers is not None
    assert set(stragglers.rank.tolist()) == {1}
    assert set(stragglers.waiting.tolist()) == {2_000_000}


def test_a_directory_without_profiles(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "a")
    with pytest.raises(FormatError, match="no profile with steps or communication"):
        read_ranks(tmp_path)
    with pytest.raises(OSError, match="nowhere"):
        read_ranks(tmp_path / "nowhere")
