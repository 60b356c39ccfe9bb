# SPDX-License-Identifier: Apache-2.0
"""Rules of products, lookups and attention on groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch

from mindscope.torch.landscapes.groups.grouped import Grouped, stacked

aten: Any = torch.ops.aten


def layer_norm(size: int, x: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float) -> Any:
    """Normalize the last dimensions.

    The result has the type of the input, also with parameters in another precision.
    """
    whole = stacked(x, size)
    normal, _, _ = aten.native_layer_norm.default(whole, shape, None, None, eps)
    ones = [1] * (whole.ndim - 1 - len(shape))
    for parameter, change in ((weight, torch.mul), (bias, torch.add)):
        if parameter is not None:
            normal = change(normal, stacked(parameter, size).view(size, *ones, *shape).to(normal.dtype))
    return Grouped(normal, size), None, None


def multiply(size: int, x: Any, weight: Any) -> Any:
    """Compute ``mm``, with one product with all weights where all groups share the input."""
    if not isinstance(weight, Grouped):
        return NotImplemented
    if isinstance(x, Grouped):
        return Grouped(torch.bmm(x.stacked(), weight.stacked()), size)
    columns = weight.stacked().movedim(0, 1).flatten(1)
    return Grouped((x @ columns).unflatten(1, (size, -1)).movedim(1, 0), size)


def add_multiply(size: int, bias: Any, x: Any, weight: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Compute ``addmm``, with a bias for each column."""
    if not isinstance(weight, Grouped) or len(bias.shape) != 1 or beta != 1 or alpha != 1:
        return NotImplemented
    rows = stacked(bias, size).unsqueeze(1)
    if isinstance(x, Grouped):
        return Grouped(torch.baddbmm(rows, x.stacked(), weight.stacked()), size)
    columns = weight.stacked().movedim(0, 1).flatten(1)
    product = torch.addmm(stacked(bias, size).flatten(), x, columns)
    return Grouped(cast(Any, product).unflatten(1, (size, -1)).movedim(1, 0), size)


def embedding(size: int, weight: Any, indices: Any, *_: Any, **__: Any) -> Any:
    """Return one lookup in the tables of all groups."""
    if not isinstance(weight, Grouped) or isinstance(indices, Grouped):
        return NotImplemented
    rows = weight.shape[0]
    starts = torch.arange(0, size * rows, rows, device=indices.device).view(size, *([1] * indices.ndim))
    return Grouped(aten.embedding.default(weight.stacked().flatten(0, 1), indices + starts), size)


def attention(
    size: int, query: Any, key: Any, value: Any, dropout: float = 0.0, is_causal: bool = False, *,
    attn_mask: Any = None, scale: float | None = None,
) -> Any:  # fmt: skip
    """Groups are more samples."""
    folded = [stacked(each, size).flatten(0, 1) for each in (query, key, value)]
    if attn_mask is not None and (isinstance(attn_mask, Grouped) or attn_mask.ndim == 4):
        attn_mask = stacked(attn_mask, size).flatten(0, 1)
    out, _ = aten._scaled_dot_product_flash_attention_for_cpu.default(
        *folded, dropout, is_causal, attn_mask=attn_mask, scale=scale
    )
    return Grouped(out.unflatten(0, (size, -1)), size), None


def reshape(size: int, x: Any, shape: Sequence[int]) -> Any:
    """Compute ``view``, which the strides of grouped values may not allow."""
    return Grouped(x.stacked().reshape(size, *shape), size)


def copy(_: int, x: Any, **__: Any) -> Any:
    """Compute ``clone``: values are never changed in place."""
    return x


def detach(_: int, x: Any) -> Any:
    """Return the values: there are no gradients."""
    return x
