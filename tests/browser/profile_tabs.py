# SPDX-License-Identifier: Apache-2.0
"""A viewer with a profile for each tab of the page Profiling."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.profile.formats.test_memory_snapshot import MB, entry
from tests.profile.kineto_events import Events
from tests.server.live_viewer import LiveViewer, eventually, running_viewer
from tests.server.test_profile_steps import write as write_steps

SNAPSHOT, TRACE, OLD, ASCEND = "many.memory_snapshot.pickle", "b.pt.trace.json", "profiler", "host_1_ascend_ms"
BLOCKS = 130
"""More than a page of the list has."""


def write_snapshot(path: Path) -> None:
    """Blocks of growing sizes that stay alive."""
    trace: list[dict[str, Any]] = [entry("segment_alloc", 1 << 40, 2 * BLOCKS * BLOCKS * MB, 0)]
    blocks: list[dict[str, Any]] = []
    at = 1 << 40
    for place in range(BLOCKS):
        size = (place + 1) * MB
        frames = [
            {"filename": "/train/loop.py", "line": line, "name": name} for line, name in ((9, "keep"), (3, "train"))
        ]
        trace.append(entry("alloc", at, size, place * 1000 + 10, frames=frames))
        blocks.append({"address": at, "size": size, "state": "active_allocated"})
        at += size
    whole = 2 * BLOCKS * BLOCKS * MB
    segment = {"device": 0, "address": 1 << 40, "total_size": whole, "stream": 0, "blocks": blocks}
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [trace]}))


def training(rank: int, product: float, *layers: str) -> Events:
    """Three steps of a network whose layers multiply, then all ranks communicate."""
    events = Events()
    for step in range(3):
        begin = 100_000.0 * step
        events.step(step, begin, 90_000)
        events.add("python_function", "nn.Module: Net_0", begin + 100, 60_000)
        for place, layer in enumerate(layers):
            at = begin + 200 + place * 20_000
            events.add("python_function", f"nn.Module: {layer}", at, 15_000)
            events.op("aten::linear", at + 10, 12_000)
            events.op("aten::addmm", at + 100, product)
            events.launch(at + 200, 10, 100 * step + place + 1)
            events.kernel(f"gemm_{place}", at + 1000, product, 100 * step + place + 1)
        events.add("user_annotation", "gloo:all_reduce", begin + 70_000, 5_000 + 1000 * rank, tid=7)
    return events


def write_ascend(path: Path) -> None:
    output = path / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "l2_cache.csv").write_text("Stream Id,Hit Rate,Op Name\n1,0.9,MatMul\n1,0.8,Add\n")
    (output / "api_statistic.csv").write_text(
        "Device_id,Level,API Name,Time(us),Count\nhost,acl,aclrtMalloc,5.5,7\nhost,node,launch,9,3\n"
    )


def write_profiles(base: Path) -> None:
    """Runs of two ranks, and one with profiles of other formats."""
    for rank in range(2):
        (base / f"rank_{rank}").mkdir(parents=True)
        distributed = {"rank": rank, "world_size": 2}
        training(rank, 9_000, "Linear_0", "Linear_1").write(base / f"rank_{rank}" / TRACE, distributedInfo=distributed)
    (base / "other").mkdir()
    write_steps(base / "other")
    write_snapshot(base / "other" / SNAPSHOT)
    write_ascend(base / "other" / ASCEND)
    training(0, 5_000, "Linear_0").write(base / "other" / TRACE)


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("profiles")
    write_profiles(base)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len([run for run in live.runs().values() if run["contents"]]) == 3)
        yield live


def at(run: str, profile: str, tab: str, more: str = "") -> str:
    return f"/profile?runs=all&profile={quote(json.dumps([run, profile]))}&profile_tab={tab}{more}"
