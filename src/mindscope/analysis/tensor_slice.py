# SPDX-License-Identifier: Apache-2.0
"""A slice of a recorded tensor with NumPy's index syntax. Reads only the elements of the slice."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.heat_maps import HeatMap, heat_map
from mindscope.analysis.slices import SliceKey, sliced_shape
from mindscope.analysis.tensor_statistics import TensorStatistics, tensor_statistics, whole
from mindscope.analysis.tensors import TensorSource

Index = int | slice | EllipsisType


class TensorSlice:
    """The tensor of a ``step``, or a part of it. An index returns another slice and reads nothing.

    ``numpy.asarray(run.tensor("weights")[0, ::2])`` reads the elements, ``statistics()`` reads them block by block.
    """

    def __init__(self, source: TensorSource, step: int, wall_time: float, key: SliceKey | None = None) -> None:
        self.step = step
        self.wall_time = wall_time
        self._source = source
        self._key = whole(source) if key is None else key

    @property
    def shape(self) -> tuple[int, ...]:
        return sliced_shape(self._key)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the recorded tensor; object for texts."""
        return self._source.dtype

    @property
    def is_exact(self) -> bool:
        """False if the file has float32 values of a wider dtype."""
        return self._source.is_exact

    def __len__(self) -> int:
        """Return the size of the first dimension. Raises TypeError for a single element, as NumPy does."""
        if not self.shape:
            raise TypeError("len() of a tensor without dimensions")
        return self.shape[0]

    def __getitem__(self, index: Index | tuple[Index, ...]) -> TensorSlice:
        """Return a part of the slice: integers, slices and one ``...``, as in NumPy.

        Raises IndexError for any other index.
        """
        parts = _filled(index if isinstance(index, tuple) else (index,), self.ndim)
        key = tuple(_indexed(part, next(parts)) if isinstance(part, range) else part for part in self._key)
        return TensorSlice(self._source, self.step, self.wall_time, key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a tensor of a log is read into a new array: copy=False is not possible")
        array = self._source.take(self._key)
        return array if dtype is None else array.astype(dtype)

    def statistics(self, bins: int = 0) -> TensorStatistics:
        """Return statistics over all elements, with a histogram of at most ``bins`` buckets unless ``bins`` is 0."""
        return tensor_statistics(self._source, self._key, bins)

    def heat_map(self, rows: int = 256, columns: int = 256) -> HeatMap:
        """Return the slice reduced to at most ``rows`` by ``columns`` cells, so that each spike and NaN is visible.

        A vector is one row. Raises SliceError for more than two dimensions, and for texts.
        """
        return heat_map(self._source, self._key, rows, columns)

    def __repr__(self) -> str:
        return f"TensorSlice(step={self.step}, shape={self.shape}, dtype={self.dtype})"


def _filled(index: tuple[Index, ...], dimensions: int) -> Any:
    """Return an iterator over one index for each dimension, with ``...`` and what is missing at the end replaced."""
    dots = [number for number, part in enumerate(index) if part is Ellipsis]
    missing = dimensions - len(index) + len(dots)
    if len(dots) > 1 or missing < 0:
        raise IndexError(f"{len(index)} indices for a tensor of {dimensions} dimensions")
    at = dots[0] if dots else len(index)
    return iter((*index[:at], *[slice(None)] * missing, *index[at + 1 :]))


def _indexed(part: range, index: Any) -> int | range:
    if isinstance(index, slice | int | np.integer) and not isinstance(index, bool):
        return part[index]
    raise IndexError(f"index {index!r} is no integer, slice or ...")
