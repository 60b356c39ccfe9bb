# SPDX-License-Identifier: Apache-2.0
"""Several caches and several viewers in one workspace, and one that can not be written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from mindscope.store.workspace_caches import clear_caches, evict_caches, list_caches
from tests.event_log import (
    append,
    steps,
)

from .cached import NEWER, cache_files, contents, fresh, opened, sealing_at_once, write_logs


def test_two_at_once_say_the_same_and_one_writes(base: Path, workspace: Path) -> None:
    with sealing_at_once(), opened(base, workspace) as first:
        with opened(base, workspace) as second:
            assert second.scanned_bytes == 0
            for step in range(12, 30):
                append(base / "a" / NEWER, steps([step]))
                first.refresh()
                first.wait_until_saved()  # which deletes chunks that the second has not looked at yet
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
        assert evict_caches(workspace, workspace, 0) > 0
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
        catalog.wait_until_saved()
        assert contents(catalog) == fresh(base)
        append(base / "a" / NEWER, steps([21]))
        catalog.refresh()
        assert contents(catalog) == fresh(base)
