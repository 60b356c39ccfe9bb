# SPDX-License-Identifier: Apache-2.0
"""Sizes of any tensor."""

from __future__ import annotations

from torch import Tensor


def tensor_sizes(tensor: Tensor) -> tuple[int, ...] | None:
    """Return the shape of a tensor; None for a nested tensor, whose parts have sizes of their own."""
    try:
        return tuple(int(size) for size in tensor.shape)
    except (RuntimeError, TypeError):  # of nested and symbolic sizes
        return None
