# SPDX-License-Identifier: Apache-2.0
"""Thousands of runs in one base directory: all are listed, and those that are quiet cost nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindscope.ingest import Catalog
from tests.event_log import MINDSPORE_NAME, append, steps, version, visible_steps
from tests.server.live_viewer import eventually, running_viewer

from .counting import counted

pytestmark = pytest.mark.scale

NAME = MINDSPORE_NAME.format(1)
LONG_AGO_NS = 10**18


def write_runs(base: Path, count: int, records: int) -> None:
    """Runs of so many steps each, in directories that changed long ago."""
    content = version() + steps(range(records))
    for number in range(count):
        run = base / f"run_{number}"
        run.mkdir()
        append(run / NAME, content)
        os.utime(run, ns=(LONG_AGO_NS, LONG_AGO_NS))
    os.utime(base, ns=(LONG_AGO_NS, LONG_AGO_NS))


@pytest.fixture(scope="module")
def ten_thousand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.mktemp("ten_thousand")
    write_runs(base, 10_000, records=3)
    yield base
    shutil.rmtree(base)


def test_ten_thousand_runs_are_served(ten_thousand: Path, tmp_path: Path) -> None:
    with running_viewer(ten_thousand, tmp_path, "--reload-interval", "0") as viewer:
        last = eventually(lambda: viewer.tags("run_9999"))
        assert last["loss"]["points"] == 3
        runs = eventually(lambda: (got := viewer.runs()) and all(run["tags"] for run in got.values()) and got)
        assert list(runs) == [f"run_{number}" for number in range(10_000)]
        assert {(run["files"], run["last_step"], run["damages"]) for run in runs.values()} == {(1, 2, 0)}
        tags = viewer.tags(*runs)
        assert list(tags) == ["loss"]
        assert tags["loss"]["points"] == 30_000
        assert tags["loss"]["runs"] == list(range(10_000))
        curves = viewer.curves(*((run, "loss") for run in runs))
        assert {curve["points"] for curve in curves.header["series"]} == {3}


def test_ten_thousand_files_are_opened_once(ten_thousand: Path) -> None:
    catalog = Catalog(ten_thousand)
    with counted(ten_thousand) as first:
        assert len(catalog.refresh()) == 10_000
    assert sorted(first.opened) == sorted(str(path) for path in ten_thousand.glob(f"*/{NAME}"))
    assert sorted(first.listed) == sorted([str(ten_thousand), *map(str, ten_thousand.iterdir())])
    with counted(ten_thousand) as again:
        assert catalog.refresh() == frozenset()
    assert again.opened == again.listed == []
    assert again.looks <= 1 + 2 * 10_000, "one at each directory and one at each file"


def test_a_thousand_quiet_runs_cost_nothing_beside_a_growing_one(tmp_path: Path) -> None:
    write_runs(tmp_path, 1000, records=2000)
    catalog = Catalog(tmp_path)
    catalog.refresh()
    growing = tmp_path / "run_500" / NAME
    added = steps([2000])
    append(growing, added)
    with counted(tmp_path) as work:
        assert catalog.refresh({str(growing)}) == {"run_500"}
    assert visible_steps(catalog.run("run_500"))[-1] == 2000
    assert set(work.opened) == {str(growing)}
    assert work.listed == []
    assert work.looks <= 4
    assert work.bytes_read < 10_000, f"{len(added)} bytes are new, all files hold {1000 * growing.stat().st_size}"
    append(growing, steps([2001]))
    with counted(tmp_path) as work:
        assert catalog.refresh() == {"run_500"}, "the same when all are looked at"
    assert set(work.opened) == {str(growing)}
    assert work.listed == []
    assert work.bytes_read < 10_000
