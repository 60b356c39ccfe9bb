// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/zh/debug.json";
import { catalogTexts } from "../catalogTexts";
import type { firstBadTexts as en } from "../en/firstBad";

export const firstBadTexts: Record<keyof typeof en, string> = {
  ...catalogTexts("debug.bad", catalog.first_bad),
  "debug.bad_none": "没有影响训练的 NaN 或 Inf",
  "debug.bad_searching": "正在查找首个 NaN/Inf：{read} / {n} 步",
  "debug.bad_unreadable": "有 {n} 步无法读取，更早的步骤中可能已有异常值。",
  "debug.bad_slot": "{operator} 的{role} {slot}",
  "debug.verdict_count": "{n} 个训练中有 {bad} 个出现 {kind}",
  "debug.verdict_both": "NaN 或 Inf",
  "debug.verdict_ended": "训练在第 {step} 步中途结束，最后记录的算子为 {operator}。",
  "debug.bad_open": "打开该张量",
  "debug.bad_tensors": "{operator} 的输入和输出",
  "debug.bad_tensor": "张量",
  "debug.bad_growth": "{tensor}的增长",
  "debug.bad_graph": "在图中查看",
  "debug.bad_chain": "传播路径",
  "debug.bad_chain_hint": "从首个产生 NaN/Inf 的算子到损失，或到梯度和参数。单击可打开第 {step} 步的对应张量。",
  "debug.bad_other_ranks": "该步骤中其他 rank 的首个产生 NaN/Inf 的算子",
};
