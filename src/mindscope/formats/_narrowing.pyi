# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.typing import NDArray

def narrow_floats(values: NDArray[np.float64], is_rounded: bool) -> tuple[str, bytes]:
    """``dtype, bytes`` of numbers of shape (n,) in the smallest dtype; one of them if all are the same."""

def narrow_integers(values: NDArray[np.uint64]) -> tuple[str, bytes]:
    """As ``narrow_floats``, of unsigned integers."""
