# SPDX-License-Identifier: Apache-2.0
"""Odd but real traces of torch: what must not fail, and what must be counted."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.parts_file import columns_of
from tests.profile.kineto_events import Events


def one_step() -> Events:
    events = Events()
    events.step(1, 0, 100)
    events.op("aten::mm", 10, 50, External_id=1)
    events.launch(20, 5, 1, External_id=1)
    events.kernel("gemm", 60, 30, 1)
    return events


def test_texts_of_other_encodings_are_shown_as_far_as_they_go(tmp_path: Path) -> None:
    text = one_step().text().replace("aten::mm", "NAME").encode()
    (tmp_path / "a.json").write_bytes(
        b"\xef\xbb\xbf" + text.replace(b"NAME", "算子".encode("gbk")).replace(b", ", b",\r\n")
    )
    profile = read_profile(tmp_path / "a.json")
    assert len(profile.operators) == 1
    assert "\N{REPLACEMENT CHARACTER}" in profile.operators.name[0]


def test_a_gzip_that_breaks_off_keeps_what_it_holds(tmp_path: Path) -> None:
    events = Events()
    for place in range(20_000):
        events.op(
            f"aten::op{place % 97}", 10 * place, 5, External_id=place + 1, Input_Dims=[[place, place * 7919 % 1000]]
        )
    data = gzip.compress(events.text().encode())
    (tmp_path / "a.json.gz").write_bytes(data[: len(data) // 2])
    profile = read_profile(tmp_path / "a.json.gz")
    assert 5_000 < profile.operators.count.sum() < 15_000


def test_durations_below_zero_and_above_a_week_are_counted(tmp_path: Path) -> None:
    events = one_step()
    events.kernel("wrapped", 50, -5)
    events.kernel("overflowed", 50, 8 * 86_400e6)
    profile = events.read(tmp_path)
    assert profile.trace is not None
    assert profile.trace.skipped["bad_duration"].count == 2
    assert profile.steps.duration.tolist() == [100_000]


def test_stamps_may_be_texts(tmp_path: Path) -> None:
    events = one_step()
    for event in events.events:
        event["ts"], event["dur"] = f"{event['ts']}.125", str(event["dur"])
    assert events.read(tmp_path).steps.start.tolist() == [125]


def test_names_are_no_markup_and_may_hold_commas(tmp_path: Path) -> None:
    name = "void <lambda>(int, float)[<script>alert('x')</script>, \"a\"]\n"
    events = Events()
    events.kernel(name, 0, 10)
    assert list(events.read(tmp_path).kernels.name) == [name]


@pytest.mark.parametrize(("is_stripped", "want"), [(False, 0.0), (True, 0.75)])
def test_kernels_without_their_launches_are_said(tmp_path: Path, is_stripped: bool, want: float) -> None:
    events = one_step()
    events.op("aten::relu", 70, 20, External_id=2)
    events.launch(75, 5, 2, External_id=2)
    events.kernel("relu", 100, 90, 2)
    if is_stripped:
        del events.events[-1]["args"]
    events.kernel("Memcpy DtoH", 200, 500, cat="gpu_memcpy")
    assert overview_of(events.read(tmp_path)).unlinked == want


def test_the_same_events_twice_count_once(tmp_path: Path) -> None:
    events = one_step()
    events.events += [dict(event) for event in events.events]
    profile = events.read(tmp_path)
    assert profile.steps.number.tolist() == [1]
    assert profile.streams.busy.tolist() == [30_000]
    assert profile.kernels.count.tolist() == [1]


def test_kernels_that_overlap_on_a_stream_are_all_there(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 100)
    for place in range(774):
        events.kernel("k", 0.1 * place, 5)
    profile = events.read(tmp_path)
    assert profile.kernels.count.sum() == 774
    assert profile.steps.device_busy is not None
    assert profile.steps.device_busy.tolist() == [82_300]
    assert profile.streams.overlaps.tolist() == [773]


@pytest.mark.parametrize("number", ["9" * 400, "0"])
def test_numbers_of_steps_may_be_anything(tmp_path: Path, number: str) -> None:
    events = Events()
    events.step(0, 0, 100)
    events.events[0]["name"] = f"ProfilerStep#{number}"
    assert len(events.read(tmp_path).steps) == 1


@pytest.mark.parametrize(
    "properties",
    [
        {"distributedInfo": []}, {"distributedInfo": {"rank": "x", "backend": 3}}, {"deviceProperties": {}},
        {"deviceProperties": [3, None, {"id": "x", "totalGlobalMem": "much", "computeMajor": None}]},
        {"problems": "x"}, {"problems": [1]}, {"problems": {"a": 1}},
        {"baseTimeNanoseconds": "x"}, {"baseTimeNanoseconds": 1e300},
    ],
)  # fmt: skip
def test_properties_may_have_other_types(tmp_path: Path, properties: dict[str, Any]) -> None:
    profile = one_step().read(tmp_path, **properties)
    assert profile.rank is None
    assert overview_of(profile).steps == 1
    assert columns_of(profile, 0).header["facts"]["format"] == "torch_trace", "what the viewer keeps"


def test_threads_without_names_and_times_before_zero_are_read(tmp_path: Path) -> None:
    events = Events()
    events.op("aten::mm", -50, 20, tid=-1)
    events.op("aten::add", -1e9, 20, tid=0)
    profile = events.read(tmp_path)
    assert profile.operators.count.sum() == 2
    assert profile.trace is not None
    assert profile.trace.slices.start.min() == -(10**12)


def test_four_thousand_calls_within_each_other_are_a_tree(tmp_path: Path) -> None:
    events = Events()
    for place in range(4_000):
        events.op(f"aten::deep{place % 2}", place, 8_001 - 2 * place)
    operators = events.read(tmp_path).operators
    assert operators.host_self is not None
    assert operators.count.sum() == 4_000
    assert operators.host_self.sum() == 8_001_000


def test_all_parts_of_a_trace_of_marks_alone_are_missing(tmp_path: Path) -> None:
    events = Events()
    events.events.append({"ph": "i", "name": "Record Window End", "pid": "", "tid": "", "ts": 1e12, "s": "g"})
    events.events.append({"ph": "C", "name": "Queue", "pid": 0, "ts": 1, "args": {"queue": 3}})
    profile = events.read(tmp_path)
    assert profile.missing.keys() == set(Part) - {Part.FURTHER_TABLES}
    assert not overview_of(profile).advice


@pytest.mark.parametrize(("frames", "count", "self_time"), [(0, 1, 100_000), (1, 2, 80_000), (2, 2, 80_000)])
def test_frames_between_two_operators_of_one_name_make_them_two(
    tmp_path: Path, frames: int, count: int, self_time: int
) -> None:
    events = Events()
    events.op("aten::mine", 0, 100)
    for depth in range(frames):
        events.add("python_function", f"file.py({depth}): f", 10, 80)
    events.op("aten::mine", 20 if frames else 0, 60 if frames else 100)
    operators = read_profile(events.write(tmp_path / "x.pt.trace.json")).operators
    assert (operators.count.sum(), operators.host_self.sum()) == (count, self_time)
    frame_texts = {";".join(f"file.py({depth}): f" for depth in reversed(range(frames))), ""}
    assert frames == 0 or set(operators.stack or ()) == frame_texts


def test_parts_are_the_same_in_any_order(tmp_path: Path) -> None:
    events = Events()
    events.step(1, 0, 200)
    events.op("aten::mine", 0, 100, External_id=1, Sequence_number=5, Input_Dims=[[2, 3]])
    events.memory(5, 64, 4096, 64)
    events.launch(10, 5, correlation=7)
    events.kernel("gemm", 20, 30, correlation=7)
    file = events.write(tmp_path / "x.pt.trace.json")
    one, other = read_profile(file), read_profile(file)
    got = {part: other.part(part) for part in reversed(Part)}
    for part in Part:
        assert repr(one.part(part)) == repr(got[part]), part
    assert list(one.operators.shapes or ()) == ["[[2,3]]"]
