# SPDX-License-Identifier: Apache-2.0
"""Statistics of dumps in a cache, which are used as long as the files of a step are the same."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.formats.statistics_cache import SUFFIX, StatisticsCache
from mindscope.debug.model.fields import Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.open import find_debug_data, with_cache
from mindscope.store.workspace_caches import LOCK_NAME, hold
from tests.debug.formats.made_dumps import TIME, npy_name, numbers, save, short_dump

LONG_AGO = 1_700_000_000
LARGE = 1 << 30


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Written long ago."""
    return aged(short_dump(tmp_path / "dump"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of the cache; it is created when it is needed."""
    return tmp_path / "workspace" / "statistics"


def aged(root: Path, seconds: float = LONG_AGO) -> Path:
    for path in root.rglob("*.npy"):
        os.utime(path, (seconds, seconds))
    return root


def opened(dump: Path, cache: StatisticsCache | None) -> RecordedSteps:
    (found,) = find_debug_data(dump)
    return with_cache(found, cache).read()


def statistics(dump: Path, folder: Path | None, limit_bytes: int = LARGE) -> list[StepStatistics]:
    source = opened(dump, None if folder is None else StatisticsCache(folder, limit_bytes))
    return [source.at(step, 0) for step in source.steps(0)]


def assert_same(got: list[StepStatistics], want: list[StepStatistics]) -> None:
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.digest, other.digest)
        np.testing.assert_array_equal(one.order, other.order)


def saved(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}"))


def tensor_file(dump: Path, step: int = 1) -> Path:
    return min((dump / "rank_0" / "Net" / "0" / str(step)).iterdir())


def spoil_unseen(path: Path) -> None:
    """Other elements in a file of the same size and time: only who reads it sees it."""
    status = path.stat()
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.write(data[:-24] + np.full(6, 77, np.float32).tobytes())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_second_opening_reads_no_tensor(dump: Path, folder: Path) -> None:
    first = statistics(dump, folder)
    assert_same(first, statistics(dump, None))
    assert len(saved(folder)) == 2
    spoil_unseen(tensor_file(dump))
    assert_same(statistics(dump, folder), first)
    aged(dump, LONG_AGO + 1)
    assert statistics(dump, folder)[1].column(Field.MAX).max() == 77
    assert len(saved(folder)) == 2


def test_a_step_that_grows_is_computed_again(dump: Path, folder: Path) -> None:
    first = statistics(dump, folder)
    step = dump / "rank_0" / "Net" / "0" / "1"
    save(step, npy_name("Add", "Add-op9", TIME + 99), numbers(9))
    grown = statistics(dump, folder)
    assert_same(grown[:1], first[:1])
    assert len(grown[1].values) == len(first[1].values) + 1
    assert_same(grown, statistics(dump, None))
    last = aged(dump) and opened(dump, StatisticsCache(folder, LARGE)).without_last_steps()
    assert last.steps(0) == [0]
    assert_same([last.at(0, 0)], first[:1])


def test_files_that_were_just_written_are_not_saved(dump: Path, folder: Path) -> None:
    tensor_file(dump).touch()
    statistics(dump, folder)
    assert len(saved(folder)) == 1


def test_a_step_with_a_problem_is_not_saved(dump: Path, folder: Path) -> None:
    path = tensor_file(dump)
    whole = path.read_bytes()
    path.write_bytes(whole[:-4])
    aged(dump)
    source = opened(dump, StatisticsCache(folder, LARGE))
    for step in (1, 0):
        source.at(step, 0)
    assert [each.code for each in source.problems.values()] == ["debug_file_damaged"]
    assert len(saved(folder)) == 1
    again = opened(dump, StatisticsCache(folder, LARGE))
    again.at(1, 0)
    assert len(again.problems) == 1
    path.write_bytes(whole)
    aged(dump)
    assert_same(statistics(dump, folder), statistics(dump, None))
    assert len(saved(folder)) == 2


def test_a_damaged_cache_is_as_if_it_was_not_there(dump: Path, folder: Path) -> None:
    want = statistics(dump, folder)
    path = saved(folder)[0]
    whole = path.read_bytes()
    chance = random.Random(1)
    places = [*range(24), *(chance.randrange(len(whole)) for _ in range(60))]
    for place in places:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << chance.randrange(8)
        for damaged in (bytes(flipped), whole[:place], b""):
            path.write_bytes(damaged)
            assert_same(statistics(dump, folder), want)
    assert path.read_bytes() == whole


def test_another_dump_at_the_same_place_is_another_one(dump: Path, folder: Path) -> None:
    statistics(dump, folder)
    path = tensor_file(dump)
    replaced = save(path.parent, "new.npy", numbers(50))
    replaced.replace(path)
    aged(dump)
    assert_same(statistics(dump, folder), statistics(dump, None))


def test_the_least_recently_used_steps_make_room(tmp_path: Path, folder: Path) -> None:
    dump = aged(short_dump(tmp_path / "dump", steps=range(6)))
    statistics(dump, folder)
    sizes = [each.stat().st_size for each in saved(folder)]
    limit = sum(sizes[:4])
    for each in saved(folder):
        os.utime(each, (LONG_AGO, LONG_AGO))
    source = opened(dump, StatisticsCache(folder, limit))
    source.at(5, 0)  # a use
    (used,) = [each for each in saved(folder) if each.stat().st_mtime > LONG_AGO]
    save(tensor_file(dump, 4).parent, npy_name("Add", "Add-op9", TIME + 99), numbers(9))
    aged(dump)
    opened(dump, StatisticsCache(folder, limit)).at(4, 0)
    assert used in saved(folder)
    assert sum(each.stat().st_size for each in saved(folder)) <= limit
    assert_same(statistics(dump, folder, limit_bytes=10), statistics(dump, None))
    assert saved(folder) == []


def test_several_use_one_folder(tmp_path: Path, folder: Path) -> None:
    dump = aged(short_dump(tmp_path / "dump", steps=range(8)))
    want = statistics(dump, None)
    found: list[list[StepStatistics]] = []
    threads = [threading.Thread(target=lambda: found.append(statistics(dump, folder))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 4
    for each in found:
        assert_same(each, want)
    lock = hold(folder / LOCK_NAME)
    assert lock is not None
    with lock:  # of a process that deletes the folder
        for path in saved(folder):
            path.unlink()
        assert_same(statistics(dump, folder), want)
        assert saved(folder) == []


def test_a_folder_that_can_not_be_written_costs_only_time(dump: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no folder")
    assert_same(statistics(dump, tmp_path / "file" / "statistics"), statistics(dump, None))
