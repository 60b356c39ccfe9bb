# SPDX-License-Identifier: Apache-2.0
"""The watchpoints that are on unless the user sets others: MindInsight's, without alarms on healthy trainings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from mindscope.debug.watchpoints.guards import (
    Guard,
    is_far_below_others,
    is_first_zero,
    is_in_module,
    is_left_out,
    is_no_beginner,
    is_spreading,
    learns_nothing,
)
from mindscope.debug.watchpoints.watchpoint import Watchpoint, make_watchpoint

_IN_A_ROW = 3
_TANH_END = math.tanh(8.8)
_SIGMOID_END = 1 / (1 + math.exp(-16.2))
_COMPUTING = frozenset(
    "linear bilinear mm addmm bmm baddbmm matmul dense convolution conv1d conv2d conv3d convtranspose1d convtranspose2d"
    " layernorm nativelayernorm rmsnorm groupnorm nativegroupnorm batchnorm1d batchnorm2d batchnorm nativebatchnorm"
    " scaleddotproductattention multiheadattention lstm gru rnn relu relu6 reluv2 gelu silu elu leakyrelu".split()
)
"""Types whose outputs hold what a network computed, not what it masks or fills in."""


def recommended_watchpoints() -> tuple[Watchpoint, ...]:
    """MindInsight's recommendations, with the guards that PyTorch's further facts allow."""
    return (
        _guarded("weight_initialization", {"zero_percentage_ge": 100}, learns_nothing),
        _guarded("weight_change_too_large", {"abs_mean_update_ratio_gt": 1}, is_no_beginner),
        _guarded("weight_not_changed", {}, is_left_out, _IN_A_ROW),
        _guarded("gradient_vanishing", {"abs_mean_lt": 1e-9}, is_far_below_others, _IN_A_ROW),
        _guarded("tensor_overflow", {}, is_spreading),
        _guarded("tensor_all_zero", {}, is_first_zero, _IN_A_ROW, _COMPUTING),
        _range("tanh", -_TANH_END, _TANH_END, {"range_percentage_lt": 0.1}),
        _range("sigmoid", 1 - _SIGMOID_END, _SIGMOID_END, {"range_percentage_lt": 0.1}),
        _range("relu reluv2", -1, 0, {"range_percentage_gt": 99.9}),
    )


def _guarded(
    condition: str,
    settings: Mapping[str, float],
    guard: Guard,
    for_steps: int = 1,
    types: frozenset[str] = frozenset(),
) -> Watchpoint:
    return replace(make_watchpoint(condition, settings), guard=guard, for_steps=for_steps, types=types)


def _range(types: str, start: float, end: float, share: Mapping[str, float]) -> Watchpoint:
    settings = {"range_start_inclusive": start, "range_end_inclusive": end, **share}
    return _guarded("activation_range", settings, is_in_module, _IN_A_ROW, frozenset(types.split()))
