# SPDX-License-Identifier: Apache-2.0
"""Rules of operators over images and other spaces on groups: convolution, normalization, pooling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from mindscope.torch.landscapes.groups.grouped import Grouped, channels_last, flat, packed

aten: Any = torch.ops.aten
FEW_CHANNELS = 4
"""Channels of an input for which patches are multiplied."""
Rule = Callable[..., Any]
"""Called with the number of groups and the operator's arguments; ``NotImplemented`` where it doesn't apply."""


def convolution(
    size: int, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Any:  # fmt: skip
    """Return a convolution with as many more groups; one with as many more outputs where all groups share the input."""
    if not isinstance(weight, Grouped):
        return NotImplemented
    is_shared = not isinstance(x, Grouped) and groups == 1 and not transposed
    if is_shared and len(x.shape) == 4 and x.shape[1] <= FEW_CHANNELS and all(each == 1 for each in dilation):
        return _as_product(size, x, weight, bias, stride, padding)
    data = channels_last(cast(Tensor, x)) if is_shared else packed(x, size)
    weights = channels_last(weight.stacked().flatten(0, 1))
    out = aten.convolution.default(
        data, weights, flat(bias, size), stride, padding, dilation, transposed, output_padding,
        groups if is_shared else size * groups,
    )  # fmt: skip
    return Grouped(channels_last(out), size, is_packed=True)


def _as_product(
    size: int, x: Any, weight: Grouped, bias: Any, stride: Sequence[int], padding: Sequence[int]
) -> Grouped:
    """Return a matrix product of all patches of images with few channels: faster, and the result has channels last."""
    filters = weight.stacked().flatten(0, 1)
    height, width = filters.shape[2:]
    padded = torch.constant_pad_nd(x, [padding[1], padding[1], padding[0], padding[0]])
    patches: Tensor = cast(Any, padded).unfold(2, height, stride[0]).unfold(3, width, stride[1])
    samples, _, rows, columns = patches.shape[:4]
    table = patches.permute(0, 2, 3, 1, 4, 5).reshape(samples * rows * columns, -1)
    turned = filters.flatten(1)
    shift = flat(bias, size)
    if shift is not None:  # a column of ones costs less than to write the bias to each pixel first
        table = torch.cat([table, table.new_ones(len(table), 1)], 1)
        turned = torch.cat([turned, shift.unsqueeze(1)], 1)
    product = table @ turned.t()
    return Grouped(product.view(samples, rows, columns, -1).permute(0, 3, 1, 2), size, is_packed=True)


def batch_norm(
    size: int, x: Any, weight: Any, bias: Any, mean: Any, variance: Any, is_training: bool, momentum: float, eps: float
) -> Any:
    """Normalize batches: the statistics of a group are those of its channels."""
    statistics = (flat(mean, size), flat(variance, size))
    running: list[Any] = [None if statistic is None else statistic.clone() for statistic in statistics]
    normal = torch.batch_norm(
        packed(x, size), flat(weight, size), flat(bias, size), running[0], running[1], is_training, momentum, eps, False
    )
    return (
        Grouped(normal, size, is_packed=True),
        None,
        None,
        *(None if each is None else Grouped(each.unflatten(0, (size, -1)), size) for each in running),
    )


def batch_norm_in_evaluation(
    size: int, x: Any, weight: Any, bias: Any, mean: Any, variance: Any, momentum: float, eps: float
) -> Any:
    """Normalize with running statistics."""
    return batch_norm(size, x, weight, bias, mean, variance, False, momentum, eps)


def group_norm(
    size: int, x: Any, weight: Any, bias: Any, samples: int, channels: int, space: int, groups: int, eps: float
) -> Any:
    """Normalize groups of channels, which are inside the groups of weights."""
    data, scale, shift = packed(x, size), flat(weight, size), flat(bias, size)
    normal, _, _ = aten.native_group_norm.default(
        data, scale, shift, samples, size * channels, space, size * groups, eps
    )
    return Grouped(normal, size, is_packed=True), None, None


def by_channel(target: Any) -> Rule:
    """Return the rule of an operator that works on each channel on its own, such as pooling."""

    def rule(size: int, x: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(x, Grouped) or any(isinstance(argument, Grouped) for argument in args) or len(x.shape) < 3:
            return NotImplemented
        out = target(x.packed(), *args, **kwargs)
        return pytree.tree_map_only(Tensor, lambda each: Grouped(each, size, is_packed=True), out)

    return rule


def over_space(target: Any) -> Rule:
    """Return the rule of a reduction, for packed values that are reduced over space."""

    def rule(size: int, x: Any, dims: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(x, Grouped) or not x.is_packed or not dims:
            return NotImplemented
        rank = len(x.shape)
        if any(dim % rank < 2 for dim in dims):
            return NotImplemented
        return Grouped(target(x.tensor, dims, *args, **kwargs), size, is_packed=True)

    return rule


def pad(size: int, x: Any, widths: Sequence[int], value: float = 0.0) -> Any:
    """Pad the space."""
    if not isinstance(x, Grouped) or not x.is_packed or len(widths) > 2 * (len(x.shape) - 2):
        return NotImplemented
    return Grouped(channels_last(aten.constant_pad_nd.default(x.tensor, widths, value)), size, is_packed=True)


def concatenate(size: int, parts: Sequence[Any], dim: int = 0) -> Any:
    """Put the channels of packed values side by side in each group."""
    rank = max((len(part.shape) for part in parts), default=0)
    if not rank or dim % rank != 1 or not any(isinstance(part, Grouped) and part.is_packed for part in parts):
        return NotImplemented
    split: list[Tensor] = [cast(Any, packed(part, size)).unflatten(1, (size, -1)) for part in parts]
    return Grouped(channels_last(torch.cat(split, 2).flatten(1, 2)), size, is_packed=True)
