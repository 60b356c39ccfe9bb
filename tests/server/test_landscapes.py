# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes over HTTP, against what was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.analysis.stored_values import find_value
from mindscope.ingest import Catalog
from mindscope.server.landscapes.query import LandscapeCache, list_landscapes, pack_landscape
from mindscope.server.landscapes.schema import LandscapeHeader
from mindscope.types import Kind, Landscape, LandscapeFacts
from tests.event_log import MINDSPORE_NAME, append
from tests.hostile_values import landscape as hostile_landscape
from tests.hostile_values import version

from .live_viewer import DATA, LiveViewer, check_header, unpack

DEEP = "mindspore/landscape/unit_step"
X, Y = np.linspace(-1, 2, 6), np.linspace(-2, 2, 4)
LOSSES = np.add.outer(Y**2, X**2)
LOSSES[0, :3] = np.nan, np.inf, -np.inf
PATH: Any = {"path_intervals": (2, 4, 6), "path_x": X[:3], "path_y": Y[:3], "path_z": np.array([3.0, 2.0, 1.0])}


def partial(done: int) -> Landscape:
    facts = LandscapeFacts(
        method="pca",
        path_distances=np.array([0.5, 0.25, 0.0]),
        path_lengths=np.array([2.0, 1.0, 0.0]),
        explained_variance=(0.7, 0.13),
        degenerate="line",
        failure="" if done == 24 else "no memory",
        evaluated=np.isfinite(LOSSES),
        normalization="as_trained",
        num_samples=2048,
        seed=7,
        evaluation="grouped",
        dtype="bfloat16",
        dtype_error=0.01,
        seconds=12.5,
        points_done=done,
        points_total=24,
        seconds_left=None if done == 24 else 3.0,
    )
    return Landscape(X, Y, LOSSES, **PATH, convergence_point=(0.0, 0.0, 1.0), unit="epoch", facts=facts)


def record(directory: Path, *landscapes: tuple[str, Landscape]) -> None:
    with mindscope.SummaryRecord(directory) as recorder:
        for tag, each in landscapes:
            recorder.add_value("landscape", tag, each)
            recorder.record(0)


