# SPDX-License-Identifier: Apache-2.0
"""The watcher's thread: it notices what happens, tells its listeners, and ends."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import active_count

import pytest

from mindscope.ingest import Catalog, Watcher
from tests.event_log import MINDSPORE_NAME, append, steps, version, visible_steps

NAME = MINDSPORE_NAME.format(1)
DEADLINE_S = 30.0
NEVER_S = 3600.0


@contextmanager
def watching(base: Path, reload_interval: float) -> Iterator[tuple[Catalog, Queue[frozenset[str]]]]:
    catalog = Catalog(base)
    heard: Queue[frozenset[str]] = Queue()
    watcher = Watcher(catalog, reload_interval)
    watcher.add_listener(heard.put)
    watcher.start()
    try:
        yield catalog, heard
    finally:
        watcher.stop()


def wait_until(is_so: Callable[[], bool], heard: Queue[frozenset[str]]) -> None:
    """Wait for ``is_so``, looking again at whatever the watcher tells."""
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        heard.get(timeout=max(deadline - time.monotonic(), 0.001))


def steps_of(catalog: Catalog, id: str) -> list[int]:
    store = catalog.runs.get(id)
    return [] if store is None else visible_steps(store)


def write_run(base: Path, id: str) -> Path:
    (base / id).mkdir(parents=True)
    append(base / id / NAME, version() + steps([0]))
    return base / id / NAME


@pytest.mark.parametrize("reload_interval", [0.05, NEVER_S], ids=["by polling too", "by notification alone"])
def test_points_files_and_runs_appear(tmp_path: Path, reload_interval: float) -> None:
    path = write_run(tmp_path, "run")
    with watching(tmp_path, reload_interval) as (catalog, heard):
        wait_until(lambda: steps_of(catalog, "run") == [0], heard)
        begin_to_notify(tmp_path / "begin" / NAME, catalog, heard)
        append(path, steps([1]))
        wait_until(lambda: steps_of(catalog, "run") == [0, 1], heard)
        append(tmp_path / "run" / MINDSPORE_NAME.format(2), version() + steps([2]))
        wait_until(lambda: steps_of(catalog, "run") == [0, 1, 2], heard)
        write_run(tmp_path, "new/deep")
        append(tmp_path / "new" / "deep" / NAME, steps([3]))
        wait_until(lambda: 3 in steps_of(catalog, "new/deep"), heard)
        (tmp_path / "run" / NAME).unlink()
        wait_until(lambda: steps_of(catalog, "run") == [2], heard)


def contents_of(catalog: Catalog, id: str) -> list[tuple[str, int]]:
    store = catalog.runs.get(id)
    return [] if store is None else [(each.kind.value, each.count) for each in store.contents]


def test_profiles_appear_and_grow_by_notification(tmp_path: Path) -> None:
    trace, output = tmp_path / "run" / "a.pt.trace.json", tmp_path / "run" / "b_ascend_ms" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "kernel_details.csv").write_text("Name")
    with watching(tmp_path, NEVER_S) as (catalog, heard):
        wait_until(lambda: contents_of(catalog, "run") == [("ascend_profile", 1)], heard)
        begin_to_notify(tmp_path / "begin" / NAME, catalog, heard)
        trace.write_text("{")
        wait_until(lambda: contents_of(catalog, "run") == [("ascend_profile", 1), ("torch_profile", 1)], heard)
        wait_until_heard(lambda number: append(trace, b" " * number), "run", heard)
        wait_until_heard(lambda number: append(output / "kernel_details.csv", b" " * number), "run", heard)
        (tmp_path / "other").write_text("[]")
        wait_until_heard(lambda _: (tmp_path / "other").replace(trace), "run", heard)


def wait_until_heard(change: Callable[[int], object], id: str, heard: Queue[frozenset[str]]) -> None:
    """Change something once the news of earlier changes have come, until the watcher tells of it."""
    with suppress(Empty):
        while True:
            heard.get(timeout=0.3)
    change(1)
    while id not in heard.get(timeout=DEADLINE_S):
        pass


def test_a_link_out_of_the_base_is_not_followed_by_the_watch(tmp_path: Path) -> None:
    """Who watches a data set of a million files beside the logs answers nobody meanwhile."""
    base, outside = tmp_path / "logs", tmp_path / "outside"
    for number in range(50):
        (outside / str(number)).mkdir(parents=True)
    path = write_run(base, "run")
    (base / "run" / "data").symlink_to(outside)
    before = watches()
    with watching(base, NEVER_S) as (catalog, heard):
        wait_until(lambda: steps_of(catalog, "run") == [0], heard)
        begin_to_notify(base / "begin" / NAME, catalog, heard)
        assert watches() - before <= len(catalog.directories) == 3
        append(path, steps([1]))
        wait_until(lambda: steps_of(catalog, "run") == [0, 1], heard)
        append(write_run(base, "new/deep"), steps([3]))
        wait_until(lambda: 3 in steps_of(catalog, "new/deep"), heard)
        shutil.rmtree(base / "new")
        wait_until(lambda: "new/deep" not in catalog.runs, heard)


def watches() -> int:
    """How many places this process watches."""
    count = 0
    for info in Path("/proc/self/fdinfo").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            count += info.read_text("utf-8").count("inotify wd:")
    return count


def begin_to_notify(path: Path, catalog: Catalog, heard: Queue[frozenset[str]]) -> None:
    """Write to a run of its own until the watcher is known to notice: it starts in its own time."""
    path.parent.mkdir()
    path.write_bytes(version())
    deadline = time.monotonic() + DEADLINE_S
    number = 0
    while not steps_of(catalog, path.parent.name):
        assert time.monotonic() < deadline, "the watcher never noticed"
        append(path, steps([number]))
        number += 1
        with suppress(Empty):
            heard.get(timeout=0.1)


def test_listeners_hear_the_ids(tmp_path: Path) -> None:
    write_run(tmp_path, "run")
    with watching(tmp_path, NEVER_S) as (_, heard):
        assert heard.get(timeout=DEADLINE_S) == {"run"}


def test_an_interval_of_0_loads_once(tmp_path: Path) -> None:
    path = write_run(tmp_path, "run")
    catalog = Catalog(tmp_path)
    watcher = Watcher(catalog, 0)
    watcher.start()
    watcher._thread.join(DEADLINE_S)
    assert not watcher._thread.is_alive()
    append(path, steps([1]))
    assert steps_of(catalog, "run") == [0]
    watcher.stop()


def test_a_base_that_comes_later_is_watched(tmp_path: Path) -> None:
    with watching(tmp_path / "later", 0.05) as (catalog, heard):
        write_run(tmp_path / "later", "run")
        wait_until(lambda: steps_of(catalog, "run") == [0], heard)


def test_where_files_can_not_be_watched_the_interval_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr("watchfiles.watch", refuse)
    path = write_run(tmp_path, "run")
    with watching(tmp_path, 0.05) as (catalog, heard):
        wait_until(lambda: steps_of(catalog, "run") == [0], heard)
        append(path, steps([1]))
        wait_until(lambda: steps_of(catalog, "run") == [0, 1], heard)


def test_a_listener_that_fails_stops_nothing(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    watcher = Watcher(catalog, 0.05)
    heard: Queue[frozenset[str]] = Queue()

    def fail(_: frozenset[str]) -> None:
        raise RuntimeError("listener")

    watcher.add_listener(fail)
    watcher.add_listener(heard.put)
    write_run(tmp_path, "a")
    watcher.start()
    assert heard.get(timeout=DEADLINE_S) == {"a"}
    path = write_run(tmp_path, "b")
    wait_until(lambda: steps_of(catalog, "b") == [0], heard)
    append(path, steps([1]))
    wait_until(lambda: steps_of(catalog, "b") == [0, 1], heard)
    watcher.stop()


@pytest.mark.parametrize("reload_interval", [0, 0.05, NEVER_S])
def test_stopping_ends_the_thread_and_may_be_repeated(tmp_path: Path, reload_interval: float) -> None:
    before = active_count()
    watcher = Watcher(Catalog(tmp_path), reload_interval)
    watcher.start()
    watcher.stop()
    watcher.stop()
    assert active_count() == before
