# SPDX-License-Identifier: Apache-2.0
"""Histograms over HTTP: every count of the log, in its own buckets or in few rows, and what is new only once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.analysis.stored_values import StoredValues
from mindscope.ingest import Catalog
from mindscope.server.histograms.cache import HistogramCache
from mindscope.server.histograms.query import NUMBERS, pack_histograms
from mindscope.server.histograms.schema import HistogramsQuery
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version

from .live_viewer import DATA, LiveViewer, eventually, running_viewer, unpack

RUNS = ["mindspore/custom_loop", "tensorboard/tb_all/run_a"]
OF_ROWS = ("step", "last_step", "wall_time", "last_wall_time", "merged", "unreadable", *NUMBERS)


class Histograms:
    """The first series of an answer of /api/histograms, taken apart."""

    def __init__(self, body: bytes | memoryview) -> None:
        unpacked = unpack(bytes(body))
        self.header, self._data = unpacked.header["series"][0], unpacked.data

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        place = self.header["columns"][name]
        return np.frombuffer(self._data, place["dtype"], place["length"], place["offset"])


def read(live: LiveViewer, run: str, tag: str, **query: Any) -> Histograms:
    answer = live.http.post("/api/histograms", json={"series": [{"run": run, "tag": tag}], **query}).raise_for_status()
    assert answer.headers["content-type"] == "application/vnd.mindscope.columns"
    return Histograms(answer.content)


@pytest.mark.parametrize("run", RUNS)
def test_every_bucket_of_every_step_is_handed_out(viewer: LiveViewer, run: str):
    opened = mindscope.open_run(DATA / run)
    assert opened.tags("histogram")
    for tag in opened.tags("histogram"):
        got, values = read(viewer, run, tag, rows=1000), opened.histograms(tag)
        assert got["step"].tolist() == got["last_step"].tolist() == values.step.tolist()
        assert got["wall_time"].tolist() == got["last_wall_time"].tolist() == values.wall_time.tolist()
        assert set(got["merged"]) == {1.0}
        edges = got["bucket_start"].astype(int)
        for row, sample in enumerate(values):
            part, want = slice(edges[row], edges[row + 1]), sample.value
            for name in ("left", "right", "count"):
                np.testing.assert_array_equal(got[name][part], getattr(want, name))
            assert (got["minimum"][row], got["maximum"][row]) == (want.minimum, want.maximum)
            assert (got["total"][row], got["nan"][row]) == (want.total, want.nan_count)


def test_values_that_are_no_numbers_are_counted(tmp_path: Path):
    with mindscope.SummaryRecord(tmp_path / "logs" / "run") as record:
        record.add_value("histogram", "w", np.array([1.0, 2.0, np.nan, np.nan, np.inf, -np.inf], np.float32))
        record.record(7)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0") as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        got = read(live, "run", "w")
        assert [got[name].tolist() for name in ("nan", "positive_infinity", "negative_infinity")] == [[2], [1], [1]]
        assert got["total"].tolist() == [6]
        assert got["count"].sum() == 2


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("rows", [2, 3])
def test_merged_steps_lose_no_count(viewer: LiveViewer, run: str, rows: int):
    for tag in mindscope.open_run(DATA / run).tags("histogram"):
        every, few = read(viewer, run, tag, rows=1000), read(viewer, run, tag, rows=rows, buckets=20)
        assert few.header["steps"] == few.header["in_range"] == every["step"].size == few["merged"].sum()
        assert few.header["returned"] == few["step"].size <= rows
        for name in ("count", "total", "nan", "sum"):
            assert few[name].sum() == pytest.approx(every[name].sum())
        assert (few["minimum"].min(), few["maximum"].max()) == (every["minimum"].min(), every["maximum"].max())
        assert np.diff(few["bucket_start"]).max() <= max(20, np.diff(every["bucket_start"]).max())


@dataclass
class Page:
    """A client that keeps the rows of one series of a log that grows."""

    base: Path
    record: mindscope.SummaryRecord
    catalog: Catalog
    merged: HistogramCache = field(default_factory=HistogramCache)
    step: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    counts: list[list[float]] = field(default_factory=list)

    def grow(self, steps: int) -> None:
        for _ in range(steps):
            self.step += 1
            values = np.random.default_rng(self.step).normal(0.0, 1 + self.step / 50, 200).astype(np.float32)
            self.record.add_value("histogram", "w", values)
            self.record.record(self.step)
        self.record.flush()
        self.catalog.refresh()

    def ask(self, **query: Any) -> None:
        name = {"run": "run", "tag": "w", "since": self.facts.get("cursor")}
        asked = HistogramsQuery.model_validate({"series": [name], **query})
        got = Histograms(bytes(pack_histograms(self.catalog, asked, self.merged)))
        kept = got.header["kept"]
        self.facts = got.header
        self.rows = {name: np.concatenate([self.rows.get(name, np.empty(0))[:kept], got[name]]) for name in OF_ROWS}
        edges = got["bucket_start"].astype(int)
        rows = [got["count"][start:stop].tolist() for start, stop in pairwise(edges)]
        self.counts = [*self.counts[:kept], *rows]

    def assert_complete(self, **query: Any) -> None:
        """Compare with a client that asks a viewer that remembers nothing."""
        fresh = Page(self.base, self.record, self.catalog)
        fresh.ask(**query)
        assert fresh.facts["kept"] == 0
        assert {**self.facts, "kept": 0, "columns": None} == {**fresh.facts, "columns": None}
        assert self.counts == fresh.counts
        for name in OF_ROWS:
            np.testing.assert_array_equal(self.rows[name], fresh.rows[name])


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with mindscope.SummaryRecord(tmp_path / "run") as record:
        page = Page(tmp_path, record, Catalog(tmp_path))
        page.grow(40)
        yield page


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The steps whose histograms are read from the log."""
    steps: list[int] = []
    read = StoredValues.read

    def counted(self: StoredValues, places: Any, row: int) -> Any:
        steps.append(int(places.step[row]))
        return read(self, places, row)

    monkeypatch.setattr(StoredValues, "read", counted)
    return steps


