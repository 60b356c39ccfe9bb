# SPDX-License-Identifier: Apache-2.0
"""One run of many event files: the work grows as the number of files does, and not as its square."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from mindscope import open_run
from mindscope.ingest import Catalog
from mindscope.types import DamageKind
from tests.event_log import TENSORBOARD_NAME, append, steps, tensorboard_event, tensorboard_version, visible_steps

FEW, MANY = 150, 450
POINTS = 3
GROWTH = 1.5 * MANY / FEW
"""Of the work from few files to many; work that grows as the square of their number would make it 9."""


def count_calls(act: Callable[[], object]) -> int:
    """How many functions, of Python and compiled ones, are called meanwhile in all threads that begin meanwhile."""
    counts: dict[int, int] = {}

    def note(frame: FrameType, event: str, arg: Any) -> None:
        thread = threading.get_ident()
        counts[thread] = counts.get(thread, 0) + (event in ("call", "c_call"))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sum(counts.values())


def file_at(directory: Path, number: int) -> Path:
    return directory / TENSORBOARD_NAME.format(1000 + number)


def write_files(directory: Path, count: int, shift: int = 0, first: int = 0) -> Path:
    """``POINTS`` steps a file, each file going on where the one before it ends."""
    directory.mkdir(exist_ok=True)
    for number in range(first, count):
        records = (
            tensorboard_event(number * POINTS + row + shift, {"tag": "loss", "simple_value": 1.0})
            for row in range(POINTS)
        )
        file_at(directory, number).write_bytes(tensorboard_version() + b"".join(records))
    return directory


def opened(directory: Path, count: int) -> int:
    run = write_files(directory, count)
    return count_calls(lambda: open_run(run))


def read_from_the_cache(directory: Path, count: int) -> int:
    run, workspace = write_files(directory, count), directory.with_name(f"{directory.name}-workspace")
    catalog = Catalog(run, workspace)
    catalog.refresh()
    catalog.close()
    catalog = Catalog(run, workspace)
    calls = count_calls(catalog.refresh)
    assert catalog.scanned_bytes == 0
    catalog.close()
    return calls


def removed(directory: Path, count: int) -> int:
    run = open_run(write_files(directory, count))
    for number in range(1, count):
        file_at(directory, number).unlink()
    calls = count_calls(run.refresh)
    assert len(run.store.files) == 1
    assert visible_steps(run.store) == [*range(POINTS)]
    return calls


def replaced(directory: Path, count: int) -> int:
    run = open_run(write_files(directory, count))
    write_files(directory, count, shift=1_000_000_000)
    calls = count_calls(run.refresh)
    assert visible_steps(run.store) == [*range(1_000_000_000, 1_000_000_000 + POINTS * count)]
    assert [damage.kind for damage in run.damages] == [DamageKind.SHRUNK] * count
    return calls


@pytest.mark.parametrize("work", [opened, read_from_the_cache, removed, replaced])
def test_work_grows_as_the_number_of_files(work: Callable[[Path, int], int], tmp_path: Path) -> None:
    few, many = (work(tmp_path / f"run{count}", count) for count in (FEW, MANY))
    assert many < GROWTH * few, f"{few} calls for {FEW} files, {many} for {MANY}"


def test_a_new_file_costs_little_beside_those_that_are_known(tmp_path: Path) -> None:
    run = open_run(write_files(tmp_path / "run", MANY))
    known = count_calls(run.refresh)
    write_files(tmp_path / "run", MANY + 1, first=MANY)
    assert count_calls(run.refresh) < 1.5 * known
    assert visible_steps(run.store) == [*range(POINTS * (MANY + 1))]


def test_a_file_that_grows_is_read_without_looking_at_the_others(tmp_path: Path) -> None:
    catalog = Catalog(write_files(tmp_path / "run", FEW))
    catalog.refresh()
    growing = file_at(tmp_path / "run", FEW - 1)
    append(growing, tensorboard_event(POINTS * FEW, {"tag": "loss", "simple_value": 1.0}))
    append(file_at(tmp_path / "run", 0), b"unread")
    assert catalog.refresh([str(growing.resolve())]) == {"."}
    (store,) = catalog.runs.values()
    assert visible_steps(store) == [*range(POINTS * FEW + 1)]
    assert store.files[0].size_bytes < store.files[0].read_bytes + len(b"unread")


def test_older_files_that_come_later_take_their_place(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    run = None
    for number in (5, 2, 8, 1, 9, 3):
        file = directory / f"events.summary.{number}.0"
        file.write_bytes(steps([number * 10, number * 10 + 1]))
        run = run or open_run(directory)
        run.refresh()
    assert run is not None
    assert [facts.creation_number for facts in run.store.files] == [1, 2, 3, 5, 8, 9]
    assert run.scalars("loss", overwritten=True).step.tolist() == [10, 11, 20, 21, 30, 31, 50, 51, 80, 81, 90, 91]
