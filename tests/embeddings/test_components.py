# SPDX-License-Identifier: Apache-2.0
"""Principal components against scikit-learn, neighbors against it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from mindscope.embeddings import components
from mindscope.embeddings.components import principal_components
from mindscope.embeddings.neighbors import Metric, nearest, neighbor_graph

LOADED: Any = load_digits()
DIGITS: np.ndarray = LOADED.data.astype(np.float32)
RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize(
    "vectors",
    [
        DIGITS,
        DIGITS[:40],
        RANDOM.normal(size=(30, 500)).astype(np.float32) + 100,
        (RANDOM.normal(size=(700, 3)) * [9, 3, 1]).astype(np.float32),
    ],
    ids=["digits", "fewer rows than columns", "wide and far from zero", "three columns"],
)
def test_components_are_those_of_scikit_learn(vectors: np.ndarray) -> None:
    got = principal_components(vectors)
    reference = PCA(n_components=got.coordinates.shape[1], svd_solver="full")
    want = reference.fit_transform(vectors.astype(np.float64))
    for index in range(want.shape[1]):
        sign = np.sign(want[:, index] @ got.coordinates[:, index])
        np.testing.assert_allclose(got.coordinates[:, index] * sign, want[:, index], atol=2e-4 * np.abs(want).max())
    np.testing.assert_allclose(got.explained, reference.explained_variance_ratio_, rtol=1e-5)


def test_large_matrices_have_the_same_first_components(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = principal_components(DIGITS)
    monkeypatch.setattr(components, "_MOST_EXACT", 20)
    iterated = principal_components(DIGITS)
    np.testing.assert_allclose(iterated.explained, exact.explained, rtol=1e-3)
    np.testing.assert_allclose(np.abs(iterated.coordinates[:, :3]), np.abs(exact.coordinates[:, :3]), atol=0.05)


def test_equal_vectors_have_no_variance() -> None:
    got = principal_components(np.ones((5, 4), np.float32))
    assert not got.coordinates.any()
    assert not got.explained.any()


def test_components_can_be_ended() -> None:
    def check() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        principal_components(DIGITS, check)


@pytest.mark.parametrize("metric", list(Metric))
def test_neighbors_of_a_point_are_those_of_scikit_learn(metric: Metric) -> None:
    reference = NearestNeighbors(n_neighbors=31, metric=metric.value).fit(DIGITS.astype(np.float64))
    for point in (0, 7, len(DIGITS) - 1):
        distances, points = reference.kneighbors(DIGITS[point : point + 1].astype(np.float64))
        got, got_distances = nearest(DIGITS, point, 30, metric)
        np.testing.assert_allclose(got_distances, distances[0, 1:], atol=1e-9)
        assert set(got[:-1]) <= set(points[0])
        assert point not in got


def test_neighbors_of_zero_vectors_and_of_few_points() -> None:
    vectors = np.array([[0, 0], [1, 0], [2, 0], [0, 1]], np.float32)
    points, distances = nearest(vectors, 0, 10, Metric.COSINE)
    assert points.tolist() == [1, 2, 3]
    assert distances.tolist() == [1, 1, 1]
    points, distances = nearest(vectors, 1, 2, Metric.COSINE)
    assert points.tolist() == [2, 0]
    assert distances.tolist() == [0, 1]
    assert nearest(vectors[:1], 0, 5, Metric.EUCLIDEAN)[0].tolist() == []


def test_graph_is_that_of_scikit_learn() -> None:
    graph = neighbor_graph(DIGITS + 1000, 20)
    reference = NearestNeighbors(n_neighbors=21).fit(DIGITS.astype(np.float64))
    distances, _ = reference.kneighbors()[0], None
    np.testing.assert_allclose(graph.distances, distances[:, :20], atol=1e-2)
    assert (graph.neighbors != np.arange(len(DIGITS))[:, None]).all()
    assert graph.sample.tolist() == list(range(len(DIGITS)))


def test_graph_of_many_points_has_evenly_spaced_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindscope.embeddings.neighbors.MOST_GRAPH_POINTS", 500)
    graph = neighbor_graph(DIGITS, 5)
    assert graph.sample.tolist() == list(range(0, len(DIGITS), 4))
    assert graph.neighbors.max() < len(graph.sample)
