# SPDX-License-Identifier: Apache-2.0
"""Directions and planes against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.landscape.directions import principal_directions, scale_to_weights
from mindscope.landscape.plane import Plane, Points, landscape_of_path, landscape_of_result

SIZES = [3, 5, 2]


def weights(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, sum(SIZES)))


@given(seed=st.integers(0, 1000), count=st.integers(3, 12))
def test_directions_are_orthogonal_and_the_first_explains_most(seed: int, count: int) -> None:
    states = weights(count, seed)
    first, second = principal_directions(states)
    assert abs(first @ second) < 1e-9 * max(1.0, first @ first)
    differences = (states[:-1] - states[-1]).T
    centerd = differences - differences.mean(axis=0)
    singular = np.linalg.svd(centerd, compute_uv=False)
    assert np.linalg.norm(first) == pytest.approx(singular[0])
    assert np.linalg.norm(second) == pytest.approx(singular[1])
    assert first[np.argmax(np.abs(first))] > 0


def test_parts_of_a_direction_are_as_long_as_the_parameters() -> None:
    state, direction = weights(2)
    direction[3:8] = 0
    scaled = scale_to_weights(direction, state, SIZES)
    for start, end in ((0, 3), (8, 10)):
        assert np.linalg.norm(scaled[start:end]) == pytest.approx(np.linalg.norm(state[start:end]))
        ratio = scaled[start:end] / direction[start:end]
        np.testing.assert_allclose(ratio, ratio[0])
    assert not scaled[3:8].any()


def plane() -> Plane:
    origin, v, w = weights(3, 4)
    return Plane(origin, v, w)


def test_coordinates_of_points_on_the_plane_are_their_own() -> None:
    on = plane()
    points = np.array([[0.5, -2.0], [0.0, 0.0], [3.0, 1.0]])
    np.testing.assert_allclose(on.coordinates(np.stack([on.at(a, b) for a, b in points])), points, atol=1e-12)


def test_nearest_point_leaves_a_rest_that_stands_on_the_plane() -> None:
    on, (state,) = plane(), weights(1, 9)
    ((a, b),) = on.coordinates(state[np.newaxis])
    rest = state - on.at(a, b)
    assert abs(rest @ on.v) < 1e-9
    assert abs(rest @ on.w) < 1e-9


def check_bowl(on: Plane) -> Points:
    """Draw a quadratic loss around a path; returns all points at which it was asked for."""
    asked: list[Points] = []

    def evaluate(points: Points) -> list[float]:
        asked.append(points)
        return [float(np.sum((on.at(a, b) - on.origin) ** 2)) for a, b in points]

    path = np.array([[2.0, 1.0], [1.0, -1.0], [0.0, 0.0]])
    drawn = landscape_of_path(path, [2, 4, 6], 7, evaluate)
    assert drawn.path_z is not None
    np.testing.assert_allclose(drawn.x, np.linspace(-0.4, 2.4, 7))
    np.testing.assert_allclose(drawn.y, np.linspace(-1.4, 1.4, 7))
    want = [[np.sum((a * on.v + b * on.w) ** 2) for a in drawn.x] for b in drawn.y]
    np.testing.assert_allclose(drawn.z, want)
    np.testing.assert_allclose(drawn.path_z, [np.sum((a * on.v + b * on.w) ** 2) for a, b in path])
    assert drawn.path_intervals == (2, 4, 6)
    assert drawn.convergence_point == (0.0, 0.0, 0.0)
    return np.concatenate(asked)


def test_losses_around_a_path_are_those_of_the_closed_form() -> None:
    assert len(check_bowl(plane())) == 3 + 49


@pytest.mark.parametrize("size", [4, 5])
def test_result_converges_at_its_middle_for_every_size(size: int) -> None:
    drawn = landscape_of_result(size, lambda points: [3.0 + a * a + 2 * b * b for a, b in points])
    assert drawn.convergence_point == (0.0, 0.0, 3.0)
    np.testing.assert_allclose(drawn.x, np.linspace(-1, 1, size))
    np.testing.assert_allclose(drawn.z, [[3 + a * a + 2 * b * b for a in drawn.x] for b in drawn.y])
    assert drawn.path_x is None
