# SPDX-License-Identifier: Apache-2.0
"""The cache changes nothing but the work: whatever happened to it, a catalog says what the logs say."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.ingest import Catalog
from mindscope.ingest import backlog as backlog_module
from mindscope.ingest import load as load_module
from mindscope.ingest import saver as saver_module
from mindscope.store import RunCache, RunStore
from mindscope.store import index as index_module
from mindscope.store.caches import clear_caches, drop_caches, list_caches
from mindscope.types import Kind
from tests.event_log import (
    DATA,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    content,
    event,
    histogram,
    scalars,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
    visible_steps,
)

OLDER, NEWER = MINDSPORE_NAME.format(1), MINDSPORE_NAME.format(2)


@contextmanager
def sealing_at_once() -> Iterator[None]:
    """Every read of a run that changed it is followed by sealing it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_module, "SEALED_EVERY_S", 0.0)
        yield


@contextmanager
def opened(base: Path, workspace: Path, **more: Any) -> Iterator[Catalog]:
    catalog = Catalog(base, workspace, **more)
    try:
        catalog.refresh()
        catalog.settle()
        yield catalog
    finally:
        catalog.close()


def contents(catalog: Catalog) -> dict[str, Any]:
    return {id: content(store) for id, store in catalog.runs.items()}


def fresh(base: Path) -> dict[str, Any]:
    catalog = Catalog(base)
    catalog.refresh()
    return contents(catalog)


def write_logs(base: Path) -> None:
    """A run that was restarted, with values of other kinds and a damaged record, and one of TensorBoard's."""
    old, new, other = base / "a" / OLDER, base / "a" / NEWER, base / "b" / TENSORBOARD_NAME.format(3)
    for path in (old, new, other):
        path.parent.mkdir(parents=True, exist_ok=True)
    damaged = bytearray(scalars(9, {"loss": 1.0}))
    damaged[-6] ^= 1
    append(old, version() + steps(range(8)) + bytes(damaged) + event(8, histogram("weights", [1, 2])))
    append(new, version() + steps(range(4, 12), first_value=100.0) + scalars(3, {"mindscope/dropped": 7.0, "é": 0.5}))
    metadata = {"plugin_data": {"plugin_name": "text"}}
    note = {"tag": "note", "tensor": {"dtype": 7, "string_val": [b"hello"]}}
    append(other, tensorboard_version() + tensorboard_event(1, {"tag": "loss", "simple_value": 1.0}))
    append(other, tensorboard_event(2, note | {"metadata": metadata}) + tensorboard_event(3, note))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    write_logs(tmp_path / "base")
    return tmp_path / "base"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def cache_files(workspace: Path) -> list[Path]:
    return sorted(path for path in workspace.glob("cache/*/*") if path.name != "lock")


def test_the_second_start_reads_nothing(base: Path, workspace: Path) -> None:
    with opened(base, workspace) as catalog:
        assert catalog.scanned_bytes == sum(path.stat().st_size for path in base.glob("*/*"))
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
        assert catalog.scanned_bytes == 0
        assert catalog.run("a").dropped == 7


