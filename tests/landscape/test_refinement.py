# SPDX-License-Identifier: Apache-2.0
"""How many points a landscape needs, and how far the interpolated losses are from the computed ones.

The error is the largest, or the mean, difference to the full grid over all its points, divided by the range of the
losses of the full grid.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mindscope
from mindscope.landscape.grid import Grid, grid_around, grid_of_path
from mindscope.landscape.interpolation import interpolate
from mindscope.landscape.plane import Plane
from mindscope.landscape.planes import path_plane, random_plane
from mindscope.landscape.refinement import Refinement, coarse_points, error
from tests.landscape.networks import NETWORKS, Network

DATA = Path(__file__).parents[1] / "data" / "mindspore" / "landscape"


def refined(full: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The losses that are known at the end, and which were computed."""
    known = np.zeros(full.shape, np.bool_)
    refinement = Refinement((full.shape[0], full.shape[1]))
    while len(places := refinement.next_points(np.where(known, full, np.nan), known)):
        assert not known.flat[places].any()
        known.flat[places] = True
    return interpolate(np.where(known, full, np.nan), known), known


def errors(full: np.ndarray) -> tuple[float, float, float]:
    """The largest and the mean error, and the share of points that were computed."""
    got, known = refined(full)
    assert (got[known] == full[known]).all()
    found = np.abs(got - full) / np.ptp(full)
    return float(found.max()), float(found.mean()), float(known.mean())


@cache
def trained(name: str) -> tuple[Network, list[np.ndarray]]:
    network = NETWORKS[name]()
    return network, network.train()


def planes(name: str, method: str) -> tuple[Network, Plane, Grid]:
    network, states = trained(name)
    if method == "random":
        return network, random_plane(states[-1], network.shapes, 1), grid_around(40)
    states = states[:4] if method == "first_steps" else states
    plane = path_plane(states, network.shapes)
    return network, plane, grid_of_path(plane.coordinates(states), range(len(states)), 40)


@pytest.mark.parametrize("method", ["pca", "first_steps", "random"])
@pytest.mark.parametrize("name", NETWORKS)
def test_landscapes_of_networks_need_a_third_of_their_points(name: str, method: str) -> None:
    network, plane, grid = planes(name, method)
    full = np.array([network.loss(plane.at(a, b)) for a, b in grid.points()]).reshape(grid.shape)
    largest, mean, share = errors(full)
    print(f"{name} {method}: {share:.1%} of the points, largest error {largest:.2%}, mean {mean:.3%}")
    assert share <= 0.4
    assert largest <= 0.01
    assert mean <= 0.001


def oracles() -> list[tuple[str, np.ndarray]]:
    return [
        (f"{unit} {tag}", landscape.z)
        for unit in ("unit_step", "unit_epoch")
        for tag, landscape in mindscope.open_run(DATA / unit).landscapes().items()
    ]


@pytest.mark.parametrize(("name", "full"), oracles(), ids=[name for name, _ in oracles()])
def test_landscapes_of_mindspore_need_less_than_all_their_points(name: str, full: np.ndarray) -> None:
    largest, mean, share = errors(full)
    print(f"{name}: {share:.1%} of {full.size} points, largest error {largest:.2%}, mean {mean:.3%}")
    assert largest <= 0.01
    assert share < 1


X, Y = np.meshgrid(np.linspace(-1, 1, 40), np.linspace(-1, 1, 40))
SURFACES = {
    "bowl": X * X + Y * Y, "saddle": X * X - 3 * Y * Y + X * Y, "plane": X + 2 * Y, "flat": np.ones_like(X),
    "waves": np.sin(6 * X) * np.cos(5 * Y), "steep": np.exp(6 * (X * X + Y * Y)), "kink": np.abs(X) + np.abs(Y),
    "cliff": np.where(X + 0.3 * Y > 0.1, 5.0, 0.0) + X * X,
    "spike": X * X + Y * Y + 5 * np.exp(-((X - 0.3) ** 2 + (Y - 0.2) ** 2) / 0.02),
    "large": 1e300 * (X * X + Y * Y), "small": 1e-300 * (X * X - Y), "far": 1e9 + X * X,
    "noise": np.random.default_rng(0).standard_normal((40, 40)),
}  # fmt: skip


