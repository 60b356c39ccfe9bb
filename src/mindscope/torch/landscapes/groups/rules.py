# SPDX-License-Identifier: Apache-2.0
"""Rules of operators on groups, for operators with a faster rule than that of ``torch.vmap``."""

from __future__ import annotations

from typing import Any

import torch

from mindscope.torch.landscapes.groups import product_rules, spatial_rules
from mindscope.torch.landscapes.groups.spatial_rules import Rule

aten: Any = torch.ops.aten

_BY_CHANNEL = (
    aten.max_pool2d_with_indices.default, aten.max_pool3d_with_indices.default, aten.avg_pool2d.default,
    aten.avg_pool3d.default, aten._adaptive_avg_pool2d.default, aten.adaptive_max_pool2d.default,
    aten.upsample_nearest2d.vec, aten.upsample_nearest2d.default, aten.upsample_bilinear2d.vec,
    aten.upsample_bilinear2d.default, aten.reflection_pad2d.default, aten.replication_pad2d.default,
)  # fmt: skip
_OVER_SPACE = (aten.mean.dim, aten.sum.dim_IntList, aten.amax.default, aten.amin.default)

RULES: dict[Any, Rule] = {
    aten.convolution.default: spatial_rules.convolution,
    aten.native_batch_norm.default: spatial_rules.batch_norm,
    aten._native_batch_norm_legit.default: spatial_rules.batch_norm,
    aten._native_batch_norm_legit_functional.default: spatial_rules.batch_norm,
    aten._native_batch_norm_legit_no_training.default: spatial_rules.batch_norm_in_evaluation,
    aten.cudnn_batch_norm.default: spatial_rules.batch_norm,
    aten.native_group_norm.default: spatial_rules.group_norm,
    aten.native_layer_norm.default: product_rules.layer_norm,
    aten.constant_pad_nd.default: spatial_rules.pad,
    aten.cat.default: spatial_rules.concatenate,
    aten.mm.default: product_rules.multiply,
    aten.addmm.default: product_rules.add_multiply,
    aten.embedding.default: product_rules.embedding,
    aten._scaled_dot_product_flash_attention_for_cpu.default: product_rules.attention,
    aten.view.default: product_rules.reshape,
    aten._unsafe_view.default: product_rules.reshape,
    aten.clone.default: product_rules.copy,
    aten.alias.default: product_rules.detach,
    aten.detach.default: product_rules.detach,
    **{each: spatial_rules.by_channel(each) for each in _BY_CHANNEL},
    **{each: spatial_rules.over_space(each) for each in _OVER_SPACE},
}
"""The rules by operator."""
