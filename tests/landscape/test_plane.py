# SPDX-License-Identifier: Apache-2.0
"""Directions and planes against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.landscape import blocks
from mindscope.landscape.directions import filter_normalized, principal_directions, scale_to_weights
from mindscope.landscape.plane import Plane
from mindscope.landscape.planes import line_between, path_plane, plane_through_three, random_plane

SHAPES = [(3,), (5, 2), (2, 1, 2)]
SIZES = [3, 10, 4]


def weights(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, sum(SIZES)))


def svd_directions(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As MindSpore has them: the first left singular vectors times their singular values, and all singular values."""
    differences = (states[:-1] - states[-1]).T
    left, singular, _ = np.linalg.svd(differences - differences.mean(axis=0), full_matrices=False)
    signs = np.sign(left[np.argmax(np.abs(left), axis=0), np.arange(left.shape[1])])
    return (left * singular * signs)[:, :2].T, singular


@given(seed=st.integers(0, 1000), count=st.integers(3, 12))
def test_directions_by_the_gram_matrix_are_those_of_the_singular_values(seed: int, count: int) -> None:
    states = weights(count, seed)
    want, singular = svd_directions(states)
    got = principal_directions(states)
    np.testing.assert_allclose(got.vectors, want, rtol=1e-6, atol=1e-9 * singular[0])
    np.testing.assert_allclose(got.explained_variance, singular[:2] ** 2 / np.sum(singular**2))


def test_directions_of_float32_in_many_blocks_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    states = np.cumsum(np.random.default_rng(0).standard_normal((6, 5000)), axis=0).astype(np.float32)
    monkeypatch.setattr(blocks, "BLOCK", 64)
    got = principal_directions(list(states)).vectors
    np.testing.assert_allclose(got, svd_directions(states.astype(np.float64))[0], rtol=1e-4, atol=1e-5)
    assert {each.dtype for each in got} == {np.dtype(np.float32)}


def test_parts_of_a_direction_are_as_long_as_the_parameters() -> None:
    state, direction = weights(2)
    direction[3:13] = 0
    scaled = scale_to_weights(direction, state, SIZES)
    for start, end in ((0, 3), (13, 17)):
        assert np.linalg.norm(scaled[start:end]) == pytest.approx(np.linalg.norm(state[start:end]))
        ratio = scaled[start:end] / direction[start:end]
        np.testing.assert_allclose(ratio, ratio[0])
    assert not scaled[3:13].any()


def test_filters_of_a_random_direction_are_as_long_as_those_of_the_weights() -> None:
    (state,) = weights(1)
    state[3:5] = 0  # a filter without weights
    direction = filter_normalized(state, SHAPES, 7)
    assert not direction[:3].any()  # a bias
    for (filters, *_), start, size in zip(SHAPES[1:], (3, 13), SIZES[1:], strict=True):
        got, want = (each[start : start + size].reshape(filters, -1) for each in (direction, state))
        np.testing.assert_allclose(np.linalg.norm(got, axis=1), np.linalg.norm(want, axis=1), rtol=1e-6)
    assert (direction == filter_normalized(state, SHAPES, 7)).all()
    assert (direction != filter_normalized(state, SHAPES, 8))[5:].all()
    with pytest.raises(ValueError, match="a vector has 17 elements, its parameters 4"):
        filter_normalized(state, SHAPES[2:], 7)


def plane() -> Plane:
    origin, v, w = weights(3, 4)
    return Plane(origin, v, w)


def test_coordinates_of_points_on_the_plane_are_their_own() -> None:
    on = plane()
    points = np.array([[0.5, -2.0], [0.0, 0.0], [3.0, 1.0]])
    seen = on.project(np.stack([on.at(a, b) for a, b in points]))
    np.testing.assert_allclose(seen.coordinates, points, atol=1e-12)
    np.testing.assert_allclose(seen.distances, 0, atol=1e-12)
    assert sum(seen.explained_variance) == pytest.approx(1)


def test_states_that_do_not_differ_have_no_variance() -> None:
    on = plane()
    assert on.project(np.stack([on.origin])).explained_variance == ()
    assert on.project(np.stack([on.at(1, 2)] * 3)).explained_variance == ()


def test_weights_at_a_point_have_the_dtype_of_the_vectors() -> None:
    on = Plane(*weights(3).astype(np.float32))
    assert on.at(*np.array([0.5, 0.25])).dtype == np.float32
    np.testing.assert_allclose(on.at(0.5, 0.25), on.origin + 0.5 * on.v + 0.25 * on.w)


