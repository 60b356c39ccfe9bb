# SPDX-License-Identifier: Apache-2.0
"""Tables that clients share: a bad run costs its own row, an ended call loses nothing, threads see whole tables."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, get_ident
from typing import Any

import pytest

from mindscope.ingest import Catalog
from mindscope.reading.lineage_rows import ScalarChoice
from mindscope.reading.lineage_tables import MOST_CHOICES, LineageTables
from mindscope.store import RunStore
from tests.event_log import LINEAGE_NAME, MINDSPORE_NAME, append, scalars, version
from tests.reading.lineage_cache import custom

NONE = ScalarChoice()


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    for number in range(4):
        (tmp_path / f"run_{number}").mkdir()
        append(tmp_path / f"run_{number}" / LINEAGE_NAME.format(1), custom(x=float(number)))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    return catalog


class BrokenStore(RunStore):
    """Fails like a store whose rows on disk are gone."""

    def state(self, now: float) -> Any:
        raise OSError("no rows")


class UnreadableStore(RunStore):
    @property
    def series(self) -> Any:
        raise OSError("no series")


def with_store(catalog: Catalog, store: Callable[[str, Path], RunStore]) -> Mapping[str, RunStore]:
    broken = store("run_1", catalog.base / "run_1")
    return {id: broken if id == "run_1" else each for id, each in catalog.runs.items()}


@pytest.mark.parametrize("store", [BrokenStore, UnreadableStore])
def test_a_run_that_cannot_be_read_costs_only_its_row(
    catalog: Catalog, store: Callable[[str, Path], RunStore], caplog: pytest.LogCaptureFixture
) -> None:
    runs = with_store(catalog, store)
    tables = LineageTables(lambda: runs)
    with caplog.at_level(logging.CRITICAL):
        table = tables.view(NONE).table
        again = tables.view(NONE)
    assert table.columns["custom/x"].cells.tolist() == [0.0, None, 2.0, 3.0]
    (problem,) = table.problems
    assert (problem.code, problem.values["run"], problem.values["error"]) == ("row_failed", "run_1", "OSError")
    assert again.table.problems == table.problems
    runs = catalog.runs
    fixed = tables.view(NONE, again.cursor)
    assert fixed.table.columns["custom/x"].cells.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert (fixed.table.problems, fixed.changes and fixed.changes.runs) == ((), {"run_1"})


def test_a_call_that_ends_early_is_continued_by_the_next(catalog: Catalog) -> None:
    left = 2

    def check() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise TimeoutError

    tables = LineageTables(lambda: catalog.runs, check)
    with pytest.raises(TimeoutError):
        tables.view(NONE)
    left = 2
    view = tables.view(NONE)
    assert (len(view.table), left) == (4, 0)
    assert view.table.columns["custom/x"].cells.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_call_that_waits_for_another_can_end(catalog: Catalog) -> None:
    is_reading, may_go_on = Event(), Event()
    main = get_ident()

    def check() -> None:
        if get_ident() == main:
            raise TimeoutError
        is_reading.set()
        assert may_go_on.wait(60)

    tables = LineageTables(lambda: catalog.runs, check)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(tables.view, NONE)
        assert is_reading.wait(60)
        with pytest.raises(TimeoutError):
            tables.view(NONE)
        may_go_on.set()
        assert len(first.result().table) == 4


def test_few_choices_of_scalars_are_kept(catalog: Catalog) -> None:
    append(catalog.base / "run_0" / MINDSPORE_NAME.format(1), version() + scalars(1, {"loss": 1.0}))
    catalog.refresh()
    tables = LineageTables(lambda: catalog.runs)
    choices = [ScalarChoice(("loss",), mean_of) for mean_of in range(1, MOST_CHOICES + 2)]
    cursors = [tables.view(choice).cursor for choice in choices]
    assert tables.view(choices[-1], cursors[-1]).changes is not None
    assert tables.view(choices[0], cursors[0]).changes is None
    assert tables.view(choices[0]).table.columns["scalar/loss:last"].count == 1


def test_threads_see_whole_tables(catalog: Catalog) -> None:
    tables = LineageTables(lambda: catalog.runs)

    def read(number: int) -> bool:
        view = tables.view(ScalarChoice(("*",)) if number % 2 else NONE)
        table = view.table.table
        return all(len(column) == len(table.runs) for column in table.columns.values())

    def grow(number: int) -> bool:
        path = catalog.base / f"new_{number}"
        path.mkdir()
        append(path / LINEAGE_NAME.format(1), custom(x=1.0, y=float(number)))
        catalog.refresh()
        return True

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(grow if number % 3 == 0 else read, number) for number in range(60)]
        assert all(each.result() for each in done)
    assert len(tables.view(NONE).table) == 24


def test_a_young_settings_file_is_read_again(catalog: Catalog) -> None:
    """A file system has no two times for two writes within a few milliseconds."""
    path = catalog.base / "run_2" / "params.json"
    path.write_text('{"lr": 0.5}')
    catalog.refresh()
    tables = LineageTables(lambda: catalog.runs)
    cursor = tables.view(NONE).cursor
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_text('{"lr": 0.7}')
    os.utime(path, ns=times)
    view = tables.view(NONE, cursor)
    assert view.table.columns["lr"].cells.tolist() == [None, None, 0.7, None]
    assert (view.changes and view.changes.runs) == {"run_2"}
    assert tables.view(NONE, view.cursor).changes == (frozenset(), frozenset(), False)
