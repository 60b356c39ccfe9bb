# SPDX-License-Identifier: Apache-2.0
"""Points where they lie are the points that are drawn, and what is said to continue does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.formats.progressions import Progressions
from mindscope.store import ScalarSeries, Shown
from mindscope.store.access import Access
from mindscope.store.chunk import write_chunk
from mindscope.store.file_ranks import FileRanks
from mindscope.store.shown import MOST_STRETCHES

Rows = list[tuple[int, float]]


def series_of(*ordinals_by_age: int) -> ScalarSeries:
    files = FileRanks()
    for age, ordinal in enumerate(ordinals_by_age):
        files.add(ordinal, (age, ()))
    return ScalarSeries(files, Access())


def extend(series: ScalarSeries, file: int, steps: list[int]) -> None:
    step = np.array(steps, np.int64)
    value = len(series) + np.arange(step.size, dtype=np.float64)
    series.extend(file, {"step": step, "wall_time": value, "value": value.astype(np.float32)})


def seal(series: ScalarSeries, path: Path) -> None:
    (place,) = write_chunk(path, series.points.layout, [series.points.parts(())], Progressions())
    series.points.seal((), place)


def rows(shown: Shown) -> Rows:
    return [pair for part in shown.parts for pair in zip(part["step"].tolist(), part["value"].tolist(), strict=True)]


STEPS = st.lists(st.integers(0, 30), max_size=6) | st.integers(0, 40).map(lambda first: [*range(first, first + 12)])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), STEPS, st.booleans()), max_size=12), st.permutations([0, 1, 2]))
def test_parts_are_the_drawn_rows_and_a_stem_is_kept_only_by_growth(
    tmp_path_factory: pytest.TempPathFactory, portions: list[tuple[int, list[int], bool]], ages: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("chunks")
    series = series_of(*ages)
    before: dict[bool, tuple[Shown, Rows] | None] = {False: None, True: None}
    for number, (file, steps, is_sealed) in enumerate(portions):
        extend(series, file, steps)
        if is_sealed and series.points.newest_count:
            seal(series, folder / f"{number}.chunk")
        for overwritten, columns in ((False, series.visible()), (True, series.all())):
            shown = series.shown(overwritten)
            found = rows(shown)
            assert found == list(zip(columns.step.tolist(), columns.value.tolist(), strict=True))
            assert len(shown) == len(found)
            known = before[overwritten]
            if known is not None and known[0].stem is shown.stem:
                assert found[: len(known[1])] == known[1]
            before[overwritten] = shown, found


def test_a_training_that_goes_on_after_a_restart_copies_nothing() -> None:
    series = series_of(0, 1)
    extend(series, 0, [*range(1000)])
    first = series.shown()
    extend(series, 0, [*range(1000, 1500)])
    assert series.shown().stem is first.stem
    extend(series, 1, [*range(1200, 1300)])
    restarted = series.shown()
    assert restarted.stem is not first.stem
    assert [step for step, _ in rows(restarted)] == [*range(1300)]
    extend(series, 1, [*range(1300, 1400)])
    grown = series.shown()
    assert grown.stem is restarted.stem
    assert [step for step, _ in rows(grown)] == [*range(1400)]
    assert np.shares_memory(grown.parts[0]["step"], series.points.arrived_parts()[0]["step"])


def test_rows_that_many_restarts_left_in_bits_are_copied_together() -> None:
    series = series_of(0)
    for start in range(0, 20 * MOST_STRETCHES, 10):
        extend(series, 0, [start, start])
    shown = series.shown()
    assert len(shown.parts) == 1
    assert [step for step, _ in rows(shown)] == [*range(0, 20 * MOST_STRETCHES, 10)]
    assert series.shown().stem is shown.stem
    extend(series, 0, [20 * MOST_STRETCHES])
    assert len(series.shown()) == len(shown) + 1


def test_forgotten_rows_end_a_stem() -> None:
    series = series_of(0, 1)
    extend(series, 0, [1, 2])
    extend(series, 1, [3])
    before = series.shown(), series.shown(True)
    series.forget({0})
    after = series.shown(), series.shown(True)
    assert [rows(each) for each in after] == [[(3, 2.0)], [(3, 2.0)]]
    assert all(one.stem is not other.stem for one, other in zip(before, after, strict=True))
