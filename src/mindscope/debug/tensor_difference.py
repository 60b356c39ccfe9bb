# SPDX-License-Identifier: Apache-2.0
"""The difference of two tensors, element by element, in blocks."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.elements import TensorElements, elements_of
from mindscope.table.cells import json_value

Array = NDArray[Any]
_BLOCK = 1 << 20
"""Elements that are compared at once."""
_ULP_BITS = {
    "float16": (16, np.int16),
    "bfloat16": (16, np.int16),
    "float32": (32, np.int32),
    "float64": (64, np.int64),
}
_NEAR, _NEARER = 0.005, 0.001
"""Relative errors whose shares msprobe reports."""


@dataclass(frozen=True, slots=True)
class TensorDifference:
    """The difference of ``got`` from ``want``. Elements that are both NaN, or infinite with the same sign, are equal.

    Cosine, root mean square, norms and shares of relative errors are of the pairs that are finite in both.
    """

    got_shape: tuple[int, ...]
    want_shape: tuple[int, ...]
    got_dtype: str
    want_dtype: str
    count: int = 0
    """Number of compared pairs; 0 if the shapes differ."""
    cosine: float = math.nan
    """1 of two zero vectors, 0 if only one is zero; NaN without finite pairs."""
    max_abs: float = math.nan
    """Largest |got - want|; infinite where only one is finite, NaN without pairs."""
    max_rel: float = math.nan
    """Largest |got - want| / max(|want|, floor)."""
    rmse: float = math.nan
    distance: float = math.nan
    """Euclidean distance of the elements."""
    norm_error: float = math.nan
    """Relative difference of the two norms."""
    share_beyond: float = math.nan
    """Share of pairs with |got - want| > atol + rtol |want|, NaN and infinity in one only included."""
    share_within_1e3: float = math.nan
    """Share of finite pairs with a relative error below 0.001; without ``floor``, pairs with want 0 need got 0."""
    share_within_5e3: float = math.nan
    index: tuple[int, ...] = ()
    """Index of the largest absolute error, the first of equal ones."""
    got_at_index: float = math.nan
    want_at_index: float = math.nan
    got_non_finite: int = 0
    want_non_finite: int = 0
    unequal_non_finite: int = 0
    """Pairs of which one is NaN or infinite and the other not, or another one."""
    ulps: dict[int, int] = field(default_factory=dict[int, int])
    """The number of pairs by units in the last place between them: up to 0, 1, 2, 4, 8, ...; of equal float dtypes."""

    has_values: bool = True
    """Whether there are elements to compare: not of empty tensors, and of those without a finite pair."""

    @property
    def is_shape_equal(self) -> bool:
        """Whether elements were compared."""
        return self.got_shape == self.want_shape

    @property
    def is_equal(self) -> bool:
        """Whether shapes, dtypes and all elements are equal."""
        return self.is_shape_equal and self.got_dtype == self.want_dtype and not self.max_abs > 0

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain values; NaN and infinity as None and text."""
        return {name: json_value(value) for name, value in asdict(self).items()}


def tensor_difference(
    got: Array,
    want: Array,
    *,
    atol: float = 1e-8,
    rtol: float = 1e-5,
    floor: float = 1e-12,
    dtypes: tuple[str, str] | None = None,
) -> TensorDifference:
    """Return the difference of two arrays of real numbers, complex numbers or bools, of any layout and size.

    Args:
        got: one array.
        want: the reference.
        atol: absolute tolerance.
        rtol: tolerance relative to |want|.
        floor: smallest denominator of relative errors.
        dtypes: of the tensors, where the arrays have wider ones, as those of bfloat16.
    """
    names = dtypes or ("", "")
    return elements_difference(
        elements_of(got, names[0]), elements_of(want, names[1]), atol=atol, rtol=rtol, floor=floor
    )


def elements_difference(
    got: TensorElements, want: TensorElements, *, atol: float = 1e-8, rtol: float = 1e-5, floor: float = 1e-12
) -> TensorDifference:
    """Compare tensors that are never in memory as a whole. Raises as ``TensorElements.read``."""
    names = got.dtype, want.dtype
    if got.shape != want.shape:
        return TensorDifference(got.shape, want.shape, *names)
    is_complex = "c" in (got.array_dtype.kind, want.array_dtype.kind)
    sums = _Sums(atol, rtol, floor, names[0] if names[0] == names[1] else "")
    for start in range(0, got.count, _BLOCK):
        count = min(_BLOCK, got.count - start)
        blocks = got.read(start, count), want.read(start, count)
        if is_complex:
            sums.add(2 * start, *map(_parts, blocks))
        else:
            sums.add(start, *blocks)
    return sums.result(got.shape, names, (*got.shape, 2) if is_complex else got.shape)


def _parts(block: Array) -> Array:
    """Return real and imaginary parts after each other."""
    return np.stack([np.real(block), np.imag(block)], axis=-1).reshape(-1)


