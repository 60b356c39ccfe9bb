# SPDX-License-Identifier: Apache-2.0
"""``mindscope profile`` on hand-made traces."""

from __future__ import annotations

import json
from pathlib import Path

from tests.profile.advised_profiles import TRACE, advised_trace
from tests.profile.kineto_events import Events
from tests.profile.made_profiles import ascend_output

from .conftest import CommandLine


def write(path: Path, wait: float) -> Path:
    events = Events()
    for step in range(3):
        events.step(step, 100 * step, 100)
        events.add("user_annotation", "enumerate(DataLoader)#_Iter.__next__", 100 * step, wait)
        events.op("aten::mm", 100 * step + 60, 30)
    return events.write(path)


def test_an_overview_is_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    out = mindscope("profile", str(write(tmp_path / "slow.pt.trace.json", 50))).stdout
    assert "steps        3 of 100 us" in out
    assert "The training waits for data for 50 % of the step time, 50 us a step (more than 5 %)." in out
    assert "Raise num_workers" in out
    row = next(line for line in out.splitlines() if line.startswith("aten::mm"))
    assert row.split()[1:3] == ["100", "%"]
    assert (
        "no kernels, streams: the trace has no kernels; a training on a CPU has none; record it by activities=" in out
    )


def test_streams_and_rows_of_advice_are_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    path = advised_trace(tmp_path / TRACE)
    out = mindscope("profile", str(path), "--kernel-wait", "500").stdout
    assert "rests on stream 7 of GPU 0" in out
    assert "rests on step 0, step 1, step 2" in out
    row = next(line for line in out.splitlines() if line.startswith("GPU 0 stream 7"))
    assert row.split()[4] == "2.83"
    assert "kernel wait: gaps shorter than 500 us" in out
    found = json.loads(mindscope("profile", str(path), "--kernel-wait", "0", "--json").stdout)
    assert found["kernel_wait_us"] == 0
    assert [(row["kernels"], row["kernel_wait"]) for row in found["streams"]] == [(10, 0)]


def test_shares_are_those_of_the_whole_profile(mindscope: CommandLine, tmp_path: Path) -> None:
    events = Events()
    for place, (name, duration) in enumerate((("aten::mm", 60), ("aten::add", 40))):
        events.op(name, 100 * place, duration, External_id=place + 1)
        events.launch(100 * place + 1, 2, place + 1, External_id=place + 1)
        events.kernel(name.removeprefix("aten::"), 100 * place + 5, duration, place + 1)
    path = str(events.write(tmp_path / "a.pt.trace.json"))
    out = mindscope("profile", path, "--top", "1").stdout
    rows = [line.split()[:3] for line in out.splitlines() if line.startswith(("aten::", "mm ", "add "))]
    assert rows == [["aten::mm", "60", "%"], ["mm", "60", "%"]]
    found = json.loads(mindscope("profile", path, "--top", "1", "--json").stdout)
    assert [(row["name"], row["share"]) for key in ("operators", "kernels") for row in found[key]] == [
        ("aten::mm", 0.6), ("mm", 0.6),
    ]  # fmt: skip


def test_names_keep_to_their_line_of_the_terminal(mindscope: CommandLine, tmp_path: Path) -> None:
    events = Events()
    events.step(0, 0, 100)
    events.op("\x1b[2J\nstep 7\u202e", 60, 30)
    out = mindscope("profile", str(events.write(tmp_path / "odd.pt.trace.json"))).stdout
    assert "\x1b" not in out
    row = next(line for line in out.splitlines() if line.startswith("\\x1b[2J\\nstep 7\\u202e "))
    assert row.split()[2:4] == ["100", "%"]


def test_what_could_not_be_read_is_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    root = ascend_output(tmp_path)
    (file,) = root.rglob("kernel_details.csv")
    file.write_text(file.read_text() + "one,cell,too,few\n")
    out = mindscope("profile", str(root)).stdout
    assert "problem      kernel_details.csv: 2 rows could not be read" in out
    found = json.loads(mindscope("profile", str(root), "--json").stdout)
    assert found["problems"]["kernel_details.csv"] == "2 rows could not be read."


