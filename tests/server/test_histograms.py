# SPDX-License-Identifier: Apache-2.0
"""Histograms over HTTP: every bucket of the log, and never one that is not in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindscope
from mindscope.server.histograms import choose_rows
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version

from .live_viewer import DATA, LiveViewer, eventually, running_viewer, unpack

RUNS = ["mindspore/custom_loop", "tensorboard/tb_all/run_a"]


class Histograms:
    """An answer of /api/histograms, taken apart."""

    def __init__(self, body: bytes) -> None:
        unpacked = unpack(body)
        self.header, self._data = unpacked.header, unpacked.data

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        place = self.header["columns"][name]
        return np.frombuffer(self._data, place["dtype"], place["length"], place["offset"])


def read(live: LiveViewer, run: str, tag: str, **query: Any) -> Histograms:
    answer = live.http.get("/api/histograms", params={"run": run, "tag": tag, **query}).raise_for_status()
    assert answer.headers["content-type"] == "application/vnd.mindscope.columns"
    return Histograms(answer.content)


@pytest.mark.parametrize("run", RUNS)
def test_every_bucket_of_every_step_is_handed_out(viewer: LiveViewer, run: str):
    opened = mindscope.open_run(DATA / run)
    assert opened.tags("histogram")
    for tag in opened.tags("histogram"):
        got, values = read(viewer, run, tag), opened.histograms(tag)
        assert got["step"].tolist() == values.step.tolist()
        assert got["wall_time"].tolist() == values.wall_time.tolist()
        assert got["left_out"].size == 0
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


def test_fewer_steps_are_whole_and_the_others_are_named(viewer: LiveViewer):
    run = RUNS[0]
    tag = mindscope.open_run(DATA / run).tags("histogram")[0]
    every, few = read(viewer, run, tag), read(viewer, run, tag, steps=3)
    assert few.header["steps"] == every.header["steps"] == every["step"].size
    assert few.header["returned"] == few["step"].size <= 3
    assert sorted([*few["step"], *few["left_out"]]) == every["step"].tolist()
    first, second = few["bucket_start"].astype(int)[:2]
    np.testing.assert_array_equal(few["count"][first:second], every["count"][: second - first])


@given(count=st.integers(0, 5000), limit=st.integers(2, 300))
def test_chosen_rows_hold_both_ends_and_are_as_many_as_fit(count: int, limit: int):
    rows = choose_rows(count, limit)
    assert rows.size <= max(limit, 0)
    assert rows.size == min(count, rows.size)
    if count:
        assert (rows[0], rows[-1]) == (0, count - 1)
        assert rows.size == count or rows.size >= limit // 2
    assert (np.diff(rows) > 0).all()


@given(count=st.integers(2, 3000), limit=st.integers(2, 200))
def test_a_chosen_row_stays_while_others_are_appended(count: int, limit: int):
    before, after = choose_rows(count, limit), choose_rows(count + 1, limit)
    stays = np.isin(before[:-1], after).mean() if before.size > 1 else 1.0
    assert stays == 1.0 or after.size <= before.size // 2 + 2


def test_a_histogram_that_can_not_be_read_is_counted_and_the_others_come(tmp_path: Path):
    good = {"tag": "w", "histo": {"num": 3.0, "min": 0.0, "max": 1.0, "bucket_limit": [1.0], "bucket": [3.0]}}
    bad = {"tag": "w", "histo": {"num": 3.0, "bucket_limit": [1.0, 2.0], "bucket": [3.0]}}
    (tmp_path / "logs").mkdir()
    log = tensorboard_version() + tensorboard_event(1, good) + tensorboard_event(2, bad)
    (tmp_path / "logs" / TENSORBOARD_NAME.format(1)).write_bytes(log)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0") as live:
        eventually(lambda: live.runs().get(".", {}).get("tags"))
        got = read(live, ".", "w")
        assert got["step"].tolist() == [1]
        assert got["count"].tolist() == [3.0]
        assert got.header["unreadable"] == 1
        assert "2 bucket limits for 1 counts" in got.header["problem"]


@pytest.mark.parametrize(
    ("query", "status"),
    [({"run": "nowhere"}, 404), ({"tag": "train/loss"}, 404), ({"steps": 1}, 422), ({"steps": "many"}, 422)],
)
def test_what_can_not_be_answered_is_refused_in_words(viewer: LiveViewer, query: dict[str, Any], status: int):
    got = viewer.http.get("/api/histograms", params={"run": RUNS[0], "tag": "fc1.weight"} | query)
    assert got.status_code == status
    assert set(got.json()["error"]) == {"code", "message", "remedy"}
