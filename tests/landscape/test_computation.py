# SPDX-License-Identifier: Apache-2.0
"""Whole computations: closed forms, partial landscapes, workers, failures."""

from __future__ import annotations

from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.errors import LandscapeError
from mindscope.landscape.computation import Progress, compute
from mindscope.landscape.grid import grid_around, grid_of_path
from mindscope.landscape.loss_cache import LossCache, content_key
from mindscope.landscape.plane import Plane
from mindscope.landscape.planes import line_between, path_plane
from mindscope.types import Landscape, LandscapeFacts
from tests.landscape.evaluators import (
    Counted,
    OnPlane,
    StopsAfter,
    bowl,
    broken_right_of,
    killed_right_of,
    noting,
    quadratic,
)

SHAPES = [(4, 2)]
STATES = np.random.default_rng(3).standard_normal((5, 8))


def last(*arguments: Any, **keywords: Any) -> Landscape:
    *_, found = compute(*arguments, **keywords)
    return found


@pytest.mark.parametrize("curvatures", [range(1, 9), [1, -2, 3, -4, 5, -6, 7, -8]], ids=["bowl", "saddle"])
@pytest.mark.parametrize("full", [True, False])
def test_surface_of_a_quadratic_is_that_of_the_closed_form(curvatures: list[float], full: bool) -> None:
    plane = path_plane(STATES, SHAPES)
    seen = plane.project(STATES)
    grid = grid_of_path(seen.coordinates, range(5), 12)
    drawn = last(grid, OnPlane(plane, partial(quadratic, list(curvatures))), full=full)
    h, v, w = np.array(curvatures), plane.v, plane.w
    assert w is not None

    def closed(a: Any, b: Any) -> Any:
        origin, linear = plane.origin, h * plane.origin
        square = (h * v) @ v * a * a + 2 * (h * v) @ w * a * b + (h * w) @ w * b * b
        return (h * origin) @ origin / 2 + linear @ v * a + linear @ w * b + square / 2

    extent = np.ptp(drawn.z)
    np.testing.assert_allclose(drawn.z, closed(*np.meshgrid(drawn.x, drawn.y)), atol=1e-4 * extent)
    assert drawn.path_z is not None
    np.testing.assert_allclose(drawn.path_z, closed(*seen.coordinates.T))
    assert drawn.convergence_point == (0.0, 0.0, pytest.approx(quadratic(h, STATES[-1])))


def test_line_has_one_row_of_losses() -> None:
    line = line_between(STATES[:2])
    grid = grid_of_path(line.coordinates(STATES[:2]), [1, 2], 11, line=True)
    drawn = last(grid, OnPlane(line, partial(quadratic, [1.0] * 8)))
    start, step = STATES[0], STATES[1] - STATES[0]
    want = [np.sum((start + a * step) ** 2) / 2 for a in np.linspace(-0.2, 1.2, 11)]
    assert drawn.z.shape == (1, 11)
    np.testing.assert_allclose(drawn.z[0], want, atol=1e-4 * np.ptp(want))


@pytest.mark.parametrize(("path", "degenerate", "extents"), [
    ([[1.0, 0.5], [0.0, 0.0]], "", (1.4, 0.7)),
    ([[1.0, 1e-9], [0.0, 0.0]], "line", (1.4, 1.4)),
    ([[1.0, 1e-9], [0.0, 0.0]], "", (1.4, 1.4)),  # rounding
    ([[1e-12, -1e-12], [0.0, 0.0]], "point", (2.0, 2.0)),
    ([[0.0, 1.0], [0.0, 0.0]], "", (2.0, 1.4)),
])  # fmt: skip
def test_grid_has_an_extent_around_every_path(path: Any, degenerate: str, extents: tuple[float, float]) -> None:
    grid = grid_of_path(np.array(path), [1, 2], 5, degenerate)
    assert (np.ptp(grid.x), np.ptp(grid.y)) == pytest.approx(extents, rel=1e-6)
    assert grid.convergence == (0.0, 0.0)


@pytest.mark.parametrize("size", [4, 5])
def test_result_converges_at_its_middle_for_every_size(size: int) -> None:
    drawn = last(grid_around(size), Counted(bowl), full=True)
    assert drawn.convergence_point == (0.0, 0.0, 3.0)
    np.testing.assert_allclose(drawn.x, np.linspace(-1, 1, size))
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)))  # type: ignore[arg-type]
    assert drawn.path_x is None


def test_partial_landscapes_come_after_the_coarse_grid_and_then_by_sixteenths() -> None:
    seconds = count(0, 0.05)  # 1.6 seconds a sixteenth
    steps: list[Progress] = []
    settings: dict[str, Any] = {"full": True, "points_per_task": 5, "on_progress": steps.append}
    drawn = list(compute(grid_around(40), Counted(bowl), clock=lambda: next(seconds), **settings))
    assert 12 <= len(drawn) <= 17
    facts = [each.facts for each in drawn]
    assert [each.points_done for each in facts if each] == sorted(each.points_done for each in facts if each)
    first, final = facts[0], facts[-1]
    assert first is not None
    assert first.evaluated is not None
    assert first.points_done - 1 <= 1.3 * 1600 / 16
    assert first.points_total == 1601
    np.testing.assert_allclose(drawn[0].z, drawn[-1].z, atol=0.03)  # 1 % of the range
    assert final is not None
    assert (final.points_done, final.points_total, final.seconds_left) == (1601, 1601, None)
    assert final.evaluated is None
    assert [each.points_done for each in steps] == sorted(each.points_done for each in steps)
    assert steps[-1] == Progress(1601, 1601, 0.0)
    assert all(each.seconds_left is not None for each in steps)


