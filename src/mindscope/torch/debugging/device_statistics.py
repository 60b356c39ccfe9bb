# SPDX-License-Identifier: Apache-2.0
"""The statistics of a tensor by operators of PyTorch, on any device, without waiting for it."""

from __future__ import annotations

import torch
from torch import Tensor

from mindscope.torch.debugging.element_types import ElementType

_LOW = 0xFFFFFFFF


def device_statistics(tensor: Tensor, element: ElementType) -> tuple[Tensor, Tensor]:
    """Return statistics and a hash of a contiguous tensor of real elements.

    Returns:
        The first 14 of ``FIELDS``, of the widest float of the device, shape (14,).
        A sum over the words of memory for ``stats._tensor_statistics.mix``, int64, shape ().
    """
    with torch.no_grad(), torch.autocast(tensor.device.type, enabled=False):
        flat = tensor.detach().reshape(-1)
        return _statistics(flat, element), _hash(flat)


def _statistics(flat: Tensor, element: ElementType) -> Tensor:
    wide = torch.float32 if flat.device.type == "mps" else torch.float64
    count = torch.full((), flat.numel(), dtype=wide, device=flat.device)
    if flat.dtype.is_floating_point:
        numbers = flat.float() if element.size == 1 else flat
        positive, negative, nan = numbers == float("inf"), numbers == float("-inf"), numbers.isnan()
        is_finite = ~(positive | negative | nan)
        finite = torch.where(is_finite, numbers, 0)
    else:
        finite = flat.to(wide)
        positive = negative = nan = torch.zeros((), dtype=torch.bool, device=flat.device)
        is_finite = torch.ones_like(flat, dtype=torch.bool)
    magnitude = finite.abs()
    squares = finite.to(wide).square().sum()
    return torch.stack([
        count, nan.sum(dtype=wide), positive.sum(dtype=wide), negative.sum(dtype=wide),
        ((finite == 0) & is_finite).sum(dtype=wide), (finite < 0).sum(dtype=wide), (finite > 0).sum(dtype=wide),
        _lowest(finite, is_finite, wide), -_lowest(-finite.to(wide), is_finite, wide),
        finite.sum(dtype=wide), magnitude.sum(dtype=wide), squares,
        (magnitude >= element.near_max).sum(dtype=wide) if element.near_max < float("inf") else torch.zeros_like(count),
        ((magnitude > 0) & (magnitude < element.tiny)).sum(dtype=wide) if element.tiny else torch.zeros_like(count),
    ])  # fmt: skip


def _lowest(finite: Tensor, is_finite: Tensor, wide: torch.dtype) -> Tensor:
    """Return the smallest finite number; NaN if there is none."""
    if finite.numel() == 0:
        return torch.full((), float("nan"), dtype=wide, device=finite.device)
    low = torch.where(is_finite, finite.to(wide), float("inf")).amin()
    return torch.where(low == float("inf"), float("nan"), low)


def _hash(flat: Tensor) -> Tensor:
    """Compute the hash of ``ms_hash`` in ``stats/_tensor_statistics.h``."""
    data = flat.view(torch.uint8)
    rest = -data.numel() % 8
    if rest:
        data = torch.cat([data, data.new_zeros(rest)])
    words = data.view(torch.int64)
    keys = (torch.arange(words.numel(), device=flat.device) * 0x9E3779B1) & _LOW
    low = ((words & _LOW) + keys) & _LOW
    high = (((words >> 32) & _LOW) + (keys ^ 0x85EBCA77)) & _LOW
    return (low * high).sum()


def device_update(now: Tensor, before: Tensor) -> Tensor:
    """Return the means of |now - before| and |before| where the difference is finite, shape (2,); NaN where none is."""
    with torch.no_grad(), torch.autocast(now.device.type, enabled=False):
        wide = torch.float32 if now.device.type == "mps" else torch.float64
        moved, old = (now - before).abs(), before.abs()
        is_finite = moved.isfinite()
        count = is_finite.sum()
        return torch.stack([
            torch.where(is_finite, moved, 0).sum(dtype=wide) / count,
            torch.where(is_finite, old, 0).sum(dtype=wide) / count,
        ])  # fmt: skip