def test_nothing_is_read_or_sent_when_nothing_changed(page: Page, reads: list[int]):
    page.ask()
    reads.clear()
    page.ask()
    assert reads == []
    assert page.facts["kept"] == page.facts["returned"] == 40
    page.assert_complete()


def test_only_new_steps_are_read_and_sent(page: Page, reads: list[int]):
    page.ask()
    page.grow(3)
    reads.clear()
    page.ask()
    assert reads == [41, 42, 43]
    assert page.facts["kept"] == 40
    page.assert_complete()


def test_of_merged_steps_only_the_group_that_grew_is_read_and_sent(page: Page, reads: list[int]):
    page.ask(rows=6)
    assert page.rows["merged"].tolist() == [8.0] * 5
    page.grow(2)
    reads.clear()
    page.ask(rows=6)
    assert (reads, page.facts["kept"]) == ([41, 42], 5)
    page.grow(1)
    reads.clear()
    page.ask(rows=6)
    assert (reads, page.facts["kept"]) == ([41, 42, 43], 5)
    page.assert_complete(rows=6)


def test_groups_that_were_merged_once_are_known(page: Page, reads: list[int]):
    page.ask(rows=6)
    page.facts = {}
    reads.clear()
    page.ask(rows=6)
    assert reads == []
    page.assert_complete(rows=6)


def test_groups_double_when_there_are_too_many(page: Page):
    page.ask(rows=5)
    page.grow(1)
    page.ask(rows=5)
    assert page.facts["kept"] == 0
    assert page.rows["merged"].tolist() == [16.0, 16.0, 9.0]
    page.assert_complete(rows=5)


