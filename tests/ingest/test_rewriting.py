# SPDX-License-Identifier: Apache-2.0
"""One event file that another program writes in any order, or changes in its middle."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.ingest import RunLoader
from mindscope.ingest import file_identity as identity_module
from mindscope.store import RunStore
from mindscope.types import DamageKind
from tests.event_log import append, scalar_points, steps, version, visible_steps

from .cached import opened
from .streams import NAME, loader_of

RECORDS = [version(), *(steps([step], first_value=step) for step in range(2000))]
WHOLE = b"".join(RECORDS)
PARTS = 8


@pytest.fixture(autouse=True)
def short_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of some kilobytes then has many spans, as one of gigabytes has."""
    monkeypatch.setattr(identity_module, "SPAN_BYTES", 1 << 12)


def write_at(file: Path, position: int, data: bytes) -> None:
    with file.open("r+b") as opened:
        opened.seek(position)
        opened.write(data)


def write_part(file: Path, part: int) -> None:
    size = -(-len(WHOLE) // PARTS)
    write_at(file, part * size, WHOLE[part * size : (part + 1) * size])


@pytest.mark.parametrize("order", [range(PARTS), (0, 7, 3, 1, 6, 2, 5, 4), range(PARTS - 1, -1, -1)], ids=str)
def test_a_preallocated_file_that_a_download_fills_is_read_whole(directory: Path, order: range) -> None:
    file = directory / NAME
    append(file, bytes(len(WHOLE)))
    loader = loader_of(directory)
    loader.read_all()
    assert visible_steps(loader.store) == []
    for part in order:
        write_part(file, part)
        loader.read_all()
    assert visible_steps(loader.store) == list(range(2000))
    assert loader.store.damages == ()
    assert loader.store.files[0].records == len(RECORDS)


def test_a_file_with_holes_that_grows_is_read_whole(directory: Path) -> None:
    """A program writes blocks beyond the end and fills the holes meanwhile: the size alone tells nothing."""
    file = directory / NAME
    file.touch()
    loader = loader_of(directory)
    for part in (0, 2, 1, 5, 3, 7, 4, 6):
        write_part(file, part)
        loader.read_all()
    assert visible_steps(loader.store) == list(range(2000))
    assert loader.store.damages == ()


def test_a_preallocated_file_that_is_cut_to_its_size_is_no_damage(directory: Path) -> None:
    file = directory / NAME
    append(file, WHOLE + bytes(5000))
    loader = loader_of(directory)
    loader.read_all()
    assert [damage.kind for damage in loader.store.damages] == [DamageKind.LENGTH_CHECKSUM]
    os.truncate(file, len(WHOLE))
    loader.read_all()
    assert visible_steps(loader.store) == list(range(2000))
    assert loader.store.damages == ()


def test_a_filled_end_keeps_the_values_before_it(directory: Path) -> None:
    """The reader goes back to the damage only: a download of gigabytes is not read from its start each second."""
    file = directory / NAME
    append(file, WHOLE + bytes(len(steps([2000]))))
    loader = loader_of(directory)
    loader.read_all()
    before = loader.scanned_bytes
    write_at(file, len(WHOLE), steps([2000]))
    loader.read_all()
    assert visible_steps(loader.store) == list(range(2001))
    assert loader.scanned_bytes - before == len(steps([2000]))


def test_a_damaged_record_that_is_mended_is_read(directory: Path) -> None:
    file = directory / NAME
    position = len(b"".join(RECORDS[:1000]))
    append(file, WHOLE)
    write_at(file, position + 20, b"\xff")
    loader = loader_of(directory)
    loader.read_all()
    assert visible_steps(loader.store) == [step for step in range(2000) if step != 999]
    write_at(file, position, RECORDS[1000])
    loader.read_all()
    assert visible_steps(loader.store) == list(range(2000))
    assert loader.store.damages == ()


def same_size_records(first: int, stop: int) -> bytes:
    return b"".join(steps([step], first_value=-1.0 - step) for step in range(first, stop))


def with_same_times(file: Path, change: Callable[[], None]) -> None:
    """Change a file and set its modification time back: only ctime tells."""
    stat = file.stat()
    change()
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_records_replaced_at_equal_size_and_time_are_read_again(directory: Path) -> None:
    file = directory / NAME
    append(file, WHOLE)
    loader = loader_of(directory)
    loader.read_all()
    replace_hundred(file)
    loader.read_all()
    assert_replaced(loader.store)


def test_records_replaced_between_two_starts_are_read_again(tmp_path: Path) -> None:
    base, workspace = tmp_path / "base", tmp_path / "workspace"
    file = base / "run" / NAME
    file.parent.mkdir(parents=True)
    append(file, WHOLE)
    with opened(base, workspace) as catalog:
        assert catalog.scanned_bytes == len(WHOLE)
    with opened(base, workspace) as catalog:
        assert catalog.scanned_bytes == 0
    replace_hundred(file)
    with opened(base, workspace) as catalog:
        assert_replaced(catalog.run("run"))


def replace_hundred(file: Path) -> None:
    position = len(b"".join(RECORDS[:1001]))
    change = same_size_records(1000, 1100)
    assert len(change) == len(b"".join(RECORDS[1001:1101]))
    with_same_times(file, lambda: write_at(file, position, change))


def assert_replaced(store: RunStore) -> None:
    values = dict(scalar_points(store, overwritten=True))
    assert [step for step, value in values.items() if value != float(step)] == list(range(1000, 1100))
    assert [damage.kind for damage in store.damages] == [DamageKind.SHRUNK]
    assert "replaced" in store.damages[0].detail


def test_a_touched_file_is_not_read_again(directory: Path) -> None:
    file = directory / NAME
    append(file, WHOLE)
    loader = loader_of(directory)
    loader.read_all()
    before, version_then = loader.scanned_bytes, loader.store.version
    os.utime(file)
    file.chmod(file.stat().st_mode)
    os.utime(file, (5, 5))
    loader.read_all()
    assert loader.scanned_bytes == before
    assert visible_steps(loader.store) == list(range(2000))
    assert loader.store.damages == ()
    assert loader.store.version >= version_then


def test_a_growing_file_is_compared_in_turns(directory: Path) -> None:
    """``rsync --inplace`` changes a middle while it appends: at most some megabytes later that is noticed."""
    file = directory / NAME
    append(file, WHOLE)
    loader = loader_of(directory)
    loader.read_all()
    write_at(file, len(b"".join(RECORDS[:1001])), same_size_records(1000, 1100))
    for step in range(2000, 10_000, 100):
        append(file, steps(range(step, step + 100)))
        loader.read_all()
    values = dict(scalar_points(loader.store, overwritten=True))
    assert sum(value < 0 for value in values.values()) == 100
    assert max(values) == 9999


BLOCK = 512


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_blocks_in_any_order_at_any_times_give_the_file(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    directory = tmp_path_factory.mktemp("run")
    file, data = directory / NAME, b"".join(RECORDS[:300])
    file.write_bytes(bytes(chance.choice([0, len(data), len(data) + 700])))
    loader = loader_of(directory)
    positions = list(range(0, len(data), BLOCK))
    chance.shuffle(positions)
    for position in positions:
        write_at(file, position, data[position : position + BLOCK])
        if chance.random() < 0.3:
            read_some(loader, chance)
    os.truncate(file, len(data))
    loader.read_all()
    assert visible_steps(loader.store) == list(range(299))
    assert loader.store.damages == ()


def read_some(loader: RunLoader, chance: random.Random) -> None:
    loader.read(budget_bytes=chance.choice([1, 500, 5000, 1 << 20]))
