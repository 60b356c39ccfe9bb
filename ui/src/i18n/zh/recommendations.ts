// SPDX-License-Identifier: Apache-2.0
import type { recommendationTexts as en } from "../en/recommendations";

export const recommendationTexts: Record<keyof typeof en, string> = {
  "watch.r_zero_weights": "权重全为零",
  "watch.r_large_updates": "权重变化超过自身大小",
  "watch.r_unchanged_weights": "权重从未变化",
  "watch.r_vanishing_gradients": "梯度消失",
  "watch.r_overflowing_operators": "算子溢出（昇腾）",
  "watch.r_overflow": "NaN 或 Inf 扩散",
  "watch.r_zero_outputs": "输出全为零",
  "watch.r_saturated_tanh": "Tanh 饱和",
  "watch.r_saturated_sigmoid": "Sigmoid 饱和",
  "watch.r_dead_relu": "ReLU 失活",
};
