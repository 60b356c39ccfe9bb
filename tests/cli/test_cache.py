# SPDX-License-Identifier: Apache-2.0
"""What ``mindscope cache`` says and deletes, and that a viewer uses what the one before it left."""

from __future__ import annotations

from pathlib import Path

from tests.event_log import MINDSPORE_NAME, append, steps, version

from .conftest import CommandLine
from .test_start_stop import ask


def write_run(room: Path) -> None:
    run = room / "runs" / "a"
    run.mkdir(parents=True)
    append(run / MINDSPORE_NAME.format(1), version() + steps(range(100)))


def test_an_empty_workspace_has_no_cache(mindscope: CommandLine):
    assert mindscope("cache", "--workspace", "w").stdout.startswith("       0.0 MB  of at most 10,737.4 MB")


def test_a_viewer_leaves_a_cache_that_is_shown_and_cleared(mindscope: CommandLine, port: str):
    write_run(mindscope.room)
    places = ("--summary-base-dir", "runs", "--workspace", "w")
    mindscope("start", "--port", port, "--reload-interval", "0", *places)
    assert ask(port)["base_dir"] == str(mindscope.room / "runs")
    mindscope("stop", "--port", port)
    (line, total) = mindscope("cache", "--workspace", "w").stdout.splitlines()
    assert line.endswith(str(mindscope.room / "runs"))
    assert total.endswith(str(mindscope.room / "w"))
    (chunk,) = (mindscope.room / "w").glob("cache/*/*.chunk")
    assert chunk.stat().st_size == 100 * 20
    cleared = mindscope("cache", "--clear", "--workspace", "w").stdout.splitlines()
    assert cleared[0].startswith("deleted ")
    assert cleared[1].startswith("       0.0 MB  of at most")
    assert not chunk.exists()