def test_a_start_reads_only_what_grew(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    grown = steps([12, 13])
    append(base / "a" / NEWER, grown)
    with opened(base, workspace) as catalog:
        assert catalog.scanned_bytes == len(grown)
        assert contents(catalog) == fresh(base)


def test_the_list_is_there_before_the_series(base: Path, workspace: Path) -> None:
    with opened(base, workspace) as catalog:
        want = [(store.tag_counts(), store.dropped, store.files) for store in catalog.runs.values()]
    with opened(base, workspace) as catalog:
        for path in cache_files(workspace):
            path.unlink()  # none of them is needed for that
        assert [(store.tag_counts(), store.dropped, store.files) for store in catalog.runs.values()] == want


def test_kinds_are_remembered(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    note = {"tag": "note", "tensor": {"dtype": 7, "string_val": [b"again"]}}
    append(base / "b" / TENSORBOARD_NAME.format(3), tensorboard_event(4, note))
    with opened(base, workspace) as catalog:
        series = catalog.run("b").references(Kind.TEXT, "note")
        assert series is not None
        assert series.visible().step.tolist() == [2, 3, 4]


STREAM = b"".join(
    [version(), *(scalars(step, {"loss": step, "acc": -step}) for step in (*range(30), *range(20, 50)))]
    + [event(step, histogram("weights", [step, 1])) for step in range(5)]
)
ACTIONS = st.one_of(
    st.tuples(st.sampled_from([OLDER, NEWER]), st.integers(1, 900)),
    st.just("refresh"),
    st.just("restart"),
    st.just("kill"),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ACTIONS, max_size=20))
def test_rebuilt_incremental_and_reopened_are_equal(actions: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as path, sealing_at_once():
        base, workspace = Path(path) / "base", Path(path) / "workspace"
        (base / "run").mkdir(parents=True)
        written = {OLDER: 0, NEWER: 0}
        catalog = Catalog(base, workspace)
        for action in [*actions, "refresh"]:
            if action in ("restart", "kill"):
                if action == "kill" and catalog._cache is not None:
                    catalog._saver.stop()  # somewhere in its work
                    catalog._cache.close()  # the system lets go of the lock, and nothing more is saved
                else:
                    catalog.close()
                catalog = Catalog(base, workspace)
            elif action == "refresh":
                catalog.refresh()
            else:
                name, count = action
                append(base / "run" / name, STREAM[written[name] : written[name] + count])
                written[name] += count
        assert contents(catalog) == fresh(base)
        catalog.close()
        with opened(base, workspace) as reopened:
            assert contents(reopened) == fresh(base)
            assert reopened.scanned_bytes == 0 or reopened.scanned_bytes < len(STREAM)


def test_curves_are_readable_before_the_cache_is_written(base: Path, workspace: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saver_module, "DELAY_S", 3600.0)
        catalog = Catalog(base, workspace)
        catalog.refresh()
        want = contents(catalog)
        assert want == fresh(base)
        assert [path.name for path in cache_files(workspace)] == ["runs.index"]
        catalog.settle()
    assert [path.suffix for path in cache_files(workspace)].count(".chunk") == 4
    assert {store.unsealed_bytes for store in catalog.runs.values()} == {0}
    assert contents(catalog) == want
    catalog.close()


def test_what_waits_to_be_saved_is_bounded(tmp_path: Path, workspace: Path) -> None:
    for number in range(20):
        run = tmp_path / "base" / str(number)
        run.mkdir(parents=True)
        append(run / OLDER, version() + steps(range(300)))
    bound = 5 * 300 * 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saver_module, "DELAY_S", 3600.0)
        patch.setattr(backlog_module, "BACKLOG_BYTES", bound)
        with contextlib.closing(Catalog(tmp_path / "base", workspace)) as catalog:
            catalog.refresh()
            waiting = [store.unsealed_bytes for store in catalog.runs.values()]
            assert 0 < sum(waiting) <= bound + max(waiting) * (os.cpu_count() or 1)
            assert contents(catalog) == fresh(tmp_path / "base")


def test_a_run_that_cannot_be_saved_keeps_no_other_from_it(
    base: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = RunCache.save

    def fail_once(cache: RunCache, store: RunStore, *more: Any, **others: Any) -> None:
        if store.id == "a" and threading.current_thread() is not threading.main_thread():
            raise RuntimeError("no")
        save(cache, store, *more, **others)

    monkeypatch.setattr(RunCache, "save", fail_once)
    with opened(base, workspace) as catalog:
        assert [catalog.run(id).unsealed_bytes == 0 for id in ("a", "b")] == [False, True]
        assert contents(catalog) == fresh(base)


def test_real_logs_are_the_same_from_the_cache(workspace: Path) -> None:
    with opened(DATA, workspace) as catalog:
        want = contents(catalog)
    with opened(DATA, workspace) as catalog:
        assert contents(catalog) == want
        assert catalog.scanned_bytes == 0


def test_a_file_that_was_written_anew_meanwhile_is_read_anew(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    (base / "a" / NEWER).write_bytes(version() + steps([4, 5]))
    with opened(base, workspace) as catalog:
        assert visible_steps(catalog.run("a")) == [0, 1, 2, 3, 4, 5]
    with opened(base, workspace) as catalog:
        assert visible_steps(catalog.run("a")) == [0, 1, 2, 3, 4, 5]
        assert [str(damage.kind) for damage in catalog.run("a").damages] == ["payload_checksum", "shrunk"]
        assert catalog.scanned_bytes == 0


def test_a_file_and_a_run_that_went_meanwhile_are_gone(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    (base / "a" / NEWER).unlink()
    (base / "b" / TENSORBOARD_NAME.format(3)).unlink()
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
        assert list(catalog.runs) == ["a"]


def test_few_chunks_hold_a_run_that_grew_a_thousand_times(tmp_path: Path, workspace: Path) -> None:
    base = tmp_path / "base"
    (base / "run").mkdir(parents=True)
    append(base / "run" / OLDER, version())
    with sealing_at_once(), opened(base, workspace) as catalog:
        for step in range(1000):
            append(base / "run" / OLDER, steps([step]))
            catalog.refresh()
            catalog.settle()
        assert len(catalog.run("run").chunks) <= 8
        assert len(list(workspace.glob("cache/*/*.chunk"))) <= 8
        assert visible_steps(catalog.run("run")) == list(range(1000))


def flip(path: Path) -> None:
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    path.write_bytes(bytes(damaged))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("damage", [flip, cut, empty, Path.unlink])
def test_a_damaged_file_of_the_cache_is_not_believed(
    base: Path, workspace: Path, damage: Callable[[Path], None], number: int
) -> None:
    with opened(base, workspace):
        pass
    files = cache_files(workspace)
    assert len(files) == 5  # the index; scalars and references of both runs
    damage(files[number])
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
        damage(files[number]) if files[number].exists() else None  # a viewer is looking meanwhile
        assert contents(catalog) == fresh(base)
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)


def test_any_bit_of_the_index_may_flip(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    (index,) = workspace.glob("cache/*/runs.index")
    whole, want = index.read_bytes(), fresh(base)
    for place in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        index.write_bytes(bytes(damaged))
        with opened(base, workspace) as catalog:
            assert contents(catalog) == want


def test_a_cache_of_another_format_is_not_believed(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "FORMAT", index_module.FORMAT + 1)
        with opened(base, workspace) as catalog:
            assert catalog.scanned_bytes > 0
            assert contents(catalog) == fresh(base)
        with opened(base, workspace) as catalog:
            assert catalog.scanned_bytes == 0
        assert len(cache_files(workspace)) == 5


def test_two_at_once_say_the_same_and_one_writes(base: Path, workspace: Path) -> None:
    with sealing_at_once(), opened(base, workspace) as first:
        with opened(base, workspace) as second:
            assert second.scanned_bytes == 0
            for step in range(12, 30):
                append(base / "a" / NEWER, steps([step]))
                first.refresh()
                first.settle()  # which deletes chunks that the second has not looked at yet
            second.refresh()
            assert contents(second) == contents(first) == fresh(base)
        before = cache_files(workspace)
        assert contents(first) == fresh(base)
        assert cache_files(workspace) == before
    with opened(base, workspace) as third:
        assert third.scanned_bytes == 0
        append(base / "a" / NEWER, steps([30]))
        third.refresh()
    with opened(base, workspace) as fourth:
        assert fourth.scanned_bytes == 0
        assert contents(fourth) == fresh(base)


KILLED = """
import os, signal, sys
from pathlib import Path
from mindscope.ingest import Catalog, backlog, load
load.SEALED_EVERY_S = 0.0
base, workspace, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
backlog.BACKLOG_BYTES = int(sys.argv[5])
rest = number

def watch(name, details):
    global rest
    if name in ("open", "os.rename", "os.remove") and str(workspace) in str(details[0]):
        rest -= 1
        if rest < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
catalog = Catalog(base, workspace)
for part in range(3):
    with (base / "a" / sys.argv[4]).open("ab") as file:
        file.write((base / f"part.{part}").read_bytes())
    catalog.refresh()
    catalog.settle()
catalog.close()
"""


@pytest.mark.parametrize("backlog", [0, 1 << 30], ids=["while reading", "behind"])
def test_killed_at_any_step_of_sealing(tmp_path: Path, backlog: int) -> None:
    """The process is killed at the first, second, ... time it touches a file of the cache, until it gets through."""
    number, outcome = 0, -signal.SIGKILL
    while outcome == -signal.SIGKILL:
        base, workspace = tmp_path / str(number) / "base", tmp_path / str(number) / "workspace"
        write_logs(base)
        for part in range(3):
            (base / f"part.{part}").write_bytes(steps(range(12 + 4 * part, 16 + 4 * part), first_value=7.0))
        arguments = [sys.executable, "-c", KILLED, str(base), str(workspace), str(number), NEWER, str(backlog)]
        outcome = subprocess.run(arguments, env=os.environ | {"PYTHONWARNINGS": "ignore"}).returncode
        with opened(base, workspace) as catalog:
            assert contents(catalog) == fresh(base), number
        with opened(base, workspace) as catalog:
            assert contents(catalog) == fresh(base), number
            assert catalog.scanned_bytes == 0
        number += 3
    assert outcome == 0
    assert number > 20


def test_the_bound_is_respected_and_the_rest_stays_in_memory(base: Path, workspace: Path) -> None:
    bound = 3000
    with opened(base, workspace, cache_bytes=bound) as catalog:
        assert contents(catalog) == fresh(base)
    assert sum(path.stat().st_size for path in cache_files(workspace)) <= bound
    with opened(base, workspace, cache_bytes=0) as catalog:
        assert catalog.scanned_bytes > 0
        assert contents(catalog) == fresh(base)


def test_the_cache_that_was_not_used_for_longest_makes_room(base: Path, tmp_path: Path, workspace: Path) -> None:
    others = [tmp_path / name for name in ("first", "second")]
    for age, other in enumerate(others):
        write_logs(other)
        with opened(other, workspace):
            pass
        os.utime(list_caches(workspace)[0].folder / "runs.index", (100 + age, 100 + age))
    sizes = {entry.base: entry.size_bytes for entry in list_caches(workspace)}
    bound = sum(sizes.values()) + 100
    with opened(base, workspace, cache_bytes=bound):
        pass
    assert {entry.base for entry in list_caches(workspace)} == {str(base), str(others[1])}
    assert sum(entry.size_bytes for entry in list_caches(workspace)) <= bound


def test_clearing_spares_what_is_being_written(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        assert clear_caches(workspace) == []
        assert drop_caches(workspace, workspace, 0) > 0
        (entry,) = list_caches(workspace)
        assert (entry.base, entry.is_in_use) == (str(base), True)
    assert [entry.base for entry in clear_caches(workspace)] == [str(base)]
    assert list_caches(workspace) == []


def test_without_a_place_to_write_everything_is_in_memory(base: Path, workspace: Path) -> None:
    workspace.mkdir()
    (workspace / "cache").write_bytes(b"no folder")
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
        append(base / "a" / NEWER, steps([20]))
        catalog.refresh()
        assert contents(catalog) == fresh(base)


def test_a_cache_that_is_deleted_under_a_viewer_costs_nothing_but_work(base: Path, workspace: Path) -> None:
    with sealing_at_once(), opened(base, workspace) as catalog:
        shutil.rmtree(workspace)
        append(base / "a" / NEWER, steps([20]))
        catalog.refresh()
        catalog.settle()
        assert contents(catalog) == fresh(base)
        append(base / "a" / NEWER, steps([21]))
        catalog.refresh()
        assert contents(catalog) == fresh(base)


def test_runs_that_are_read_at_once_are_the_same_as_one_by_one(tmp_path: Path, workspace: Path) -> None:
    base = tmp_path / "base"
    for number in range(40):
        write_logs(base / str(number))
    with opened(base, workspace) as catalog:
        want = fresh(base / "0")
        for number in range(40):
            assert {id: content(catalog.run(f"{number}/{id}")) for id in want} == want
