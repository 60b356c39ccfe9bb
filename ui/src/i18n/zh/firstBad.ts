// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/zh/debug.json";
import { catalogTexts } from "../catalogTexts";
import type { firstBadTexts as en } from "../en/firstBad";

export const firstBadTexts: Record<keyof typeof en, string> = {
  ...catalogTexts("debug.bad", catalog.first_bad),
  "debug.bad_none": "没有影响训练的 NaN 或 Inf",
  "debug.bad_none_how": "已读取 {n} 步。由掩码产生的 NaN 和 Inf，以及混合精度缩放器跳过的步，均不影响训练。",
  "debug.bad_searching": "正在查找首个 NaN 或 Inf：{read} / {n} 步",
  "debug.bad_unreadable": "有 {n} 步无法读取，更早的步中可能已有异常值。",
  "debug.bad_slot": "{operator} 的{role} {slot}",
  "debug.verdict_count": "{n} 个训练中有 {bad} 个出现 {kind}",
  "debug.verdict_both": "NaN 或 Inf",
  "debug.verdict_bad": "首个 {kind} 出现在第 {step} 步",
  "debug.verdict_comma": "，",
  "debug.verdict_good": "没有影响训练的 NaN 或 Inf",
  "debug.verdict_large": "全部步骤共 {rows} 个张量，数量过多，未自动查找 NaN 和 Inf。请在“首个 NaN/Inf”页签中查找。",
  "debug.verdict_failed": "查找 NaN 和 Inf 失败，原因见“首个 NaN/Inf”页签。",
  "debug.verdict_ended": "训练在第 {step} 步中途结束，最后记录的算子为 {operator}。",
  "debug.bad_open": "打开该张量",
  "debug.bad_tensors": "{operator} 的输入和输出",
  "debug.bad_tensor": "张量",
  "debug.bad_growth": "{tensor}的增长",
  "debug.bad_graph": "在图中查看",
  "debug.bad_chain": "传播路径",
  "debug.bad_chain_hint": "从首个产生 NaN/Inf 的算子到损失，或到梯度和参数。单击可打开第 {step} 步的对应张量。",
  "debug.bad_other_ranks": "该步中其他 rank 的首个产生 NaN/Inf 的算子",
};
