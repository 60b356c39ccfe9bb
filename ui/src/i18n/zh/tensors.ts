// SPDX-License-Identifier: Apache-2.0
import type { tensors as en } from "../en/tensors";

export const tensors: Record<keyof typeof en, string> = {
  "tensors.empty": "所选训练中没有张量",
};