def test_a_range_is_shown_step_by_step(page: Page):
    page.ask(rows=8, range=(11.5, 19.0))
    assert page.rows["step"].tolist() == list(range(12, 20))
    assert page.facts["in_range"] == 8
    assert (page.facts["first"], page.facts["last"]) == (1.0, 40.0)
    wall = page.rows["wall_time"]
    page.facts = {}
    page.ask(rows=8, range=(wall[1], wall[3]), axis="wall")
    assert page.rows["step"].tolist() == [13.0, 14.0, 15.0]
    start = page.facts["start_wall_time"]
    page.facts = {}
    page.ask(rows=8, range=(float(wall[1] - start), float(wall[3] - start)), axis="relative")
    assert page.rows["step"].tolist() == [13.0, 14.0, 15.0]
    page.ask(rows=8, range=(900.0, 1000.0))
    assert page.facts["returned"] == page.facts["in_range"] == 0


def test_what_is_kept_stays_within_its_bound(page: Page):
    page.merged = HistogramCache(kept_bytes=5000)
    for rows in (3, 6, 12):
        page.facts = {}
        page.ask(rows=rows)
        page.assert_complete(rows=rows)


def test_a_histogram_that_can_not_be_read_is_counted_and_the_others_come(tmp_path: Path):
    good = {"tag": "w", "histo": {"num": 3.0, "min": 0.0, "max": 1.0, "bucket_limit": [1.0], "bucket": [3.0]}}
    bad = {"tag": "w", "histo": {"num": 3.0, "bucket_limit": [1.0, 2.0], "bucket": [3.0]}}
    (tmp_path / "logs").mkdir()
    log = tensorboard_version() + b"".join(tensorboard_event(step, bad if step == 2 else good) for step in range(5))
    (tmp_path / "logs" / TENSORBOARD_NAME.format(1)).write_bytes(log)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0") as live:
        eventually(lambda: live.runs().get(".", {}).get("tags"))
        got = read(live, ".", "w")
        assert got["unreadable"].tolist() == [0, 0, 1, 0, 0]
        assert got["bucket_start"].tolist() == [0, 1, 2, 2, 3, 4]
        assert "2 bucket limits for 1 counts." in got.header["problem"]["message"]
        merged = read(live, ".", "w", rows=2)
        assert (merged["merged"].tolist(), merged["unreadable"].tolist()) == ([4, 1], [1, 0])
        assert merged["count"].sum() == 12


def test_a_log_that_is_gone_is_a_problem_and_no_failure(page: Page, tmp_path: Path):
    for log in (tmp_path / "run").iterdir():
        log.unlink()
    page.ask(rows=6)
    assert page.rows["unreadable"].tolist() == page.rows["merged"].tolist() == [8.0] * 5
    assert page.facts["problem"]


@pytest.mark.parametrize("name", [{"run": "nowhere", "tag": "w"}, {"run": RUNS[0], "tag": "train/loss"}])
def test_unknown_series_have_an_error_in_their_place(viewer: LiveViewer, name: dict[str, str]):
    known = {"run": RUNS[0], "tag": mindscope.open_run(DATA / RUNS[0]).tags("histogram")[0]}
    answer = viewer.http.post("/api/histograms", json={"series": [name, known]}).raise_for_status()
    first, second = unpack(answer.content).header["series"]
    assert first["error"]["code"] in ("run_not_found", "tag_not_found")
    assert first["columns"] is None
    assert second["error"] is None


@pytest.mark.parametrize("query", [{"rows": 1}, {"rows": "many"}, {"buckets": 0}, {"range": [0]}, {"steps": 5}])
def test_what_can_not_be_answered_is_refused_in_words(viewer: LiveViewer, query: dict[str, Any]):
    got = viewer.http.post("/api/histograms", json={"series": [{"run": RUNS[0], "tag": "fc1.weight"}], **query})
    assert got.status_code == 422
    assert set(got.json()["error"]) == {"code", "values", "message", "remedy"}
