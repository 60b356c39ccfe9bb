# SPDX-License-Identifier: Apache-2.0
"""Norm and largest absolute value of recorded scalars, histograms and tensors at chosen steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.stored_values import StoredValues, find_values
from mindscope.analysis.tensor_statistics import number_blocks, whole
from mindscope.analysis.tensors import tensor_at
from mindscope.errors import FormatError, TagNotFoundError
from mindscope.reasons import Reason
from mindscope.store import RunStore, ScalarColumns
from mindscope.types import Histogram, Kind

NAN = math.nan
_INT64 = range(-(2**63), 2**63)


class NormState(IntEnum):
    """The origin of a norm."""

    MISSING = 0
    EXACT = 1
    ESTIMATED = 2
    UNREADABLE = 3


@dataclass(frozen=True, slots=True)
class Norm:
    """``norm`` is the root of the sum of squares of the finite elements; NaN without any, as is ``largest``.

    ``largest`` is the largest absolute value of a finite element; NaN for a scalar. ``nan`` and ``infinite`` count
    other elements.
    """

    state: NormState
    norm: float = NAN
    largest: float = NAN
    nan: float = 0
    infinite: float = 0


MISSING, UNREADABLE = Norm(NormState.MISSING), Norm(NormState.UNREADABLE)


def norm_of_scalar(value: float) -> Norm:
    """Return the norm of a scalar: the scalar itself."""
    if math.isfinite(value):
        return Norm(NormState.EXACT, value)
    return Norm(NormState.EXACT, nan=float(math.isnan(value)), infinite=float(math.isinf(value)))


def norm_of_histogram(histogram: Histogram) -> Norm:
    """Return the norm of a histogram.

    It is exact with a sum of squares, otherwise values are spread evenly in each bucket.
    """
    infinite = float(histogram.positive_infinity_count + histogram.negative_infinity_count)
    others = {"nan": float(histogram.nan_count), "infinite": infinite}
    if not histogram.count.size:
        return MISSING if not any(others.values()) else Norm(NormState.EXACT, **others)
    left, right = histogram.left, histogram.right
    largest = max(abs(histogram.minimum), abs(histogram.maximum))
    exact = histogram.sum_squares
    if exact is not None and math.isfinite(exact):
        return Norm(NormState.EXACT, math.sqrt(max(exact, 0.0)), largest, **others)
    squares = float((histogram.count * (left * left + left * right + right * right)).sum()) / 3
    is_exact = bool((left == right).all())
    return Norm(NormState.EXACT if is_exact else NormState.ESTIMATED, math.sqrt(squares), largest, **others)


def norm_of_numbers(blocks: Iterable[NDArray[Any]]) -> Norm:
    """Return the norm over all elements of the blocks."""
    squares, largest, count, nan, infinite = 0.0, 0.0, 0, 0, 0
    for block in blocks:
        sizes = np.abs(block.astype(np.float64))
        finite = sizes[np.isfinite(sizes)]
        nans = int(np.isnan(sizes).sum())
        nan, infinite = nan + nans, infinite + sizes.size - finite.size - nans
        if finite.size:
            squares += float(np.square(finite).sum())  # inf if too large for float64
            largest, count = max(largest, float(finite.max())), count + finite.size
    if count == 0:
        return MISSING if nan + infinite == 0 else Norm(NormState.EXACT, nan=nan, infinite=infinite)
    return Norm(NormState.EXACT, math.sqrt(squares), largest, nan, infinite)


def norms_at(store: RunStore, kind: Kind, tag: str, steps: Sequence[int]) -> Iterator[Norm]:
    """Yield the norms of a scalar, histogram or tensor tag at each step; of several values at a step, the last one.

    Raises TagNotFoundError.
    """
    if kind is Kind.SCALAR:
        columns = _scalars(store, tag)
        for row in _rows(columns.step, steps):
            yield MISSING if row is None else norm_of_scalar(float(columns.value[row]))
        return
    values = find_values(store, kind, tag)
    for row in _rows(values.references.step, steps):
        yield MISSING if row is None else _stored_norm(values, row)


def recorded_steps(store: RunStore, series: Iterable[tuple[Kind, str]]) -> NDArray[np.int64]:
    """Return all steps at which one of the series has a value, ascending. Unknown tags have none."""
    steps: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    for kind, tag in series:
        scalars = store.scalars(tag) if kind is Kind.SCALAR else store.references(kind, tag)
        if scalars is not None:
            steps.append(np.asarray(scalars.visible().step, np.int64))
    return np.unique(np.concatenate(steps))


def _scalars(store: RunStore, tag: str) -> ScalarColumns:
    series = store.scalars(tag)
    if series is None:
        raise TagNotFoundError(Reason("tag_not_found", kind="scalar", tag=tag, run=store.id))
    return series.visible()


def _rows(recorded: NDArray[np.int64], steps: Sequence[int]) -> Iterator[int | None]:
    """Yield the last row with each step; None without one. ``recorded`` ascends."""
    for step in steps:
        stop = int(np.searchsorted(recorded, step, side="right")) if step in _INT64 else 0
        yield stop - 1 if stop > 0 and recorded[stop - 1] == step else None


def _stored_norm(found: StoredValues, row: int) -> Norm:
    try:
        if found.kind is Kind.HISTOGRAM:
            return norm_of_histogram(found.read(found.references, row))
        source = tensor_at(found, found.references, row)
        return norm_of_numbers(number_blocks(source, whole(source)))
    except FormatError:
        return UNREADABLE
