# SPDX-License-Identifier: Apache-2.0
"""Norms of many series at steps, against the arrays that were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.analysis.norms import NormState, norm_of_histogram
from mindscope.ingest import Catalog
from mindscope.server.norms.query import pack_norms
from mindscope.server.norms.schema import NormsHeader, NormsQuery
from mindscope.types import Histogram
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version

from .live_viewer import DATA, Columns, LiveViewer, check_header, unpack

FIELDS = ("norm", "largest", "nan", "infinite", "state")
ARRAYS = {step: np.random.default_rng(step).laplace(size=(40, 50)).astype(np.float32) for step in (0, 5, 10)}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """A run that records one weight as histogram, tensor and scalar, and odd ones at step 10."""
    base = tmp_path_factory.mktemp("logs")
    with mindscope.SummaryRecord(base / "run") as record:
        for step, array in ARRAYS.items():
            record.add_value("histogram", "w", array)
            record.add_value("tensor", "w", array)
            record.add_value("scalar", "norm/w", float(np.linalg.norm(array)))
            if step == 10:
                odd = np.array([3.0, -4.0, np.nan, np.inf, -np.inf, np.nan], np.float32)
                record.add_value("histogram", "odd", odd)
                record.add_value("tensor", "odd", odd)
                record.add_value("histogram", "lost", np.full(7, np.nan, np.float32))
                record.add_value("scalar", "odd", float("nan"))
                record.add_value("tensor", "counts", np.array([[-3], [4]], np.int64))
            record.record(step)
    catalog = Catalog(base)
    catalog.refresh()
    yield catalog
    catalog.close()


def ask(catalog: Catalog, series: list[tuple[str, str]], **query: Any) -> dict[str, np.ndarray[Any, Any]]:
    names = [{"kind": kind, "tag": tag} for kind, tag in series]
    asked = NormsQuery.model_validate({"run": "run", "series": names, **query})
    return columns_of(unpack(bytes(pack_norms(catalog, asked))), len(names), len(asked.steps))


def columns_of(answer: Columns, series: int, steps: int) -> dict[str, np.ndarray[Any, Any]]:
    check_header(NormsHeader, answer)
    places = answer.header["columns"]
    read = {n: np.frombuffer(answer.data, p["dtype"], p["length"], p["offset"]) for n, p in places.items()}
    return {"recorded": read["recorded"], **{name: read[name].reshape(series, steps) for name in FIELDS}}


def test_norms_are_those_of_the_arrays(catalog: Catalog):
    got = ask(catalog, [("scalar", "norm/w"), ("tensor", "w"), ("histogram", "w")], steps=[10, 0], wants_steps=True)
    want = [float(np.linalg.norm(ARRAYS[step])) for step in (10, 0)]
    assert got["norm"][:2] == pytest.approx(np.array([want, want]), rel=1e-6)
    assert got["norm"][2] == pytest.approx(want, rel=0.01)
    assert got["state"].tolist() == [[NormState.EXACT] * 2] * 2 + [[NormState.ESTIMATED] * 2]
    largest = [float(np.abs(ARRAYS[step]).max()) for step in (10, 0)]
    assert got["largest"][1].tolist() == got["largest"][2].tolist() == largest
    assert got["recorded"].tolist() == [0, 5, 10]


def test_what_is_missing_is_not_zero(catalog: Catalog):
    got = ask(catalog, [("histogram", "odd"), ("histogram", "unknown"), ("scalar", "odd")], steps=[4, 5, 10, -1])
    assert got["state"].tolist() == [[0, 0, NormState.ESTIMATED, 0], [0] * 4, [0, 0, NormState.EXACT, 0]]
    assert np.isnan(got["norm"][1]).all()
    assert got["recorded"].size == 0
    beyond = ask(catalog, [("scalar", "norm/w"), ("tensor", "w")], steps=[2**63, -(2**70), 2**63 - 1, 0])
    assert beyond["state"].tolist() == [[0, 0, 0, NormState.EXACT]] * 2


def test_numbers_that_are_not_finite_are_counted(catalog: Catalog):
    series = [("tensor", "odd"), ("histogram", "odd"), ("histogram", "lost"), ("scalar", "odd"), ("tensor", "counts")]
    got = ask(catalog, series, steps=[10])
    assert got["nan"][:, 0].tolist() == [2, 2, 7, 1, 0]
    assert got["infinite"][:, 0].tolist() == [2, 2, 0, 0, 0]
    assert got["norm"][[0, 4], 0].tolist() == [5.0, 5.0]
    assert got["largest"][[0, 1, 4], 0].tolist() == [4.0, 4.0, 4.0]
    assert np.isnan(got["norm"][2:4]).all()


def test_a_sum_of_squares_in_the_log_is_exact(tmp_path: Path):
    histogram = {"min": -1.0, "max": 2.0, "num": 2.0, "sum": 1.0, "sum_squares": 5.0}
    buckets = {"bucket_limit": np.array([0.0, 2.0]), "bucket": np.array([1.0, 1.0])}
    path = tmp_path / "run" / TENSORBOARD_NAME
    path.parent.mkdir()
    append(path, tensorboard_version() + tensorboard_event(3, {"tag": "w", "histo": {**histogram, **buckets}}))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    got = ask(catalog, [("histogram", "w")], steps=[3])
    assert got["norm"][0, 0] == pytest.approx(5**0.5)
    assert got["state"][0, 0] == NormState.EXACT
    catalog.close()


@pytest.mark.parametrize(("edges", "want"), [([0.0, 0.0], NormState.EXACT), ([0.0, 1.0], NormState.ESTIMATED)])
def test_a_histogram_of_one_value_is_exact(edges: list[float], want: NormState):
    low, high = edges
    histogram = Histogram(np.array([low]), np.array([high]), np.array([9.0]), low, high, 0.0, 9.0)
    assert norm_of_histogram(histogram).state is want


def test_the_route_answers_for_a_real_log(viewer: LiveViewer):
    run = "mindspore/ops"
    tags = mindscope.open_run(DATA / run).tags("histogram")
    body = {
        "run": run,
        "series": [{"kind": "histogram", "tag": tag} for tag in tags],
        "steps": [1],
        "wants_steps": True,
    }
    answer = viewer.http.post("/api/norms", json=body).raise_for_status().content
    got = columns_of(unpack(answer), len(tags), 1)
    assert got["recorded"].size > 0
    assert set(got["state"][:, 0].tolist()) <= {*NormState}
    assert viewer.http.post("/api/norms", json={**body, "run": "none"}).status_code == 404
    assert viewer.http.post("/api/norms", json={**body, "steps": ["1"]}).status_code == 422
