// SPDX-License-Identifier: Apache-2.0
/** Names of recommended watchpoints. Code that shows them adds them. */
export const recommendationTexts = {
  "watch.r_zero_weights": "Weights are all zero",
  "watch.r_large_updates": "Weights change by more than their size",
  "watch.r_unchanged_weights": "Weights never change",
  "watch.r_vanishing_gradients": "Gradients vanish",
  "watch.r_overflowing_operators": "Operators overflow (Ascend)",
  "watch.r_overflow": "NaN or Inf spreads",
  "watch.r_zero_outputs": "Outputs are all zero",
  "watch.r_saturated_tanh": "Tanh is saturated",
  "watch.r_saturated_sigmoid": "Sigmoid is saturated",
  "watch.r_dead_relu": "ReLU is dead",
} as const;