@pytest.mark.parametrize("name", SURFACES)
def test_every_surface_is_within_a_percent(name: str) -> None:
    full = SURFACES[name]
    got, known = refined(full)
    assert np.abs(got - full).max() <= 0.01 * (np.ptp(full) or 1)
    assert (known.mean() <= 0.13) == (name in ("bowl", "saddle", "plane", "flat", "large", "small", "far"))


def test_losses_of_positive_range_are_exact_in_their_logarithms_too() -> None:
    full = np.exp(6 * (X * X + Y * Y)) - 0.99
    got, _ = refined(full)
    assert np.abs(np.log(got) - np.log(full)).max() <= 0.01 * np.ptp(np.log(full))


BROKEN = {
    "half": np.where(X + 0.3 * Y > 0.2, np.nan, X * X + Y * Y),
    "corner": np.where(X * X + Y * Y > 1.2, np.inf, np.exp(X * X + Y * Y)),
    "minus": np.where(X < -0.7, -np.inf, Y),
    "hole": np.where((X - 0.2) ** 2 + Y * Y < 0.05, np.nan, X * X + Y * Y),
    "both": np.where(X > 0.5, np.inf, np.where(Y > 0.6, np.nan, X * Y)),
    "island": np.where(X * X + Y * Y > 0.2, np.nan, X),
}


@pytest.mark.parametrize("name", BROKEN)
def test_borders_of_nan_and_infinity_are_found_and_not_interpolated_across(name: str) -> None:
    full = BROKEN[name]
    got, known = refined(full)
    assert (np.isfinite(got) == np.isfinite(full)).all()
    assert known.mean() <= 0.65
    finite = np.isfinite(full)
    assert np.abs(got[finite] - full[finite]).max() <= 0.01 * np.ptp(full[finite])
    assert (np.isnan(got) == np.isnan(full)).mean() > 0.99


@pytest.mark.parametrize("value", [np.nan, np.inf, 3.0])
def test_surface_of_one_value_is_that_value(value: float) -> None:
    got, known = refined(np.full((20, 20), value))
    np.testing.assert_array_equal(got, value)
    assert known.mean() < 0.3


@pytest.mark.parametrize("shape", [(1, 3), (1, 40), (3, 3), (4, 4), (3, 17), (5, 2), (1, 1), (30, 1)])
def test_small_and_long_grids_end_with_every_loss(shape: tuple[int, int]) -> None:
    y, x = np.indices(shape) / 10
    got, _ = refined(x * x + y)
    np.testing.assert_allclose(got, x * x + y, atol=0.01 * np.ptp(x * x + y))


def test_unpredicted_nan_is_an_error_of_any_size() -> None:
    got = error(np.array([[1.0, np.nan, np.nan, 2.0]]), np.array([[np.nan, 1.0, np.nan, 1.0]]), np.array([0.0, 2.0]))
    assert got.tolist() == [[np.inf, np.inf, 0.0, 0.5]]


def test_coarse_grid_is_a_sixteenth_with_its_corners() -> None:
    for size in (40, 128, 256):
        coarse = coarse_points((size, size))
        assert coarse[[0, 0, -1, -1], [0, -1, 0, -1]].all()
        assert coarse.mean() == pytest.approx(1 / 16, rel=0.02)
    assert coarse_points((3, 3)).all()
    assert coarse_points((1, 40)).sum() == 10


def test_full_refinement_chooses_every_point_once_from_coarse_to_fine() -> None:
    known, rounds = np.zeros((40, 40), np.bool_), []
    refinement = Refinement((40, 40), full=True)
    while len(places := refinement.next_points(np.zeros((40, 40)), known)):
        known.flat[places] = True
        rounds.append(len(places))
    assert known.all()
    assert sum(rounds) == 1600
    assert len(rounds) == 3


def test_quadratics_are_reproduced_between_the_coarse_points() -> None:
    full = 3 + X - 2 * Y + X * X + 0.5 * X * Y - 4 * Y * Y
    known = coarse_points(full.shape)
    np.testing.assert_allclose(interpolate(np.where(known, full, np.nan), known), full, atol=1e-4 * np.ptp(full))
    assert np.isnan(interpolate(full, np.zeros_like(known))).all()
