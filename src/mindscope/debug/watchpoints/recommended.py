# SPDX-License-Identifier: Apache-2.0
"""The recommendations: MindInsight's, without alarms on healthy trainings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mindscope.debug.watchpoints.guards import (
    Guard,
    has_overflows,
    is_far_below_others,
    is_first_zero,
    is_in_module,
    is_left_out,
    is_no_beginner,
    is_spreading,
    learns_nothing,
)

_IN_A_ROW = 3
_TANH_END = math.tanh(8.8)
_SIGMOID_END = 1 / (1 + math.exp(-16.2))
_COMPUTING = frozenset(
    "linear bilinear mm addmm bmm baddbmm matmul dense convolution conv1d conv2d conv3d convtranspose1d convtranspose2d"
    " layernorm nativelayernorm rmsnorm groupnorm nativegroupnorm batchnorm1d batchnorm2d batchnorm nativebatchnorm"
    " scaleddotproductattention multiheadattention lstm gru rnn relu relu6 reluv2 gelu silu elu leakyrelu".split()
)
"""Types whose outputs hold what a network computed, not what it masks or fills in."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A condition with parameters, for some types of operators, and what keeps it quiet in healthy trainings."""

    name: str
    """Name in texts of watchpoints."""
    condition: str
    settings: Mapping[str, float]
    guard: Guard
    """Leaves out tensors that healthy trainings have too."""
    for_steps: int = 1
    types: frozenset[str] = frozenset()
    """Plain types of operators; empty for all."""
    has_consequences: bool = False
    """Whether one tensor is the reason that others hit, in its step and in later ones."""


def _range(name: str, types: str, start: float, end: float, share: Mapping[str, float]) -> Recommendation:
    settings = {"range_start_inclusive": start, "range_end_inclusive": end, **share}
    return Recommendation(name, "activation_range", settings, is_in_module, _IN_A_ROW, frozenset(types.split()))


_ALL = (
    Recommendation("zero_weights", "weight_initialization", {"zero_percentage_ge": 100}, learns_nothing),
    Recommendation("large_updates", "weight_change_too_large", {"abs_mean_update_ratio_gt": 1}, is_no_beginner),
    Recommendation("unchanged_weights", "weight_not_changed", {}, is_left_out, _IN_A_ROW),
    Recommendation("vanishing_gradients", "gradient_vanishing", {"abs_mean_lt": 1e-9}, is_far_below_others, _IN_A_ROW),
    Recommendation("overflowing_operators", "operator_overflow", {}, has_overflows),
    Recommendation("overflow", "tensor_overflow", {}, is_spreading, has_consequences=True),
    Recommendation("zero_outputs", "tensor_all_zero", {}, is_first_zero, _IN_A_ROW, _COMPUTING),
    _range("saturated_tanh", "tanh", -_TANH_END, _TANH_END, {"range_percentage_lt": 0.1}),
    _range("saturated_sigmoid", "sigmoid", 1 - _SIGMOID_END, _SIGMOID_END, {"range_percentage_lt": 0.1}),
    _range("dead_relu", "relu reluv2", -1, 0, {"range_percentage_gt": 99.9}),
)

RECOMMENDED: Mapping[str, Recommendation] = {each.name: each for each in _ALL}
"""All recommendations by name."""
