# SPDX-License-Identifier: Apache-2.0
"""Columns that grow at their end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST = 1024


class GrowingColumn:
    """Numbers of one dtype; ``values`` is a view of all of them, valid until the next ``append``."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._kept: NDArray[Any] = np.empty(_FIRST, dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> NDArray[Any]:
        return self._kept[: self._count]

    def append(self, value: int) -> None:
        if self._count == len(self._kept):
            self._kept = np.concatenate([self._kept, np.empty_like(self._kept)])
        self._kept[self._count] = value
        self._count += 1

    def drop_last(self) -> None:
        self._count -= 1
