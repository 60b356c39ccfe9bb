# SPDX-License-Identifier: Apache-2.0
"""Sealed rows: what was written is read, or it is said that it can't be."""

from __future__ import annotations

import resource
from pathlib import Path
from weakref import ref

import numpy as np
import pytest

from mindscope.formats.step_ranges import StepRanges
from mindscope.store.chunk import SCALAR_LAYOUT, ChunkDamagedError, ChunkSlice, Columns, write_chunk
from mindscope.store.column_cache import HELD_BYTES, MAX_BYTES, MAX_HELD_CHUNKS, ColumnCache


def rows(start: int, stop: int) -> Columns:
    step = np.arange(start, stop)
    return {"step": step, "wall_time": step + 0.5, "value": (step * 2).astype(np.float32)}


def write(path: Path) -> list[ChunkSlice]:
    series = [[rows(0, 3), rows(3, 5)], [rows(7, 8)], [rows(10, 200)], [rows(-40, 100), rows(100, 300)]]
    return write_chunk(path, SCALAR_LAYOUT, series, StepRanges())


def test_each_series_lies_in_one_piece_whatever_its_parts(tmp_path: Path) -> None:
    for sealed, (start, stop) in zip(write(tmp_path / "1.chunk"), ((0, 5), (7, 8), (10, 200), (-40, 300)), strict=True):
        got, want = sealed.read(), rows(start, stop)
        assert {name: column.tolist() for name, column in got.items()} == {n: c.tolist() for n, c in want.items()}
        assert {name: column.dtype for name, column in got.items()} == dict(SCALAR_LAYOUT)
        assert not any(column.flags.writeable or column.flags.owndata for column in got.values())
    assert (tmp_path / "1.chunk").stat().st_size == 20 * 196 + 12 * 340  # steps that rise evenly are not stored
    assert [path.name for path in tmp_path.iterdir()] == ["1.chunk"]


def test_a_disk_that_takes_no_more_keeps_nothing_of_a_chunk(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write(tmp_path / "1.chunk")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_rows_outlive_their_file(tmp_path: Path) -> None:
    path = tmp_path / "1.chunk"
    columns = write(path)[2].read()
    path.unlink()
    assert columns["step"].tolist() == list(range(10, 200))


def test_any_flipped_bit_is_noticed_by_the_series_that_it_is_in(tmp_path: Path) -> None:
    path = tmp_path / "1.chunk"
    whole = write(path) and path.read_bytes()
    for place in range(0, len(whole), 41):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        sealed = write(path)
        path.write_bytes(bytes(damaged))
        with pytest.raises(ChunkDamagedError, match=r"checksum is 0x.*, want 0x"):  # noqa: PT012
            for each in sealed:
                each.read()


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"\0", lambda data: b""])
def test_a_file_of_another_size_is_not_mapped(tmp_path: Path, change: object) -> None:
    path = tmp_path / "1.chunk"
    sealed = write(path)
    path.write_bytes(change(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(ChunkDamagedError, match=r"it has \d+ bytes, want 8000"):
        sealed[0].read()


def test_what_was_asked_for_last_is_kept_within_a_bound() -> None:
    column_cache = ColumnCache()
    third = {"value": np.zeros(MAX_BYTES // 3, np.uint8)}
    for key in "abc":
        column_cache.put(key, 1, third)
    assert column_cache.get("b", 2) is None
    assert column_cache.get("c", 1) is third
    assert column_cache.get("a", 1) is third
    column_cache.put("d", 1, third)
    assert [column_cache.get(key, 1) is third for key in "abcd"] == [True, False, True, True]
    column_cache.put("large", 1, {"value": np.zeros(MAX_BYTES + 1, np.uint8)})
    assert column_cache.get("large", 1) is None
    assert column_cache.get("d", 1) is third


def test_mappings_are_held_within_bounds():
    column_cache, columns = ColumnCache(), [np.zeros(1) for _ in range(MAX_HELD_CHUNKS + 1)]
    alive = [ref(column) for column in columns]
    for chunk in range(len(columns)):
        column_cache.hold_mapping(chunk, columns[chunk], 1)
    column_cache.hold_mapping(1, columns[1], 1)
    del columns
    assert [each() is not None for each in alive] == [False] + [True] * MAX_HELD_CHUNKS
    column_cache.hold_mapping("large", np.zeros(1), HELD_BYTES + 1)
    column_cache.hold_mapping("most", np.zeros(1), HELD_BYTES - HELD_BYTES // MAX_HELD_CHUNKS)
    assert [each() is not None for each in alive] == [False, True] + [False] * (MAX_HELD_CHUNKS - 1)
