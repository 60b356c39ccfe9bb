// SPDX-License-Identifier: Apache-2.0
export const tensors = {
  "tensors.empty": "No tensors in the selected runs",
} as const;
