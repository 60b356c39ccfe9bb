# SPDX-License-Identifier: Apache-2.0
"""The rise of the loss around the end of a training, against losses that are known exactly."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mindscope.landscape.flatness import loss_rise
from mindscope.landscape.plane import Plane
from mindscope.types import Landscape, LandscapeFacts

SIZE = 24
WEIGHTS = np.random.default_rng(1).normal(size=30)


def quadratic(v: Any, w: Any, end: tuple[float, float] = (0.0, 0.0), bend: float = 3.0, size: int = SIZE) -> Landscape:
    """Return the landscape of ``bend * |weights - end|^2 + 1``, whose rise is ``bend * distance^2`` on any plane."""
    plane = Plane(WEIGHTS, v, w)
    norm, products = plane.lengths()
    x = np.linspace(-1, 1, size)
    y = np.zeros(1) if w is None else np.linspace(-1.5, 1.2, size)
    minimum = plane.at(*end)
    z = np.array([[bend * np.square(plane.at(a, b) - minimum).sum() + 1.0 for a in x] for b in y])
    facts = LandscapeFacts(weight_norm=norm, direction_products=products)
    return Landscape(x, y, z, convergence_point=(*end, 1.0), facts=facts)


def vectors(seed: int) -> tuple[Any, Any]:
    """Two directions that are neither orthogonal nor of one length."""
    v, w = np.random.default_rng(seed).normal(size=(2, 30))
    return v, 0.3 * w + 0.2 * v


@pytest.mark.parametrize("seed", range(5))
def test_the_rise_of_a_quadratic_is_exact_on_a_skewed_plane(seed: int) -> None:
    rise = loss_rise(quadratic(*vectors(seed), end=(0.1, -0.2)))
    assert rise is not None
    assert len(rise.radius) > 3
    expected = 3.0 * np.square(rise.radius * np.linalg.norm(WEIGHTS))
    for measured in (rise.mean, rise.highest, rise.lowest):
        np.testing.assert_allclose(measured, expected, rtol=1e-9)


def test_a_line_has_two_directions() -> None:
    line = quadratic(vectors(0)[0], None)
    rise = loss_rise(replace(line, z=line.z + 9 * line.x**3))
    assert rise is not None
    at = rise.radius * np.linalg.norm(WEIGHTS) / np.linalg.norm(vectors(0)[0])
    np.testing.assert_allclose(rise.mean, 3.0 * np.square(rise.radius * np.linalg.norm(WEIGHTS)), rtol=1e-9)
    np.testing.assert_allclose(rise.highest, rise.mean + 9 * at**3, rtol=1e-9)
    np.testing.assert_allclose(rise.lowest, rise.mean - 9 * at**3, rtol=1e-9)


def test_distances_are_between_a_cell_and_the_border() -> None:
    v, w = vectors(2)
    rise = loss_rise(quadratic(v, w, end=(0.5, 0.0)))
    assert rise is not None
    across = float(np.linalg.norm(v - w * (v @ w) / (w @ w))) / float(np.linalg.norm(WEIGHTS))
    cell, border = 2 / (SIZE - 1) * across, 0.5 * across
    assert cell <= rise.radius[0] * (1 + 1e-9)
    assert rise.radius[-1] <= border < 2 * rise.radius[-1]


def test_flatness_orders_runs_by_curvature_whatever_the_plane() -> None:
    """A direction twice as long, and another angle between both, change nothing."""
    one, other = loss_rise(quadratic(*vectors(3), bend=1.0)), loss_rise(quadratic(*vectors(4), bend=1.1))
    assert one is not None
    assert other is not None
    shared, at, of = np.intersect1d(one.radius, other.radius, return_indices=True)
    assert len(shared) > 2
    np.testing.assert_allclose(other.mean[of] / one.mean[at], 1.1, rtol=1e-9)


def test_a_fall_in_one_direction_is_seen() -> None:
    whole = quadratic(*vectors(1))
    rise = loss_rise(replace(whole, z=whole.z - 400 * whole.x[np.newaxis, :]))
    assert rise is not None
    assert (rise.lowest < 0).all()


def test_nan_and_infinity_near_the_end_are_an_infinite_rise() -> None:
    whole = quadratic(*vectors(1))
    for hole in (math.nan, math.inf):
        z: Any = whole.z.copy()
        z[:, -3:] = z[-3:] = hole
        rise = loss_rise(replace(whole, z=z))
        assert rise is not None
        assert math.isinf(rise.highest[-1])
        assert np.isfinite(rise.highest[0])


def _facts(whole: Landscape, **changes: Any) -> Landscape:
    assert whole.facts is not None
    return replace(whole, facts=replace(whole.facts, **changes))


def test_nothing_is_said_where_the_log_can_not_say() -> None:
    whole = quadratic(*vectors(1))
    assert whole.facts is not None
    v = vectors(1)[0]
    small = quadratic(*vectors(1), size=3)
    unsaid = [
        replace(whole, facts=None),
        _facts(whole, weight_norm=0.0),
        _facts(whole, weight_norm=math.nan),
        _facts(whole, direction_products=()),
        _facts(whole, direction_products=(1.0, 1.0, 1.0)),
        _facts(whole, direction_products=(math.inf, 0.0, 1.0)),
        _facts(whole, points_done=5, points_total=9),
        _facts(whole, path_distances=np.array([0.0, 1e9])),
        replace(whole, convergence_point=(5.0, 0.0, 1.0)),
        replace(whole, convergence_point=(math.nan, 0.0, 1.0)),
        replace(whole, x=whole.x[::-1]),
        replace(whole, x=np.zeros(SIZE)),
        replace(whole, z=np.full_like(whole.z, math.nan)),
        quadratic(v, 2 * v),
        small,
    ]
    assert [loss_rise(each) for each in unsaid] == [None] * len(unsaid)


def test_an_end_off_the_plane_counts_from_the_distance_at_which_it_is_small() -> None:
    """Closer than its own distance from the plane, the surface belongs to other weights."""
    whole = quadratic(*vectors(1))
    all_of_it = loss_rise(whole)
    assert all_of_it is not None
    norm = float(np.linalg.norm(WEIGHTS))
    rise = loss_rise(_facts(whole, path_distances=np.array([9.0, 0.0, norm * all_of_it.radius[2] / 3])))
    assert rise is not None
    np.testing.assert_array_equal(rise.radius, all_of_it.radius[3:])
