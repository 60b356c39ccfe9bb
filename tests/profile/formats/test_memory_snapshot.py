# SPDX-License-Identifier: Apache-2.0
"""Histories of CUDA's memory, made by hand, and pickles that want to run code."""

from __future__ import annotations

import os
import pickle
import pickletools
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import FormatError
from mindscope.formats._pickle_memo import scan_pickle
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.tables.memory import UNKNOWN_TIME

BASE_US = 1_800_000_000_000_000
MB = 1 << 20
FRAMES = [{"filename": "a.py", "line": 3, "name": "forward"}, {"filename": "b.py", "line": 9, "name": "main"}]


def entry(action: str, addr: int, size: int, time: int, **others: Any) -> dict[str, Any]:
    return {
        "action": action,
        "addr": addr,
        "size": size,
        "stream": 0,
        "time_us": BASE_US + time,
        "frames": FRAMES,
        **others,
    }


SNAPSHOT: dict[str, Any] = {
    "segments": [
        {
            "device": 0, "address": 1 << 63, "total_size": 20 * MB, "allocated_size": 6 * MB, "active_size": 6 * MB,
            "stream": 0, "segment_type": "large", "is_expandable": False,
            "blocks": [
                {"address": 1 << 63, "size": 4 * MB, "state": "active_allocated", "frames": FRAMES},
                {"address": (1 << 63) + 4 * MB, "size": 2 * MB, "state": "active_allocated"},
                {"address": (1 << 63) + 6 * MB, "size": 14 * MB, "state": "inactive"},
            ],
        }
    ],
    "device_traces": [
        [
            entry("free_requested", 77, MB, 0),
            entry("segment_alloc", 1 << 63, 20 * MB, 10),
            entry("alloc", 1 << 63, 4 * MB, 10),
            entry("alloc", 99, 3 * MB, 20),
            entry("free_requested", 99, 3 * MB, 30),
            entry("free_completed", 99, 3 * MB, 35),
            {"action": "oom", "size": 90 * MB, "device_free": 5 * MB, "time_us": BASE_US + 40, "stream": 0},
            "odd",
        ],
        [],
    ],
    "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""},
}  # fmt: skip


