# SPDX-License-Identifier: Apache-2.0
"""Series that grow: what readers hold never changes, and what they get does not depend on the portions."""

from __future__ import annotations

from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.store import ReferenceSeries, ScalarSeries
from mindscope.store.columns import MIN_PIECE_ROWS
from mindscope.store.file_ranks import FileRanks
from mindscope.store.store_lock import StoreLock


def ranks(*ordinals_by_age: int) -> FileRanks:
    files = FileRanks()
    for age, ordinal in enumerate(ordinals_by_age):
        files.add(ordinal, age, "")
    return files


def extend(series: ScalarSeries, file: int, steps: list[int], value: float = 0.0) -> None:
    step = np.array(steps, np.int64)
    series.extend(file, {"step": step, "wall_time": np.zeros(step.size), "value": (value + step).astype(np.float32)})


def test_columns_have_their_dtypes_and_are_read_only() -> None:
    series = ScalarSeries(ranks(0), StoreLock())
    extend(series, 0, [1, 2])
    for columns in (series.visible(), series.all()):
        assert (columns.step.dtype, columns.wall_time.dtype, columns.value.dtype) == (np.int64, np.float64, np.float32)
        with pytest.raises(ValueError, match="read-only"):
            columns.value[0] = 7.0


@pytest.mark.parametrize("steps", [range(1000), [5] * 1000])
def test_what_was_returned_stays_as_it_was(steps: list[int]) -> None:
    series = ScalarSeries(ranks(0), StoreLock())
    extend(series, 0, [-2, -1])
    before = series.visible(), series.all()
    for step in steps:
        extend(series, 0, [step])
    assert [columns.step.tolist() for columns in before] == [[-2, -1], [-2, -1]]
    assert len(series) == 1002


@given(st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 9), max_size=6)), max_size=12))
def test_portions_and_reading_between_them_make_no_difference(portions: list[tuple[int, list[int]]]) -> None:
    files = ranks(2, 0, 1)
    looked_at, filled = ScalarSeries(files, StoreLock()), ScalarSeries(files, StoreLock())
    for number, (file, steps) in enumerate(portions):
        extend(looked_at, file, steps, 10.0 * number)
        looked_at.visible()
    for number, (file, steps) in enumerate(portions):
        for step in steps:
            extend(filled, file, [step], 10.0 * number)
    for got, want in ((looked_at.visible(), filled.visible()), (looked_at.all(), filled.all())):
        assert (got.step.tolist(), got.value.tolist()) == (want.step.tolist(), want.value.tolist())


PORTIONS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([1, 3, MIN_PIECE_ROWS - 1, MIN_PIECE_ROWS, 700])), max_size=8
)


@given(PORTIONS)
def test_large_portions_make_no_difference(portions: list[tuple[bool, int]]) -> None:
    series, last = ScalarSeries(ranks(0), StoreLock()), 0
    for is_looked_at, count in portions:
        extend(series, 0, list(range(last, last + count)))
        last += count
        found = [part["step"].tolist() for part in series.visible_parts().parts]
        assert [step for part in found for step in part] == list(range(last))
        if is_looked_at:
            assert series.visible().step.tolist() == list(range(last))


def test_all_points_come_by_age_of_their_file() -> None:
    series = ScalarSeries(ranks(1, 0), StoreLock())
    extend(series, 0, [5, 6])
    extend(series, 1, [5, 1])
    assert series.all().step.tolist() == [5, 1, 5, 6]
    assert series.all().file.tolist() == [1, 1, 0, 0]


def test_a_file_that_is_forgotten_leaves_no_point_and_hides_none() -> None:
    series = ScalarSeries(ranks(0, 1), StoreLock())
    extend(series, 0, [1, 2, 3])
    extend(series, 1, [2], 100.0)
    assert series.visible().value.tolist() == [1.0, 102.0]
    series.forget({1})
    assert series.visible().value.tolist() == [1.0, 2.0, 3.0]
    extend(series, 0, [4])
    assert series.visible().step.tolist() == [1, 2, 3, 4]


def test_references_follow_the_same_rule() -> None:
    series = ReferenceSeries(ranks(0, 1), StoreLock())
    for file, step, offset, length in ((0, [1, 2, 3], [10, 20, 30], [1, 1, 1]), (1, [2], [99], [7])):
        rows = {"step": step, "wall_time": [0.0] * len(step), "offset": offset, "length": length}
        series.extend(file, {name: np.array(column) for name, column in rows.items()})
    shown = series.visible()
    assert (shown.step.tolist(), shown.offset.tolist(), shown.file.tolist()) == ([1, 2], [10, 99], [0, 1])
    assert series.all().offset.tolist() == [10, 20, 30, 99]
    assert shown.take(slice(1, None)).length.tolist() == [7]


def test_readers_see_whole_rows_while_a_writer_appends() -> None:
    series = ScalarSeries(ranks(0), StoreLock())
    is_done = Event()
    torn: list[str] = []

    def read() -> None:
        while not is_done.is_set():
            columns = series.visible()
            if not (len(columns.step) == len(columns.value) and np.array_equal(columns.step, columns.value)):
                torn.append(f"{len(columns.step)} steps, {len(columns.value)} values")

    readers = [Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for start in range(0, 20_000, 50):
        extend(series, 0, list(range(start, start + 50)))
    is_done.set()
    for reader in readers:
        reader.join()
    assert torn == []
    assert len(series.visible()) == 20_000
