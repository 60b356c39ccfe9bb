# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues, trace and density of matrices that are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.landscape.spectrum import lanczos, spectral_density, top_eigenpairs, trace


def matrix(eigenvalues: list[float], seed: int = 0) -> np.ndarray:
    size = len(eigenvalues)
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]
    return basis * np.array(eigenvalues) @ basis.T


def signs(size: int, dtype: type = np.float64) -> Callable[[int], np.ndarray]:
    return lambda number: np.random.default_rng(number).choice([-1.0, 1.0], size).astype(dtype)


def integral(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


MATRICES = {
    "bowl": [0.5, 1, 2, 4, 9], "saddle": [-7, -3, 0.1, 2, 5], "degenerate": [1, 1, 3, 3, 3],
    "identity": [2, 2, 2, 2], "zero": [0, 0, 0], "one": [-4], "one zero": [0],
    "negative": [-1, -2, -8], "tiny": [1e-12, 3e-12], "large": [1e20, -1e20, 5], "close": [1, 1.0001, 1.0002],
}  # fmt: skip


@pytest.mark.parametrize("eigenvalues", MATRICES.values(), ids=MATRICES.keys())
def test_top_pairs_are_those_of_the_matrix(eigenvalues: list[float]) -> None:
    h = matrix(eigenvalues)
    pairs = top_eigenpairs(lambda vector: h @ vector, signs(len(h)), count=len(h) + 1, tolerance=1e-9)
    largest = max(map(abs, eigenvalues)) or 1.0
    np.testing.assert_allclose([pair.value for pair in pairs], sorted(eigenvalues, reverse=True), atol=1e-6 * largest)
    vectors = np.array([pair.vector for pair in pairs])
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(len(h)), atol=1e-4)
    for pair in pairs:
        np.testing.assert_allclose(h @ pair.vector, pair.value * pair.vector, atol=1e-4 * largest)
        assert pair.residual <= 1e-6 * largest


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_top_pairs_of_a_large_matrix_need_few_products(seed: int) -> None:
    eigenvalues = [30.0, 30.0, -25.0, *np.random.default_rng(seed).uniform(-1, 3, 300).tolist()]
    h = matrix(eigenvalues, seed)
    pairs = top_eigenpairs(lambda vector: h @ vector, signs(len(h)), count=2)
    assert [pair.value for pair in pairs] == pytest.approx([30, 30], rel=1e-4)
    assert sum(pair.products for pair in pairs) <= 40


def test_pairs_in_float32_are_those_of_float64_to_its_precision() -> None:
    h = matrix([50.0, 20.0, *np.linspace(-2, 2, 200).tolist()]).astype(np.float32)
    pairs = top_eigenpairs(lambda vector: h @ vector, signs(len(h), np.float32))
    assert [pair.value for pair in pairs] == pytest.approx([50, 20], rel=1e-4)
    assert pairs[0].vector.dtype == np.float32


@pytest.mark.parametrize("eigenvalues", MATRICES.values(), ids=MATRICES.keys())
def test_trace_is_the_sum_of_the_eigenvalues(eigenvalues: list[float]) -> None:
    h = matrix(eigenvalues)
    largest = max(map(abs, eigenvalues)) or 1.0
    found = trace(lambda vector: h @ vector, signs(len(h)), probes=400)
    assert abs(found.value - sum(eigenvalues)) <= 4 * found.standard_error + 1e-9 * largest
    diagonal = np.diag(eigenvalues)
    exact = trace(lambda vector: diagonal @ vector, signs(len(h)), probes=2)
    assert exact.value == pytest.approx(sum(eigenvalues), abs=1e-9 * largest)
    assert exact.standard_error <= 1e-9 * largest
    assert math.isnan(trace(lambda vector: diagonal @ vector, signs(len(h)), probes=1).standard_error)


@pytest.mark.parametrize("eigenvalues", MATRICES.values(), ids=MATRICES.keys())
def test_density_has_integral_one_and_the_moments_of_the_matrix(eigenvalues: list[float]) -> None:
    h = np.diag(np.array(eigenvalues, np.float64))  # so that each probe has the exact share of each eigenvalue
    found = spectral_density(lambda vector: h @ vector, signs(len(h)), probes=3)
    largest = max(map(abs, eigenvalues)) or 1.0
    assert integral(found.values, found.density) == pytest.approx(1, abs=1e-4)
    assert found.weights.sum() == pytest.approx(1)
    for power in (1, 2, 3):
        want = np.mean((np.array(eigenvalues) / largest) ** power)
        assert found.weights @ (found.nodes / largest) ** power == pytest.approx(want, abs=1e-4)
    assert found.trace.value == pytest.approx(sum(eigenvalues), abs=1e-6 * largest)


def test_density_has_its_mass_where_the_eigenvalues_are() -> None:
    eigenvalues = [*[0.0] * 150, *[1.0] * 49, 10.0]
    h = matrix(eigenvalues)
    found = spectral_density(lambda vector: h @ vector, signs(len(h)), probes=30, steps=10, size=2000)
    for low, high, share in ((-0.5, 0.5, 0.75), (0.5, 1.5, 0.245), (9.5, 10.5, 0.005)):
        inside = (found.values > low) & (found.values < high)
        assert integral(found.values[inside], found.density[inside]) == pytest.approx(share, abs=0.02)
    assert found.width == pytest.approx(0.1, rel=1e-3)


def test_vectors_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="the first vector"):
        lanczos(lambda vector: vector, np.array([1.0, np.nan]), 3)
    with pytest.raises(ValueError, match="no finite curvature"):
        lanczos(lambda vector: vector * np.inf, np.array([1.0, 1.0]), 3)
    with pytest.raises(ValueError, match="all probes are zero"):
        spectral_density(lambda vector: vector, lambda number: np.zeros(3))


@pytest.mark.framework
def test_tensors_of_pytorch_give_the_same() -> None:
    torch: Any = pytest.importorskip("torch")
    h = matrix(MATRICES["saddle"])
    of_torch = torch.from_numpy(h)
    draw = signs(5)
    pairs = top_eigenpairs(lambda vector: of_torch @ vector, lambda number: torch.from_numpy(draw(number)))
    want = top_eigenpairs(lambda vector: h @ vector, draw)
    for got, pair in zip(pairs, want, strict=True):
        assert got.value == pytest.approx(pair.value)
        np.testing.assert_allclose(got.vector.numpy(), pair.vector, atol=1e-9)
    assert trace(lambda vector: of_torch @ vector, lambda number: torch.from_numpy(draw(number))).value == (
        pytest.approx(trace(lambda vector: h @ vector, draw).value)
    )