def unpacked(body: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    answer = unpack(body)
    check_header(LandscapeHeader, answer)
    places = answer.header["columns"]
    return answer.header, {
        n: np.frombuffer(answer.data, p["dtype"], p["length"], p["offset"]) for n, p in places.items()
    }


def query(viewer: LiveViewer, *runs: str) -> dict[str, Any]:
    return viewer.http.post("/api/landscapes", json={"runs": runs}).raise_for_status().json()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    (tmp_path / "logs" / "run").mkdir(parents=True)
    catalog = Catalog(tmp_path / "logs")
    yield catalog
    catalog.close()


def test_landscapes_of_mindspore_are_those_of_the_log(viewer: LiveViewer):
    got = query(viewer, DEEP, "nix", DEEP)
    expected = mindscope.open_run(DATA / DEEP).landscapes()
    assert [entry["tag"] for entry in got["landscapes"]] == list(expected)
    unknown = viewer.http.get("/api/landscapes/data", params={"run": DEEP, "tag": next(iter(expected)), "id": "0-0-0"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "value_not_found")
    assert [(run["run"], run["network"], run["optimizer"]) for run in got["runs"]] == [(DEEP, "MLP", "Momentum")]
    for entry in got["landscapes"]:
        landscape = expected[entry["tag"]]
        asked = {name: entry[name] for name in ("run", "tag", "id")}
        response = viewer.http.get("/api/landscapes/data", params=asked).raise_for_status()
        assert "immutable" in response.headers["cache-control"]
        header, columns = unpacked(response.content)
        assert (entry["rows"], entry["columns"]) == landscape.z.shape
        assert (header["interval"], header["unit"]) == (list(landscape.path_intervals), "step")
        assert header["facts"] is None
        assert entry["rise"] is None
        np.testing.assert_array_equal(columns["losses"], landscape.z.reshape(-1))
        np.testing.assert_array_equal(columns["path_losses"], [] if landscape.path_z is None else landscape.path_z)
        assert columns["evaluated"].size == columns["path_distances"].size == 0


def test_facts_and_numbers_that_are_not_finite_reach_the_page(catalog: Catalog):
    record(catalog.base / "run", ("landscape_[2, 6]", partial(12)))
    catalog.refresh()
    (entry,) = list_landscapes(catalog, ["run"], LandscapeCache()).landscapes
    value = find_value(catalog.run("run"), Kind.LANDSCAPE, entry.tag, entry.id)
    assert value is not None
    header, columns = unpacked(bytes(pack_landscape("run", entry.tag, entry.id, value)))
    np.testing.assert_array_equal(columns["losses"], LOSSES.reshape(-1))
    np.testing.assert_array_equal(columns["evaluated"], np.isfinite(LOSSES).reshape(-1))
    np.testing.assert_array_equal(columns["path_distances"], [0.5, 0.25, 0.0])
    assert header["facts"]["explained_variance"] == pytest.approx([0.7, 0.13])
    assert header["facts"]["degenerate"] == "line"
    assert header["facts"]["failure"] == "no memory"
    assert (header["facts"]["dtype"], header["facts"]["seed"], header["convergence"]) == ("bfloat16", 7, [0, 0, 1])


def test_how_flat_the_end_is_reaches_the_page(catalog: Catalog):
    """On x**2 + 4 y**2 around 0, with directions of length 1 and weights of norm 2."""
    axis = np.linspace(-1, 1, 21)
    z = np.add.outer(4 * axis**2, axis**2)
    facts = LandscapeFacts(weight_norm=2.0, direction_products=(1.0, 0.0, 1.0))
    z_far = np.where(np.add.outer(axis**2, axis**2) > 0.8, np.nan, z)
    for tag, losses in (("whole", z), ("holes", z_far)):
        record(catalog.base / "run", (tag, Landscape(axis, axis, losses, facts=facts)))
    with mindscope.SummaryRecord(catalog.base / "run") as recorder:
        for step, trace in ((3, 5.0), (7, float("inf"))):
            recorder.add_value("scalar", "sharpness/top_eigenvalue_1", 8.0 / step)
            recorder.add_value("scalar", "sharpness/trace", trace)
            recorder.record(step)
    catalog.refresh()
    answer = list_landscapes(catalog, ["run"], LandscapeCache())
    found = {entry.tag: entry.rise for entry in answer.landscapes}
    assert answer.runs[0].sharpness is not None
    assert answer.runs[0].sharpness.model_dump() == {"step": 7, "top_eigenvalue": pytest.approx(8 / 7), "trace": None}
    whole, holes = found["whole"], found["holes"]
    assert whole is not None
    assert holes is not None
    assert whole.radius == [0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]
    squares = np.square(2 * np.array(whole.radius))
    np.testing.assert_allclose(np.array(whole.lowest, float), squares)
    np.testing.assert_allclose(np.array(whole.mean, float), 2.5 * squares)
    np.testing.assert_allclose(np.array(whole.highest, float), 4 * squares)
    assert holes.mean[-1] is holes.highest[-1] is None
    assert holes.mean[0] == whole.mean[0]


def test_the_newest_of_a_tag_wins_while_it_is_computed(catalog: Catalog):
    cache = LandscapeCache()

    def entry() -> Any:
        catalog.refresh()
        (found,) = list_landscapes(catalog, ["run"], cache).landscapes
        return found

    record(catalog.base / "run", ("landscape_[2, 6]", partial(6)))
    first = entry()
    assert (first.points_done, first.points_total, first.seconds_left) == (6, 24, 3.0)
    record(catalog.base / "run", ("landscape_[2, 6]", partial(24)))
    last = entry()
    assert (last.points_done, last.points_total, last.seconds_left) == (24, 24, None)
    assert last.id != first.id


def test_a_landscape_that_cannot_be_read_hides_no_other(catalog: Catalog):
    wrong = hostile_landscape("wrong", None, z={"dims": [3], "data_type": 11, "float_data": [1.0, 2.0, 3.0]})
    append(catalog.base / "run" / MINDSPORE_NAME.format(1), version() + wrong)
    record(catalog.base / "run", ("fine", partial(24)))
    catalog.refresh()
    found = {entry.tag: entry for entry in list_landscapes(catalog, ["run"], LandscapeCache()).landscapes}
    assert found["fine"].problem is None
    assert found["wrong"].problem is not None
    assert found["wrong"].problem.code == "landscape_shape"
