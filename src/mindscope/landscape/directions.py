# SPDX-License-Identifier: Apache-2.0
"""Directions in weight space.

Weights are vectors of length d: the trainable parameters, concatenated; ``sizes`` are their lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def principal_directions(weights_nd: NDArray[np.float64]) -> tuple[Vector, Vector]:
    """The two directions along which n states of the weights differ most from the last one; n is at least 3.

    They are the first two left singular vectors, times their singular values, of the matrix whose columns are the
    differences to the last state, each minus its mean; the largest entry of a direction is positive. MindSpore
    computes the same.

    Source: Li et al., Visualizing the Loss Landscape of Neural Nets, 2018, section 7.
    """
    differences_dn = (weights_nd[:-1] - weights_nd[-1]).T
    left, sizes, _ = cast(Any, np.linalg).svd(differences_dn - differences_dn.mean(axis=0), full_matrices=False)
    signs = np.sign(left[np.argmax(np.abs(left), axis=0), np.arange(left.shape[1])])
    principal: Vector = left * (sizes * signs)
    first, second = np.array(principal[:, 0]), np.array(principal[:, 1])
    return first, second


def scale_to_weights(direction: Vector, weights: Vector, sizes: Sequence[int]) -> Vector:
    """The direction with each parameter's part scaled to the norm of the parameter; parts of norm 0 stay 0.

    Source: Li et al., 2018, section 4: filter normalization, here by parameter.
    """
    scaled: Vector = np.array(direction)
    for start, end in _places(sizes):
        length = float(np.linalg.norm(direction[start:end]))
        if length:
            scaled[start:end] *= float(np.linalg.norm(weights[start:end])) / length
    return scaled


def _places(sizes: Sequence[int]) -> list[tuple[int, int]]:
    ends: list[int] = cast(Any, np.cumsum(sizes)).tolist()
    return list(zip([0, *ends], ends, strict=False))
