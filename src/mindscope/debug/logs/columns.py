# SPDX-License-Identifier: Apache-2.0
"""Columns that grow at their end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST = 1024


class GrowingColumn:
    """Numbers of one dtype; ``values`` is a view of all of them, valid until they change."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._kept: NDArray[Any] = np.empty(_FIRST, dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> NDArray[Any]:
        return self._kept[: self._count]

    def extend(self, values: Sequence[int]) -> None:
        count = self._count + len(values)
        if count > len(self._kept):
            grown = np.empty(max(count, 2 * len(self._kept)), self._kept.dtype)
            grown[: self._count] = self.values
            self._kept = grown
        self._kept[self._count : count] = values
        self._count = count

    def drop_last(self) -> None:
        self._count -= 1
