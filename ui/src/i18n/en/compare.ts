// SPDX-License-Identifier: Apache-2.0
export const compare = {
  "compare.without": "without {parameter}",
  "compare.tip_count": "Runs",
  "compare.values": "{n} {n|value|values}",
} as const;