def test_a_part_that_nothing_records_is_named_too(mindscope: CommandLine, tmp_path: Path) -> None:
    out = mindscope("profile", str(write(tmp_path / "slow.pt.trace.json", 50))).stdout
    assert "no communication: the trace has no communication between ranks" in out
    assert "profiles of this format" not in out


def test_a_difference_is_printed(mindscope: CommandLine, tmp_path: Path) -> None:
    slow, fast = write(tmp_path / "slow.json", 50), write(tmp_path / "fast.json", 5)
    out = mindscope("profile", str(slow), "--diff", str(fast)).stdout
    assert out.startswith("slow -> fast")
    assert "data_waiting" in out


def test_ranges_of_steps_are_compared(mindscope: CommandLine, tmp_path: Path) -> None:
    path = str(write(tmp_path / "a.json", 50))
    assert "steps        1 of 100 us" in mindscope("profile", path, "--steps", "2").stdout
    out = mindscope("profile", path, "--steps", "0:1", "--diff-steps", "2:2").stdout
    assert "step  100 us -> 100 us (+0.0%)" in out
    assert "no step from 7 to 7" in mindscope("profile", path, "--steps", "7", want=1).stderr
    assert "want FIRST:LAST" in mindscope("profile", path, "--steps", "a:b", want=2).stderr


def test_json_has_all_figures(mindscope: CommandLine, tmp_path: Path) -> None:
    slow, fast = write(tmp_path / "slow.json", 50), write(tmp_path / "fast.json", 5)
    found = json.loads(mindscope("profile", str(slow), "--json", "--top", "1").stdout)
    assert found["parts"]["data_waiting"] == 0.5
    assert [row["name"] for row in found["operators"]] == ["aten::mm"]
    assert found["events"] == {"read": 9, "skipped": {}}
    assert [each["code"] for each in found["advice"]] == ["data_waiting"]
    changes = json.loads(mindscope("profile", str(slow), "--diff", str(fast), "--json").stdout)
    assert changes["parts"]["data_waiting"] == {"before_ns": 50_000, "after_ns": 5_000, "error_ns": 0}


def test_a_file_that_is_no_profile_is_refused(mindscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no")
    assert "is no profile: want one of PyTorch trace" in mindscope("profile", str(tmp_path / "a.txt"), want=1).stderr
    assert "No such file" in mindscope("profile", str(tmp_path / "b"), want=1).stderr


def test_ranks_are_compared(mindscope: CommandLine, tmp_path: Path) -> None:
    for rank, wait in enumerate((10, 60, 10)):
        events = Events()
        for step in range(4):
            events.step(step, 100 * step, 100)
            events.op("aten::mm", 100 * step, wait)
            events.add("user_annotation", "gloo:all_reduce", 100 * step + wait, 90 - wait, tid=7)
        events.write(tmp_path / f"rank{rank}.pt.trace.json", distributedInfo={"rank": rank, "world_size": 4})
    out = mindscope("profile", str(tmp_path), "--ranks").stdout
    assert out.startswith("ranks: 3, cycles: 1, no profile of ranks 3")
    assert "The other ranks wait for rank 1 in 4 of 4 steps, 50 us each" in out
    assert "clock of rank 2: +0 ns ± 0 ns, by 4 collectives" in out
    found = json.loads(mindscope("profile", str(tmp_path), "--ranks", "--json").stdout)
    assert [row["own"] for row in found["means"]] == [20_000, 70_000, 20_000]
    assert found["collectives"][0]["bus_bandwidth"] is None
    assert "--ranks compares all steps" in mindscope("profile", str(tmp_path), "--ranks", "--steps", "1", want=2).stderr
