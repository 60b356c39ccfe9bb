# SPDX-License-Identifier: Apache-2.0
"""What is noticed without notifications, and how seldom old files are looked at."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mindscope.ingest import Catalog
from mindscope.ingest.poll_schedule import LOOKS_PER_S, PollSchedule
from tests.event_log import MINDSPORE_NAME, append, steps, version, visible_steps

from .audited import listed_directories

NAME = MINDSPORE_NAME.format(1)
DEADLINE_S = 30.0
DAY_S = 86_400.0


def write_old_run(base: Path, id: str) -> Path:
    """A run that ended long ago."""
    path = base / id / NAME
    path.parent.mkdir(parents=True)
    append(path, version() + steps([0]))
    for each in (path, path.parent):
        os.utime(each, (1_700_000_000, 1_700_000_000))
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "base"
    for number in range(3):
        write_old_run(base, f"run_{number}")
    return base


def poll_until(catalog: Catalog, is_so: Callable[[], bool]) -> frozenset[str]:
    """Poll until something is so; returns the ids of the runs that changed."""
    deadline, changed = time.monotonic() + DEADLINE_S, set[str]()
    while not is_so():
        changed |= catalog.poll()
        assert time.monotonic() < deadline, "polling never noticed"
    return frozenset(changed)


def polled(base: Path) -> Catalog:
    catalog = Catalog(base)
    assert catalog.poll() == catalog.runs.keys()  # the first one is a refresh
    return catalog


def test_points_of_a_finished_run_are_noticed(base: Path) -> None:
    catalog = polled(base)
    append(base / "run_1" / NAME, steps([1]))
    assert poll_until(catalog, lambda: visible_steps(catalog.run("run_1")) == [0, 1]) == {"run_1"}


def test_runs_that_come_and_go_are_noticed(base: Path) -> None:
    catalog = polled(base)
    write_old_run(base, "group/new")
    assert "group/new" in poll_until(catalog, lambda: "group/new" in catalog.runs)
    shutil.rmtree(base / "run_2")
    assert "run_2" in poll_until(catalog, lambda: "run_2" not in catalog.runs)


def test_a_file_that_goes_is_noticed(base: Path) -> None:
    append(base / "run_0" / MINDSPORE_NAME.format(2), version() + steps([7]))
    catalog = polled(base)
    (base / "run_0" / NAME).unlink()
    assert poll_until(catalog, lambda: visible_steps(catalog.run("run_0")) == [7]) == {"run_0"}


def test_settings_and_graph_files_are_noticed(base: Path) -> None:
    settings, graph = base / "run_0" / "params.json", base / "run_1" / "model.pb"
    settings.write_text("{}")
    graph.write_bytes(b"\x0a\x00")
    catalog = polled(base)
    states = catalog.run("run_0").settings, catalog.run("run_1").version
    settings.write_text('{"a": 1}')
    assert poll_until(catalog, lambda: catalog.run("run_0").settings != states[0]) == {"run_0"}
    graph.write_bytes(b"\x0a\x01\x00")
    poll_until(catalog, lambda: catalog.run("run_1").version != states[1])


def test_what_was_unreadable_is_tried_again(base: Path) -> None:
    link, target = base / "run_0" / MINDSPORE_NAME.format(2), base / "later"
    link.symlink_to(target)
    catalog = polled(base)
    assert [each.reason.code for each in catalog.unreadable] == ["dangling_symlink"]
    append(target, version() + steps([5]))
    poll_until(catalog, lambda: not catalog.unreadable)
    assert 5 in visible_steps(catalog.run("run_0"))


def test_a_base_that_comes_later_is_noticed(tmp_path: Path) -> None:
    catalog = polled(tmp_path / "base")
    write_old_run(tmp_path / "base", "run")
    assert poll_until(catalog, lambda: "run" in catalog.runs) == {"run"}


def test_checkpoints_beside_a_log_cause_no_discovery(base: Path) -> None:
    catalog = polled(base)
    (base / "run_0" / "step_100.ckpt").write_bytes(b"weights")
    looked = set[str]()
    with listed_directories() as listed:
        while not looked >= {str(base / "run_0")}:
            assert catalog.poll() == frozenset()
            looked |= set(listed)
    assert str(base / "run_1") not in looked


def test_a_refresh_that_failed_is_repeated(base: Path) -> None:
    catalog = Catalog(base)
    with pytest.raises(RuntimeError):
        catalog.refresh(on_change=raise_error)
    catalog.poll()
    assert visible_steps(catalog.run("run_0")) == [0]


def raise_error(_: frozenset[str]) -> None:
    raise RuntimeError


def looks(schedule: PollSchedule, ages_s: dict[str, float], seconds: int) -> list[list[str]]:
    """The paths that are looked at in each second, while nothing changes."""
    found: list[list[str]] = []
    for now in range(seconds):
        found.append(schedule.due(now))
        for path in found[-1]:
            schedule.looked(path, ages_s[path] + now, now)
    return found


def test_looks_at_many_old_paths_are_few_and_reach_all() -> None:
    ages_s = dict.fromkeys(map(str, range(20_000)), DAY_S)
    schedule = PollSchedule()
    schedule.set_paths(ages_s, frozenset(), 0.0)
    found = looks(schedule, ages_s, 600)
    assert max(map(len, found)) < 2 * LOOKS_PER_S
    assert sum(map(len, found)) <= 600 * LOOKS_PER_S * 1.1
    assert {path for paths in found[:202] for path in paths} == ages_s.keys()


def test_a_live_file_is_looked_at_each_time_among_many_old_ones() -> None:
    ages_s = dict.fromkeys(map(str, range(20_000)), DAY_S) | {"live": 0.0}
    schedule = PollSchedule()
    schedule.set_paths(ages_s, frozenset(), 0.0)
    found = looks(schedule, ages_s, 10)
    assert all("live" in paths for paths in found)
    later = looks(schedule, ages_s | {"live": 600.0}, 120)
    assert 1 <= sum("live" in paths for paths in later) <= 3


def test_a_directory_of_runs_is_looked_at_more_often_than_old_runs() -> None:
    ages_s = dict.fromkeys(map(str, range(20_000)), DAY_S) | {"base": DAY_S}
    schedule = PollSchedule()
    schedule.set_paths(ages_s, frozenset({"base"}), 0.0)
    assert all("base" in paths for paths in looks(schedule, ages_s, 30)[1:])


def test_another_discovery_keeps_the_times() -> None:
    ages_s = dict.fromkeys(map(str, range(1000)), DAY_S)
    schedule = PollSchedule()
    schedule.set_paths(ages_s, frozenset(), 0.0)
    first = [schedule.due(second) for second in range(3)]
    for path in (path for paths in first for path in paths):
        schedule.looked(path, DAY_S, 3.0)
    del ages_s["7"]
    schedule.set_paths(ages_s, frozenset(), 3.0)
    rest = [schedule.due(second) for second in range(3, 30)]
    assert set(rest[0]).isdisjoint(path for paths in first for path in paths)
    assert {path for paths in rest for path in paths} == ages_s.keys()
