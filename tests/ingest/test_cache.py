# SPDX-License-Identifier: Apache-2.0
"""The cache changes nothing but the work: whatever happened to it, a catalog says what the logs say."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.ingest import Catalog
from mindscope.ingest import cache_writer as writer_module
from mindscope.ingest import unsaved_bytes as unsaved_module
from mindscope.store import RunCache, RunStore
from mindscope.store import cache as cache_module
from mindscope.types import Kind
from tests.event_log import (
    DATA,
    TENSORBOARD_NAME,
    append,
    content,
    event,
    histogram,
    scalars,
    steps,
    tensorboard_event,
    version,
    visible_steps,
)

from .cached import NEWER, OLDER, cache_files, contents, fresh, opened, sealing_at_once, write_logs


def test_the_second_start_reads_nothing(base: Path, workspace: Path) -> None:
    with opened(base, workspace) as catalog:
        assert catalog.scanned_bytes == sum(path.stat().st_size for path in base.glob("*/*"))
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
        assert catalog.scanned_bytes == 0
        assert catalog.run("a").dropped == 7


def test_the_last_bytes_of_a_disk_are_left_to_others(
    base: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(base)._replace(free=cache_module.RESERVED_BYTES + 10)  # less than the smallest run takes
    monkeypatch.setattr(shutil, "disk_usage", lambda path: free)
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
    assert [path for path in cache_files(workspace) if path.suffix == ".chunk"] == []


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
                    catalog._cache_writer.stop()  # somewhere in its work
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
        patch.setattr(writer_module, "DELAY_S", 3600.0)
        catalog = Catalog(base, workspace)
        catalog.refresh()
        want = contents(catalog)
        assert want == fresh(base)
        assert [path.name for path in cache_files(workspace)] == ["runs.index"]
        catalog.wait_until_saved()
    assert [path.suffix for path in cache_files(workspace)].count(".chunk") == 4
    assert {store.unsaved_bytes for store in catalog.runs.values()} == {0}
    assert contents(catalog) == want
    catalog.close()


def test_what_waits_to_be_saved_is_bounded(tmp_path: Path, workspace: Path) -> None:
    for number in range(20):
        run = tmp_path / "base" / str(number)
        run.mkdir(parents=True)
        append(run / OLDER, version() + steps(range(300)))
    bound = 5 * 300 * 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer_module, "DELAY_S", 3600.0)
        patch.setattr(unsaved_module, "MAX_UNSAVED_BYTES", bound)
        with contextlib.closing(Catalog(tmp_path / "base", workspace)) as catalog:
            catalog.refresh()
            waiting = [store.unsaved_bytes for store in catalog.runs.values()]
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
        assert [catalog.run(id).unsaved_bytes == 0 for id in ("a", "b")] == [False, True]
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
    (base / "a" / NEWER).write_bytes(version() + steps([4, 5], begun=100.0))
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
            catalog.wait_until_saved()
        assert len(catalog.run("run").chunks) <= 8
        assert len(list(workspace.glob("cache/*/*.chunk"))) <= 8
        assert visible_steps(catalog.run("run")) == list(range(1000))


def test_runs_that_are_read_at_once_are_the_same_as_one_by_one(tmp_path: Path, workspace: Path) -> None:
    base = tmp_path / "base"
    for number in range(40):
        write_logs(base / str(number))
    with opened(base, workspace) as catalog:
        want = fresh(base / "0")
        for number in range(40):
            assert {id: content(catalog.run(f"{number}/{id}")) for id in want} == want
