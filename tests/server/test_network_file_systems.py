# SPDX-License-Identifier: Apache-2.0
"""A viewer on a client of a network file system: old sizes, another clock, no notifications."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer
from .viewer_process import Start, ViewerCommand

ATTRIBUTES_S = 1.5


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("shim") / "attribute_cache.so"
    source = Path(__file__).with_name("attribute_cache.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


def test_the_shim_delays_sizes_and_shifts_times(shim: Path, tmp_path: Path) -> None:
    program = """
import os, sys
with open(sys.argv[1], "wb") as file:
    file.write(b"1")
first = os.stat(sys.argv[1])
with open(sys.argv[1], "ab") as file:
    file.write(b"23")
    print(first.st_size, os.stat(sys.argv[1]).st_size, os.fstat(file.fileno()).st_size, file.tell())
with os.scandir(os.path.dirname(sys.argv[1])) as entries:
    print([entry.stat().st_mtime_ns == first.st_mtime_ns for entry in entries])
print(first.st_mtime)
"""
    attributes = {"ATTRIBUTES_BELOW": str(tmp_path), "ATTRIBUTES_S": "60", "CLOCK_SKEW_S": "3600"}
    printed = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "log")], check=True, capture_output=True, text=True,
        env=os.environ | attributes | {"LD_PRELOAD": str(shim)},
    ).stdout.splitlines()  # fmt: skip
    assert printed[:2] == ["1 1 1 3", "[True]"]
    assert float(printed[2]) == pytest.approx((tmp_path / "log").stat().st_mtime + 3600, abs=60)


def steps(viewer: LiveViewer, run: str) -> list[int]:
    if run not in viewer.runs() or "loss" not in viewer.tags(run):
        return []
    return viewer.curves((run, "loss"), pixels=4000).column(0, "step").tolist()


@pytest.fixture(params=[0, 3600, -3600], ids=["same clock", "clock ahead", "clock behind"])
def base(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def viewer(base: Path, tmp_path: Path, shim: Path, request: pytest.FixtureRequest) -> Iterator[LiveViewer]:
    log = GrowingLog(base / "first")
    log.scalar(0, 0.0)
    skew = request.node.callspec.params["base"]
    attributes = {"ATTRIBUTES_BELOW": str(base), "ATTRIBUTES_S": str(ATTRIBUTES_S), "CLOCK_SKEW_S": str(skew)}
    start: Start = lambda arguments, environment: ViewerCommand(  # noqa: E731
        arguments, environment | attributes | {"LD_PRELOAD": str(shim)}
    )
    with running_viewer(base, tmp_path, "--reload-interval", "0.4", start=start) as viewer:
        yield viewer


def test_files_that_grow_appear_and_are_replaced(viewer: LiveViewer, base: Path) -> None:
    log = GrowingLog(base / "first")  # its second head is that of a program that began again
    late = GrowingLog(base / "deep" / "late")
    for step in range(1, 40):
        log.scalar(step, 0.5)
        late.scalar(step, 0.25)
    eventually(lambda: steps(viewer, "first") == list(range(40)))
    eventually(lambda: steps(viewer, "deep/late") == list(range(1, 40)))
    other = GrowingLog(base.parent / "other")
    for step in range(100, 103):
        other.scalar(step, 1.0)
    other.path.replace(late.path)
    eventually(lambda: steps(viewer, "deep/late") == [100, 101, 102])
    late.scalar(103, 1.0)
    eventually(lambda: steps(viewer, "deep/late") == [100, 101, 102, 103])
    (base / "first").rename(base / "renamed")
    eventually(lambda: steps(viewer, "renamed") == list(range(40)) and set(viewer.runs()) == {"renamed", "deep/late"})