def write(directory: Path, content: Any, protocol: int = 4) -> Path:
    path = directory / "host_1_rank0.1700000000000000000.memory_snapshot.pickle"
    path.write_bytes(pickle.dumps(content, protocol))
    return path


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_curve_is_walked_back_from_the_end(tmp_path: Path, protocol: int) -> None:
    profile = read_profile(write(tmp_path, SNAPSHOT, protocol))
    assert (profile.format, profile.name) == ("memory_snapshot", "host_1_rank0.1700000000000000000")
    assert profile.facts.origin_ns == BASE_US * 1000
    assert [device.name for device in profile.devices] == ["GPU 0"]
    curve = profile.memory.curve
    assert [time // 1000 for time in curve.time.tolist()] == [0, 10, 10, 20, 30, 35, 40]
    assert [size // MB for size in curve.allocated.tolist()] == [2, 2, 6, 9, 6, 6, 6]
    assert curve.reserved is not None
    assert [size // MB for size in curve.reserved.tolist()] == [0, *[20] * 6]
    assert profile.missing.keys() == set(Part) - {Part.FURTHER_TABLES, Part.MEMORY}


def test_blocks(tmp_path: Path) -> None:
    blocks = read_profile(write(tmp_path, SNAPSHOT)).memory.blocks
    assert blocks is not None
    found = {(row["size"] // MB, row["allocated_at"], row["freed_at"]) for row in blocks.rows()}
    assert found == {
        (1, UNKNOWN_TIME, 0),
        (4, 10_000, UNKNOWN_TIME),
        (3, 20_000, 30_000),
        (2, UNKNOWN_TIME, UNKNOWN_TIME),
    }
    assert "a.py(3): forward;b.py(9): main" in set(blocks.stack or ())
    assert sorted(blocks.live_at(25_000).size // MB) == [2, 3, 4]


def test_segments_and_failures(tmp_path: Path) -> None:
    profile = read_profile(write(tmp_path, SNAPSHOT))
    properties, segments = profile.facts.properties, profile.memory.segments
    assert segments is not None
    (segment,) = segments.rows()
    assert (segment["address"], segment["size"], segment["reserved_at"]) == (1 << 63, 20 * MB, 10_000)
    assert properties["out_of_memory"] == [{"device": 0, "size": 90 * MB, "device_free": 5 * MB, "time_us": 40}]


def test_the_oldest_have_no_times_and_no_addresses_of_blocks(tmp_path: Path) -> None:
    segment = {"device": 0, "address": 64, "total_size": 8, "blocks": [{"size": 8, "state": "active_allocated"}]}
    trace = [{"action": "alloc", "addr": 64, "size": 8}]
    profile = read_profile(write(tmp_path, {"segments": [segment], "device_traces": [trace]}))
    assert profile.facts.origin_ns is None
    assert (profile.memory.curve.allocated.tolist(), profile.memory.curve.time.tolist()) == ([8], [0])
    assert profile.memory.blocks is not None
    assert len(profile.memory.blocks) == 1


class Harmful:
    """Would make a directory when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def __reduce__(self) -> Any:
        return os.mkdir, (self._path,)


def test_a_pickle_never_runs_code(tmp_path: Path) -> None:
    path = write(tmp_path, {"segments": [Harmful(tmp_path / "made")], "device_traces": []})
    with pytest.raises(FormatError, match=r"names posix\.mkdir\. Only plain values are read; nothing of it was run"):
        read_profile(path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("make", [lambda: set, lambda: len, lambda: Path("a"), lambda: bytearray(b"x"), lambda: 1j])
def test_every_global_is_refused(tmp_path: Path, make: Any) -> None:
    with pytest.raises(FormatError, match="Only plain values are read"):
        read_profile(write(tmp_path, {"segments": make()}, protocol=2))


@pytest.mark.parametrize("size", range(1, len(pickle.dumps(SNAPSHOT)), 97))
def test_a_cut_file_is_refused(tmp_path: Path, size: int) -> None:
    path = write(tmp_path, SNAPSHOT)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(FormatError):
        read_profile(path)


@pytest.mark.parametrize("put", [b"r\xff\xff\xff\x0f", b"p268435455\n", b"p00000000000000000000268435455\n"])
def test_a_number_beyond_the_file_takes_no_memory(tmp_path: Path, put: bytes) -> None:
    """An unpickler keeps room for all numbers below: 4 GiB for these few bytes."""
    path = tmp_path / "a.pickle"
    path.write_bytes(b"\x80\x02}X\x08\x00\x00\x00segments" + put + b"Ns.")
    with pytest.raises(FormatError, match=r"under the number 268435455, a file of \d+ bytes has fewer"):
        read_profile(path)


@pytest.mark.parametrize("protocol", range(6))
def test_numbers_of_values_are_those_of_pickletools(protocol: int) -> None:
    content = [SNAPSHOT, "é" * 300, 1 << 90, ["x" * 70_000, 1.5] * 300, {str(each): each for each in range(999)}]
    data = pickle.dumps([*content, b"x" * 300] if protocol > 2 else content, protocol)  # old ones name a function
    stored = [int(argument or 0) for opcode, argument, _ in pickletools.genops(data) if opcode.name.endswith("PUT")]
    assert scan_pickle(data)[0] == max(stored, default=0)
    cut = [scan_pickle(data[:size])[0] for size in range(1, 500)]
    assert cut == sorted(cut)


ODD: list[Any] = [
    {"segments": None, "device_traces": None}, {"segments": 3}, {"segments": [3, {}], "device_traces": [3, [4, {}]]},
    {"segments": [{"total_size": "x", "blocks": 5}]}, {"device_traces": [[{"action": "alloc", "size": 1 << 80}]]},
]  # fmt: skip


@pytest.mark.parametrize("content", ODD)
def test_odd_contents_never_raise(tmp_path: Path, content: Any) -> None:
    assert read_profile(write(tmp_path, content)).memory is not None


@pytest.mark.parametrize("time", [-1, 0, 1 << 50, 1 << 62, 1 << 70])
def test_a_time_far_from_all_others_does_not_hide_them(tmp_path: Path, time: int) -> None:
    trace = [*SNAPSHOT["device_traces"][0][:-1], entry("alloc", 5, MB, 0, time_us=time)]
    memory = read_profile(write(tmp_path, {**SNAPSHOT, "device_traces": [trace]})).memory
    assert memory.curve is not None
    assert (memory.curve.time.min(), memory.curve.time.max()) == (0, 40_000)


def test_other_pickles_are_no_profiles(tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(pickle.dumps({"weights": [1, 2]}))
    assert not list(find_profiles(tmp_path))
    with pytest.raises(FormatError, match="has no segments"):
        read_profile(write(tmp_path, ["segments"]))


@pytest.mark.gpu
@pytest.mark.framework
def test_a_history_of_torch(tmp_path: Path) -> None:
    import torch

    from mindscope.torch import Profiler

    with Profiler(output_path=tmp_path, memory_history=10_000) as profiler:
        kept = [torch.ones(1 << 20, device="cuda") for _ in range(8)]
        del kept[::2]
        torch.cuda.synchronize()
    profile = read_profile(profiler.files[1])
    assert profile.memory.curve.allocated[-1] == torch.cuda.memory_allocated()
    blocks = profile.memory.blocks
    assert blocks is not None
    assert int((blocks.size == 4 << 20).sum()) == 8
    assert any("test_memory_snapshot.py" in stack for stack in blocks.stack or ())