@dataclass(slots=True)
class _Sums:
    atol: float
    rtol: float
    floor: float
    dtype: str
    """Dtype of both tensors; empty if they differ."""
    count: int = 0
    finite: int = 0
    products: float = 0.0
    got_squares: float = 0.0
    want_squares: float = 0.0
    squares: float = 0.0
    beyond: int = 0
    near: int = 0
    nearer: int = 0
    max_abs: float = -1.0
    max_rel: float = -1.0
    index: int = 0
    at_index: tuple[float, float] = (math.nan, math.nan)
    got_non_finite: int = 0
    want_non_finite: int = 0
    unequal_non_finite: int = 0
    ulps: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, start: int, got_block: Array, want_block: Array) -> None:
        got, want = got_block.astype(np.float64), want_block.astype(np.float64)
        is_finite = np.isfinite(got) & np.isfinite(want)
        is_same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore", over="ignore"):
            error = np.where(is_same, 0.0, np.where(is_finite, np.abs(got - want), np.inf))
            relative = error / np.maximum(np.where(np.isfinite(want), np.abs(want), 1.0), self.floor)
            limit = self.atol + self.rtol * np.where(np.isfinite(want), np.abs(want), 0.0)
        self.count += got.size
        self.beyond += int((error > limit).sum())
        self.got_non_finite += int((~np.isfinite(got)).sum())
        self.want_non_finite += int((~np.isfinite(want)).sum())
        self.unequal_non_finite += int((~is_finite & ~is_same).sum())
        worst = int(np.argmax(error))
        if error[worst] > self.max_abs:
            self.max_abs, self.index = float(error[worst]), start + worst
            self.at_index = float(got[worst]), float(want[worst])
        self.max_rel = max(self.max_rel, float(relative.max()))
        self._add_finite(got[is_finite], want[is_finite], error[is_finite], relative[is_finite])
        if self.dtype in _ULP_BITS:
            self._add_ulps(got_block[is_finite], want_block[is_finite])

    def _add_finite(self, got: Array, want: Array, error: Array, relative: Array) -> None:
        self.finite += got.size
        with np.errstate(over="ignore", invalid="ignore"):
            self.products += float(got @ want)
            self.got_squares += float(got @ got)
            self.want_squares += float(want @ want)
            self.squares += float(error @ error)
        self.near += int((relative < _NEAR).sum())
        self.nearer += int((relative < _NEARER).sum())

    def _add_ulps(self, got: Array, want: Array) -> None:
        distance = ulp_distance(got, want, self.dtype)
        is_far = distance > 0
        bits = np.zeros(len(distance), np.int64)
        bits[is_far] = np.ceil(np.log2(distance[is_far].astype(np.float64))).astype(np.int64)
        for end, count in [(0, int((~is_far).sum())), *((1 << bit, int(np.sum(is_far & (bits == bit))))
                                                         for bit in np.unique(bits[is_far]).tolist())]:  # fmt: skip
            if count:
                self.ulps[end] = self.ulps.get(end, 0) + count

    def result(self, shape: tuple[int, ...], names: tuple[str, str], real_shape: tuple[int, ...]) -> TensorDifference:
        if not self.count:
            return TensorDifference(shape, shape, *names, has_values=False)
        norms = math.sqrt(self.got_squares), math.sqrt(self.want_squares)
        index = tuple([int(each) for each in np.unravel_index(self.index, real_shape)]) if real_shape else ()
        finite = self.finite or math.nan
        return TensorDifference(
            got_shape=shape, want_shape=shape, got_dtype=names[0], want_dtype=names[1], count=self.count,
            cosine=self._cosine(norms), max_abs=self.max_abs, max_rel=self.max_rel,
            rmse=math.sqrt(self.squares / finite) if self.finite else math.nan, distance=math.sqrt(self.squares),
            norm_error=abs(norms[0] - norms[1]) / max(norms[1], self.floor) if self.finite else math.nan,
            share_beyond=self.beyond / self.count, share_within_1e3=self.nearer / finite,
            share_within_5e3=self.near / finite, index=index, got_at_index=self.at_index[0],
            want_at_index=self.at_index[1], got_non_finite=self.got_non_finite, want_non_finite=self.want_non_finite,
            unequal_non_finite=self.unequal_non_finite, has_values=self.finite > 0,
            ulps=dict(sorted(self.ulps.items())),
        )  # fmt: skip

    def _cosine(self, norms: tuple[float, float]) -> float:
        if not self.finite:
            return math.nan
        if norms[0] == 0 or norms[1] == 0:
            return 1.0 if norms[0] == norms[1] else 0.0
        return max(-1.0, min(1.0, self.products / norms[0] / norms[1]))


def ulp_distance(got: Array, want: Array, dtype: str) -> NDArray[np.uint64]:
    """Count the floating point numbers of a dtype between finite pairs, counting one end.

    Args:
        got: of the dtype; of bfloat16 also as float32.
        want: as ``got``.
        dtype: float16, bfloat16, float32 or float64.
    """
    width, integer = _ULP_BITS[dtype]
    ordered: list[NDArray[np.int64]] = []
    for array in (got, want):
        if dtype == "bfloat16" and array.dtype.itemsize != 2:
            bits = (np.ascontiguousarray(array, np.float32).view(np.int32) >> 16).astype(np.int16)
        else:
            native = array if dtype == "bfloat16" else array.astype(dtype, copy=False)  # from another byte order too
            bits = np.ascontiguousarray(native).view(integer)
        number = bits.astype(np.int64)
        lowest = -(1 << (width - 1))
        ordered.append(np.where(number < 0, lowest - number, number))  # -0.0 and 0.0 are both 0
    least, most = np.minimum(*ordered), np.maximum(*ordered)
    return most.view(np.uint64) - least.view(np.uint64)  # of int64 the difference may need 64 bits
