# SPDX-License-Identifier: Apache-2.0
"""Rows of columns by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray


def firsts(lengths: Iterable[int]) -> list[int]:
    """Return where each of several lists begins in their concatenation."""
    return list(accumulate(lengths, initial=0))[:-1]


def rows_by_id(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of ``wanted`` its position among ``ids``; -1 for none."""
    if not len(ids):
        return np.full(len(wanted), -1, np.int64)
    order = np.argsort(ids, kind="stable")
    index = np.minimum(np.searchsorted(ids[order], wanted), len(ids) - 1)
    return np.where(ids[order[index]] == wanted, order[index], -1)