def test_smooth_surfaces_are_interpolated_and_say_where() -> None:
    evaluated = Counted(bowl)
    drawn = last(grid_around(40), evaluated)
    assert drawn.facts is not None
    assert drawn.facts.evaluated is not None
    assert drawn.facts.evaluated.sum() + 1 == len(set(evaluated.points)) == len(evaluated.points) <= 201
    assert drawn.facts.points_done == drawn.facts.points_total == len(evaluated.points)
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)), atol=1e-4)  # type: ignore[arg-type]


def test_partial_landscapes_of_a_refined_surface_are_never_taken_for_complete() -> None:
    seconds = count(0, 5.0)
    drawn = list(compute(grid_around(40), Counted(bowl), clock=lambda: next(seconds), points_per_task=7))
    facts = [each.facts for each in drawn if each.facts]
    assert len(facts) >= 2
    assert all(each.points_done < each.points_total for each in facts[:-1])
    assert facts[-1].points_done == facts[-1].points_total
    assert all(each.seconds_left is not None for each in facts[:-1])


def test_small_grids_are_computed_whole_and_their_total_is_known() -> None:
    steps: list[Progress] = []
    drawn = last(grid_around(8), Counted(bowl), on_progress=steps.append)
    assert drawn.facts is not None
    assert drawn.facts.evaluated is None
    assert {each.points_total for each in steps} == {65}


def test_computations_of_less_than_a_second_have_no_partial_landscape() -> None:
    drawn = list(compute(grid_around(40), Counted(bowl), full=True, clock=lambda: 5.0))
    assert len(drawn) == 1


def test_facts_of_the_caller_are_kept() -> None:
    drawn = last(grid_around(4), Counted(bowl), facts=LandscapeFacts(method="random", seed=3))
    assert drawn.facts is not None
    assert (drawn.facts.method, drawn.facts.seed) == ("random", 3)


def processes() -> Executor:
    return ProcessPoolExecutor(2, get_context("fork"))


@pytest.mark.filterwarnings("ignore:.*fork")
@pytest.mark.parametrize("make", [processes, partial(ThreadPoolExecutor, 3)])
def test_workers_of_an_executor_make_one_evaluator_each(make: Any, tmp_path: Path) -> None:
    with make() as executor:
        drawn = last(grid_around(10), noting(tmp_path), executor=executor, full=True, points_per_task=3)
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)))  # type: ignore[arg-type]
    notes = [path.read_text().count("made") for path in tmp_path.iterdir()]
    assert 1 <= sum(notes) <= 3


def test_large_factories_are_read_from_a_file_that_is_removed_afterwards(tmp_path: Path) -> None:
    ones = np.ones(100_000)
    large = OnPlane(Plane(ones, ones, ones), partial(quadratic, 2.0))
    with ThreadPoolExecutor(1) as executor, LossCache(tmp_path, content_key("large")) as cache:
        drawn = last(grid_around(3), large, executor=executor, cache=cache)
    assert drawn.z[0, 0] == pytest.approx(100_000 * (1 - 1 - 1) ** 2)
    assert [path.suffix for path in tmp_path.iterdir()] == [".losses"]


def test_functions_that_an_executor_cannot_take_are_refused() -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(LandscapeError, match="functions and classes of a module"):
        last(grid_around(3), lambda: Counted(bowl).losses, executor=executor)


@pytest.mark.parametrize("workers", [0, 2])
def test_point_that_fails_is_named_and_the_others_are_kept(workers: int, tmp_path: Path) -> None:
    key = content_key("broken")
    partials: list[Landscape] = []
    executor = ThreadPoolExecutor(workers) if workers else None
    with (
        LossCache(tmp_path, key) as cache,
        pytest.raises(LandscapeError, match=r"the loss at \(1, (-1|0|1)\) .*ArithmeticError: no loss at 1\."),
    ):
        partials.extend(
            compute(grid_around(9), Counted(partial(broken_right_of, 0.1)), executor=executor, cache=cache, full=True)
        )
    if executor:
        executor.shutdown()
    mended = Counted(bowl)
    with LossCache(tmp_path, key) as cache:
        known, losses = cache.known(grid_around(9).points())
        assert known.any()
        drawn = last(grid_around(9), mended, cache=cache, full=True)
    np.testing.assert_allclose(losses[known], [bowl(a, b) for a, b in grid_around(9).points()[known]])
    np.testing.assert_allclose(drawn.z, bowl(*np.meshgrid(drawn.x, drawn.y)))  # type: ignore[arg-type]
    assert len(mended.points) == 81 - known.sum()  # and the convergence point, which is known as a point of the grid


def test_last_partial_landscape_says_why_the_computation_stopped() -> None:
    parts = compute(grid_around(12), Counted(StopsAfter(30)), full=True, points_per_task=4)
    facts = next(parts).facts
    with pytest.raises(LandscapeError, match="the loss at"):
        next(parts)
    assert facts is not None
    assert facts.failure.endswith("ArithmeticError: no more; the losses until then are kept")
    assert (facts.points_done, facts.seconds_left) == (30, None)
    assert facts.points_total > 30


def test_factory_that_fails_raises_its_own_error() -> None:
    def factory() -> Any:
        raise ArithmeticError("the user's own mistake")

    with pytest.raises(ArithmeticError, match="own mistake"):
        last(grid_around(3), factory)


@pytest.mark.filterwarnings("ignore:.*fork")
def test_worker_that_dies_is_reported() -> None:
    with processes() as executor, pytest.raises(LandscapeError, match="a worker ended before its task"):
        last(grid_around(9), Counted(partial(killed_right_of, 0.1)), executor=executor)