def test_distance_of_a_state_is_the_length_of_what_is_orthogonal_to_the_plane() -> None:
    on, states = plane(), weights(5, 9)
    seen = on.project(states)
    basis = np.linalg.qr(np.stack([on.v, on.w], axis=1))[0]
    differences = states - on.origin
    rest = differences - differences @ basis @ basis.T
    np.testing.assert_allclose(seen.distances, np.linalg.norm(rest, axis=1))
    np.testing.assert_allclose(seen.lengths, np.linalg.norm(differences, axis=1))
    around = states - states.mean(axis=0)
    shares = np.sum((around @ basis) ** 2, axis=0) / np.sum(around**2)
    np.testing.assert_allclose(seen.explained_variance, shares)


def test_a_small_distance_is_not_lost_beside_a_long_way() -> None:
    axes = np.eye(17, dtype=np.float32)
    on = Plane(np.zeros(17, np.float32), axes[0], axes[1])
    (distance,) = on.distances([1000 * axes[0] + 1e-4 * axes[5]])
    assert distance == pytest.approx(1e-4, rel=1e-4)


def test_plane_through_three_holds_them_and_its_basis_is_orthonormal() -> None:
    states = weights(3, 5)
    on = plane_through_three(states, SHAPES)
    assert on.w is not None
    np.testing.assert_allclose([on.v @ on.v, on.w @ on.w, on.v @ on.w], [1, 1, 0], atol=1e-12)
    np.testing.assert_allclose(on.distances(states), 0, atol=1e-12)
    assert (on.origin == states[0]).all()
    with pytest.raises(ValueError, match="2 checkpoints, want 3"):
        plane_through_three(states[:2], SHAPES)


def test_line_begins_and_ends_at_its_checkpoints() -> None:
    states = weights(3, 6)
    on = line_between(states[:2])
    np.testing.assert_allclose(on.coordinates(states[:2]), [[0, 0], [1, 0]], atol=1e-12)
    step = states[1] - states[0]
    away = states[2] - states[0]
    want = np.linalg.norm(away - step * (away @ step) / (step @ step))
    assert on.distances(states[2:]) == pytest.approx(want)


def test_states_that_span_nothing_are_refused() -> None:
    states = weights(4)
    states[1, 3] = np.nan
    states[3, 0] = np.inf
    for make in (lambda: path_plane(states, SHAPES), lambda: plane_through_three(states[:3], SHAPES)):
        with pytest.raises(ValueError, match=r"checkpoints \[2.* have NaN or Infinity; leave them out"):
            make()
    with pytest.raises(ValueError, match=r"checkpoints \[1\] of 1 have NaN"):
        random_plane(states[1], SHAPES)
    with pytest.raises(ValueError, match=r"have \[4, 17\] weights, want one number"):
        line_between([states[0], states[0][:4]])
    with pytest.raises(ValueError, match=r"have \[0\] weights"):
        path_plane(np.zeros((3, 0)), [])


def test_random_plane_has_two_directions_that_a_seed_decides() -> None:
    (state,) = weights(1)
    on, again, other = (random_plane(state, SHAPES, seed) for seed in (1, 1, 2))
    assert on.w is not None
    assert abs(on.v @ on.w) < 0.9 * (on.v @ on.v)
    assert (on.v == again.v).all()
    assert (on.v != other.v).any()


@pytest.mark.parametrize("rescale", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_checkpoints_on_a_line_or_in_a_point_span_a_plane(rescale: bool, dtype: type) -> None:
    start, step = weights(2, 3)
    line = [(start + factor * step).astype(dtype) for factor in (0.0, 0.3, 0.9, 1.0)]
    for states, degenerate in ((line, "line"), ([line[0]] * 4, "point")):
        on = path_plane(states, SHAPES, rescale)
        assert on.degenerate == degenerate
        assert on.w is not None
        assert np.linalg.norm(on.v) > 0.1
        assert np.linalg.norm(on.w) > 0.1
        assert abs(on.v @ on.w) < 1e-5 * np.linalg.norm(on.v) * np.linalg.norm(on.w)
    assert plane_through_three(line[:3], SHAPES).degenerate == "line"
    assert plane_through_three([line[0]] * 3, SHAPES).degenerate == "point"
    assert path_plane(weights(4), SHAPES).degenerate == ""
