# SPDX-License-Identifier: Apache-2.0
"""Packed runs in the viewer, and a pack that Ctrl-C ends."""

from __future__ import annotations

from typing import Any

import httpx
import numpy as np

from mindscope import SummaryRecord
from tests.server.live_viewer import eventually

from .conftest import CommandLine


def ask(port: str, address: str) -> Any:
    return httpx.get(f"http://127.0.0.1:{port}{address}", timeout=60).raise_for_status().json()


def record(mindscope: CommandLine) -> None:
    with SummaryRecord(str(mindscope.room / "runs" / "first")) as recorder:
        for step in range(5):
            recorder.add_value("scalar", "loss", 1.0 / (1 + step))
            recorder.add_value("tensor", "weights", np.arange(6.0).reshape(2, 3) + step)
            recorder.record(step)
    (mindscope.room / "runs" / "first" / "config.yaml").write_text("lr: 0.5\n")


def test_the_viewer_shows_an_archive_and_reads_it_again(mindscope: CommandLine, port: str) -> None:
    record(mindscope)
    cache = mindscope.room / "cache"
    assert "packed 1 run of 2 files" in mindscope("pack", "runs", "--out", "x.mscope").stdout
    for _ in range(2):  # the second time from the cache
        started = mindscope("start", "x.mscope", "--port", port, XDG_CACHE_HOME=str(cache))
        assert "x.mscope" in started.stdout
        runs = eventually(lambda: ask(port, "/api/runs")["runs"])
        assert [run["id"] for run in runs] == ["first"]
        assert ask(port, "/api/server")["base_dir"] == str(mindscope.room / "x.mscope")
        values = ask(port, "/api/values?run=first&kind=tensor&tag=weights")
        assert values["step"] == [0, 1, 2, 3, 4]
        mindscope("stop", "--port", port)
    mindscope("start", "x.mscope/first", "--port", port, XDG_CACHE_HOME=str(cache))
    assert [run["id"] for run in eventually(lambda: ask(port, "/api/runs")["runs"])] == ["."]
    mindscope("stop", "--port", port)
    (copied,) = (cache / "mindscope" / "archives").rglob("config.yaml")
    assert copied.read_text() == "lr: 0.5\n"


def test_start_refuses_archives_that_it_cant_show(mindscope: CommandLine, port: str) -> None:
    record(mindscope)
    mindscope("pack", "runs", "--out", "x.mscope")
    assert "has no directory 'nope'" in mindscope("start", "x.mscope/nope", "--port", port, want=1).stderr
    refused = mindscope("start", "x.mscope", "--allow-delete", "--port", port, want=1)
    assert "leave out --allow-delete" in refused.stderr
    archive = mindscope.room / "x.mscope"
    archive.write_bytes(archive.read_bytes()[:-40])
    assert "x.mscope has no index at its end" in mindscope("start", "x.mscope", "--port", port, want=1).stderr
    assert "x.mscope has no index at its end" in mindscope("inspect", "x.mscope", want=1).stderr


def test_targets_that_cant_be_written_are_named(mindscope: CommandLine) -> None:
    record(mindscope)
    (mindscope.room / "file").write_text("")
    assert "missing is no directory" in mindscope("pack", "runs", "--out", "missing/x.mscope", want=1).stderr
    wrong = mindscope("export", "runs", "--out", "x", "--format", "xlsx", want=2)
    assert "--format is 'xlsx', want one of csv, parquet, tensorboard" in wrong.stderr
    assert "'file/first': Not a directory" in mindscope("export", "runs", "--out", "file", want=1).stderr
