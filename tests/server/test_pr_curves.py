# SPDX-License-Identifier: Apache-2.0
"""PR curves of many series in one request, against what the log's own reader says, and what is new only once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.analysis.pr_curves import NAMES
from mindscope.ingest import Catalog
from mindscope.server.pr_curves.query import pack_pr_curves
from mindscope.server.pr_curves.schema import PrCurvesHeader, PrCurvesQuery
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version

from .live_viewer import DATA, Columns, LiveViewer, check_header, unpack

RUN, TAG = "tensorboard/tb_all/run_a", "pr"


class Series:
    """One series of an answer, taken apart."""

    def __init__(self, answer: Columns, number: int) -> None:
        self.header, self._data = answer.header["series"][number], answer.data

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        place = self.header["columns"][name]
        return np.frombuffer(self._data, place["dtype"], place["length"], place["offset"])

    def curves(self) -> list[np.ndarray[Any, Any]]:
        """The rows of each curve that was sent, in the order of the log."""
        starts = self["curve_start"].astype(int)
        rows = np.stack([self[name] for name in NAMES])
        return [rows[:, start:end] for start, end in pairwise(starts)]


def ask(catalog: Catalog, *series: dict[str, Any]) -> list[Series]:
    answer = unpack(bytes(pack_pr_curves(catalog, PrCurvesQuery.model_validate({"series": [*series]}))))
    check_header(PrCurvesHeader, answer)
    return [Series(answer, number) for number in range(len(series))]


@pytest.fixture(scope="module")
def logs() -> Iterator[Catalog]:
    catalog = Catalog(DATA)
    catalog.refresh()
    yield catalog
    catalog.close()


def test_all_curves_are_those_of_the_log(viewer: LiveViewer):
    want = mindscope.open_run(DATA / RUN).pr_curves(TAG)
    body = {"series": [{"run": RUN, "tag": TAG, "step": "all"}, {"run": "nix", "tag": TAG}]}
    answer = viewer.http.post("/api/pr_curves", json=body).raise_for_status()
    assert answer.headers["content-type"] == "application/vnd.mindscope.columns"
    got, unknown = (Series(unpack(answer.content), number) for number in range(2))
    assert got["step"].tolist() == got["steps"].tolist() == want.step.tolist()
    assert got["wall_time"].tolist() == want.wall_time.tolist()
    for curve, value in zip(got.curves(), want, strict=True):
        np.testing.assert_array_equal(curve, value.value.value)
    count = want[0].value.value.shape[1]
    np.testing.assert_allclose(got["threshold"][:count], np.linspace(0, 1, count))
    assert unknown.header["error"]["code"] == "run_not_found"


def test_a_step_stands_for_the_last_curve_up_to_it(logs: Catalog):
    steps = mindscope.open_run(DATA / RUN).pr_curves(TAG).step.tolist()
    assert len(steps) > 1
    wanted = {steps[0] - 7: 0, steps[0]: 0, steps[1] - 1: 0, steps[1]: 1, 2**70: -1, "newest": -1}
    answer = ask(logs, *({"run": RUN, "tag": TAG, "step": step} for step in wanted))
    assert [series["step"].tolist() for series in answer] == [[steps[row]] for row in wanted.values()]
    assert all(series["steps"].tolist() == steps for series in answer)


def test_only_new_curves_are_sent(tmp_path: Path):
    log = begun_log(tmp_path)
    append(log, b"".join(pr_event(step) for step in range(3)))
    with_three = look(tmp_path, "all", None)
    append(log, pr_event(3))
    grown = look(tmp_path, "all", with_three.header["cursor"])
    assert (grown.header["kept"], grown.header["returned"], grown["step"].tolist()) == (3, 4, [3.0])
    np.testing.assert_array_equal(grown.curves()[0], pr_table(3))
    newest = look(tmp_path, "newest", None)
    again = look(tmp_path, "newest", newest.header["cursor"])
    assert (again.header["kept"], again["recall"].size) == (1, 0)


def test_a_tensor_that_is_no_curve_is_told_and_hides_no_other(tmp_path: Path):
    log = begun_log(tmp_path)
    append(log, pr_event(0) + pr_event(1, np.zeros((2, 5), np.float32)) + pr_event(2))
    series = look(tmp_path, "all", None)
    assert [curve.shape for curve in series.curves()] == [(6, 4), (6, 0), (6, 4)]
    problem = series.header["problem"]
    assert (problem["code"], problem["values"]) == (
        "not_a_pr_curve",
        {"shape": "(2, 5)", "dtype": "float32", "rows": 6},
    )


def look(base: Path, step: str, since: str | None) -> Series:
    catalog = Catalog(base)
    catalog.refresh()
    try:
        return ask(catalog, {"run": "run", "tag": TAG, "step": step, "since": since})[0]
    finally:
        catalog.close()


def begun_log(base: Path) -> Path:
    log = base / "run" / TENSORBOARD_NAME.format(1)
    log.parent.mkdir()
    append(log, tensorboard_version())
    return log


def pr_table(step: int) -> np.ndarray[Any, Any]:
    return (np.arange(24).reshape(6, 4) + 100 * step).astype(np.float32)


def pr_event(step: int, table: np.ndarray[Any, Any] | None = None) -> bytes:
    rows = pr_table(step) if table is None else table
    tensor = {
        "dtype": 1,
        "tensor_shape": {"dim": [{"size": size} for size in rows.shape]},
        "tensor_content": rows.tobytes(),
    }
    return tensorboard_event(
        step, {"tag": TAG, "tensor": tensor, "metadata": {"plugin_data": {"plugin_name": "pr_curves"}}}
    )
