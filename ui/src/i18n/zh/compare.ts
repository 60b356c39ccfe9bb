// SPDX-License-Identifier: Apache-2.0
import type { compare as en } from "../en/compare";

export const compare: Record<keyof typeof en, string> = {
  "compare.without": "无 {parameter}",
  "compare.tip_count": "训练数",
  "compare.values": "{n} 个取值",
};
