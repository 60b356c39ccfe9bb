# SPDX-License-Identifier: Apache-2.0
"""Curves without HTTP: what a client gets by its cursors, and that remembering long curves changes no answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import frames, mindspore
from mindscope.ingest import Catalog
from mindscope.server.scalars.cache import LONG, CurveCache
from mindscope.server.scalars.query import pack_curves
from mindscope.server.scalars.schema import CurvesQuery

from .live_viewer import GrowingLog, unpack

COLUMNS = ("step", "wall_time", "value", "smoothed")


@dataclass
class Page:
    """A client that keeps the rows of one series, and follows its log."""

    base: Path
    log: GrowingLog
    catalog: Catalog
    drawn: CurveCache = field(default_factory=CurveCache)
    facts: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    def ask(self, since: str | None = None, **query: Any) -> None:
        """Ask with the cursor of the last answer, and join what comes with what is known."""
        self.catalog.refresh()
        name = {"run": "run", "tag": "loss", "since": since or self.facts.get("cursor")}
        answer = unpack(bytes(self.answer({"series": [name], **query})))
        self.facts = answer.header["series"][0]
        kept = self.facts["kept"]
        for column in COLUMNS:
            if self.facts["columns"][column] is None:
                self.rows.pop(column, None)
            else:
                known = self.rows.get(column, np.empty(0))[:kept]
                self.rows[column] = np.concatenate([known, answer.column(0, column)])

    def answer(self, query: dict[str, Any]) -> bytes:
        return bytes(pack_curves(self.catalog, CurvesQuery.model_validate(query), self.drawn))

    def assert_complete(self, **query: Any) -> None:
        """Compare with a client that asks for the first time."""
        fresh = Page(self.base, self.log, self.catalog)
        fresh.ask(**query)
        assert fresh.facts["kept"] == 0
        assert {**self.facts, "kept": 0, "columns": None} == {**fresh.facts, "columns": None}
        assert self.rows.keys() == fresh.rows.keys()
        for column, rows in fresh.rows.items():
            np.testing.assert_array_equal(self.rows[column], rows)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    log = GrowingLog(tmp_path / "run")
    for step in range(100):
        log.scalar(step, step % 7)
    page = Page(tmp_path, log, Catalog(tmp_path))
    yield page
    page.drawn.pool.shutdown()


def test_hidden_points_are_counted_and_sent_when_asked_for(page: Page) -> None:
    """A restart at step 90 hides ten points, two of the new ones share a step."""
    with (page.log.path.parent / "events.out.events.summary.1795225260.0.test_MS").open("ab") as newer:
        for payload in [mindspore.version_event(1.5), *(scalar_event(step, 5.0) for step in (90, 91, 91, 91, 92))]:
            newer.write(frames.frame(payload))
    for _ in range(2):  # the second answer holds no rows, but the same facts
        page.ask()
        assert (page.facts["points"], page.facts["overwritten"], page.facts["repeated"]) == (93, 10, 2)
    page.facts.clear()
    page.ask(overwritten=True)
    assert (page.facts["points"], page.facts["overwritten"], page.facts["repeated"]) == (105, 0, 0)


def scalar_event(step: int, value: float) -> bytes:
    return mindspore.summary_event(2000.0 + step, step, mindspore.value_field({"tag": "loss", "scalar_value": value}))


def test_all_samples_of_the_machine_within_a_step_are_sent(page: Page) -> None:
    for sample in range(3):
        page.log.scalar(7, 10.0 * sample, "system/cpu/percent", 1000.0 + sample)
    page.catalog.refresh()
    query = {"series": [{"run": "run", "tag": "system/cpu/percent"}], "pixels": 500, "axis": "relative"}
    answer = unpack(page.answer(query))
    assert answer.column(0, "value").tolist() == [0, 10, 20]
    assert answer.column(0, "step").tolist() == [7, 7, 7]
    assert answer.header["series"][0]["repeated"] == 0


def test_nothing_is_sent_when_nothing_changed(page: Page) -> None:
    page.ask()
    page.ask()
    assert page.facts["kept"] == page.facts["returned"] == 100
    assert page.facts["columns"]["value"]["length"] == 0
    page.assert_complete()


def test_quantiles_of_a_curve_are_the_same_on_every_axis(page: Page) -> None:
    """The page judges by them which values are far: so its verdict depends on the values alone."""
    append_steps(page.log, range(100, 6000))
    page.log.scalar(6000, 1e6)
    page.catalog.refresh()
    name = {"run": "run", "tag": "loss"}
    answers = [
        unpack(page.answer({"series": [name], "pixels": 50, **query})).column(0, "quantiles")
        for query in ({}, {"axis": "relative"}, {"pixels": 3000}, {"range": (0.0, 30.0)}, {"smoothing": 0.9})
    ]
    for quantiles in answers:
        np.testing.assert_array_equal(quantiles, answers[0])
    assert answers[0].size == 64
    assert (np.diff(answers[0]) >= 0).all()
    assert answers[0][-1] < 10


@pytest.mark.parametrize("query", [{}, {"smoothing": 0.9}, {"axis": "wall"}, {"axis": "relative", "smoothing": 0.3}])
def test_only_new_rows_are_sent_of_a_curve_that_grew(page: Page, query: dict[str, Any]) -> None:
    page.ask(**query)
    for step in range(100, 103):
        page.log.scalar(step, 1.5)
    page.ask(**query)
    assert page.facts["kept"] == 100
    assert page.facts["columns"]["value"]["length"] == 3
    page.assert_complete(**query)


def test_everything_is_sent_when_a_known_row_changed(page: Page) -> None:
    page.ask()
    page.log.scalar(50, 3.25)
    page.log.scalar(100, 1.0)
    page.ask()
    assert page.facts["kept"] == 0
    assert page.rows["value"][50] == 3.25
    page.assert_complete()


def test_everything_is_sent_when_the_question_changed(page: Page) -> None:
    page.ask()
    for query in ({"smoothing": 0.5}, {"smoothing": 0.6}, {"pixels": 10}, {"range": (20.0, 30.0)}):
        page.ask(**query)
        assert page.facts["kept"] == 0
        page.assert_complete(**query)


def test_a_curve_that_came_to_be_reduced_is_sent_anew(page: Page) -> None:
    page.ask(pixels=25)
    assert not page.facts["reduced"]
    page.log.scalar(100, 1.0)
    page.ask(pixels=25)
    assert page.facts["reduced"]
    page.assert_complete(pixels=25)


@given(since=st.text(max_size=40) | st.from_regex(r"[0-9a-f]{1,12}-[0-9a-f]{16}", fullmatch=True))
def test_any_other_cursor_stands_for_no_rows(loaded: Page, since: str) -> None:
    loaded.ask(since=since)
    assert loaded.facts["kept"] == 0


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    base = tmp_path_factory.mktemp("logs")
    log = GrowingLog(base / "run")
    for step in range(10):
        log.scalar(step, step)
    page = Page(base, log, Catalog(base))
    yield page
    page.drawn.pool.shutdown()


QUERIES: list[dict[str, Any]] = [
    {"pixels": 300},
    {"pixels": 300, "smoothing": 0.9},
    {"pixels": 300, "range": (1000.5, 50_000.0), "smoothing": 0.6},
    {"pixels": 300, "range": (LONG - 10.0, LONG + 500.0)},
    {"pixels": 300, "axis": "relative", "range": (10.0, 60_000.0)},
    {"pixels": 300, "axis": "wall", "overwritten": True},
    {"pixels": 300, "log_origin": 0.0, "smoothing": 0.6},
    {"pixels": 300, "axis": "relative", "log_origin": -1.5},
]


def test_a_long_curve_is_remembered_and_answered_as_if_it_were_not(page: Page) -> None:
    append_steps(page.log, range(100, LONG + 300))
    for _ in range(2):
        page.catalog.refresh()
        for query in QUERIES:
            asked = {"series": [{"run": "run", "tag": "loss"}], **query}
            want = bytes(pack_curves(page.catalog, CurvesQuery.model_validate(asked)))
            assert page.answer(asked) == want
        append_steps(page.log, [LONG + 900, LONG + 901, 70, 71])
    assert len(page.drawn) == 2


def append_steps(log: GrowingLog, steps: Any) -> None:
    values = np.random.default_rng(len(steps)).standard_normal(len(steps)).tolist()
    with log.path.open("ab") as file:
        for step, value in zip(steps, values, strict=True):
            field = mindspore.value_field({"tag": "loss", "scalar_value": value})
            file.write(frames.frame(mindspore.summary_event(1000.0 + step, step, field)))


def test_no_more_is_kept_than_allowed(page: Page) -> None:
    append_steps(page.log, range(100, LONG + 300))
    page.catalog.refresh()
    page.drawn = CurveCache(kept_bytes=100_000)
    for overwritten in (False, True, False):
        page.answer({"series": [{"run": "run", "tag": "loss"}], "smoothing": 0.5, "overwritten": overwritten})
        assert len(page.drawn) == 1
