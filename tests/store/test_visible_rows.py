# SPDX-License-Identifier: Apache-2.0
"""Points where they lie are the points that are drawn, and what is said to continue does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats.step_ranges import StepRanges
from mindscope.store import ScalarSeries, VisibleRows
from mindscope.store.chunk import write_chunk
from mindscope.store.file_ranks import FileRanks
from mindscope.store.store_lock import StoreLock
from mindscope.store.visible_rows import MAX_RANGES

Rows = list[tuple[int, float]]


def series_of(*ordinals_by_age: int) -> ScalarSeries:
    files = FileRanks()
    for age, ordinal in enumerate(ordinals_by_age):
        files.add(ordinal, age, "")
    return ScalarSeries(files, StoreLock())


def extend(series: ScalarSeries, file: int, steps: list[int]) -> None:
    step = np.array(steps, np.int64)
    value = len(series) + np.arange(step.size, dtype=np.float64)
    series.extend(file, {"step": step, "wall_time": value, "value": value.astype(np.float32)})


def seal(series: ScalarSeries, path: Path) -> None:
    (place,) = write_chunk(path, series.points.layout, [series.points.parts(())], StepRanges())
    series.points.replace_rows((), place)


def rows(shown: VisibleRows) -> Rows:
    return [pair for part in shown.parts for pair in zip(part["step"].tolist(), part["value"].tolist(), strict=True)]


STEPS = st.lists(st.integers(0, 30), max_size=6) | st.integers(0, 40).map(lambda first: [*range(first, first + 12)])


@given(st.lists(st.tuples(st.integers(0, 2), STEPS, st.booleans()), max_size=12), st.permutations([0, 1, 2]))
def test_parts_are_the_drawn_rows_and_a_prefix_is_kept_only_by_growth(
    tmp_path_factory: pytest.TempPathFactory, portions: list[tuple[int, list[int], bool]], ages: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("chunks")
    series = series_of(*ages)
    before: dict[bool, tuple[VisibleRows, Rows] | None] = {False: None, True: None}
    for number, (file, steps, is_sealed) in enumerate(portions):
        extend(series, file, steps)
        if is_sealed and series.points.unsaved_count:
            seal(series, folder / f"{number}.chunk")
        for overwritten, columns in ((False, series.visible()), (True, series.all())):
            shown = series.visible_parts(overwritten)
            found = rows(shown)
            assert found == list(zip(columns.step.tolist(), columns.value.tolist(), strict=True))
            assert len(shown) == len(found)
            known = before[overwritten]
            if known is not None and known[0].prefix_id is shown.prefix_id:
                assert found[: len(known[1])] == known[1]
            before[overwritten] = shown, found


def test_a_training_that_goes_on_after_a_restart_copies_nothing() -> None:
    series = series_of(0, 1)
    extend(series, 0, [*range(1000)])
    first = series.visible_parts()
    extend(series, 0, [*range(1000, 1500)])
    assert series.visible_parts().prefix_id is first.prefix_id
    extend(series, 1, [*range(1200, 1300)])
    restarted = series.visible_parts()
    assert restarted.prefix_id is not first.prefix_id
    assert [step for step, _ in rows(restarted)] == [*range(1300)]
    extend(series, 1, [*range(1300, 1400)])
    grown = series.visible_parts()
    assert grown.prefix_id is restarted.prefix_id
    assert [step for step, _ in rows(grown)] == [*range(1400)]
    assert np.shares_memory(grown.parts[0]["step"], series.points.appended_parts()[0]["step"])


def test_rows_that_many_restarts_left_in_bits_are_copied_together() -> None:
    series = series_of(0)
    for start in range(0, 20 * MAX_RANGES, 10):
        extend(series, 0, [start, start])
    shown = series.visible_parts()
    assert len(shown.parts) == 1
    assert [step for step, _ in rows(shown)] == [*range(0, 20 * MAX_RANGES, 10)]
    assert series.visible_parts().prefix_id is shown.prefix_id
    extend(series, 0, [20 * MAX_RANGES])
    assert len(series.visible_parts()) == len(shown) + 1


def test_forgotten_rows_end_a_prefix() -> None:
    series = series_of(0, 1)
    extend(series, 0, [1, 2])
    extend(series, 1, [3])
    before = series.visible_parts(), series.visible_parts(True)
    series.forget({0})
    after = series.visible_parts(), series.visible_parts(True)
    assert [rows(each) for each in after] == [[(3, 2.0)], [(3, 2.0)]]
    assert all(one.prefix_id is not other.prefix_id for one, other in zip(before, after, strict=True))
