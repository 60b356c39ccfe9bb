// SPDX-License-Identifier: Apache-2.0
import type { ColumnGroup } from "../../core/lineage/column";

/** Colors of the groups of columns. */
export const GROUP_COLORS: Readonly<Record<ColumnGroup, string>> = {
  parameter: "var(--series-0)",
  dataset: "var(--series-2)",
  algorithm: "var(--series-6)",
  model: "var(--series-5)",
  metric: "var(--series-1)",
  scalar: "var(--series-4)",
  custom: "var(--series-3)",
  fact: "var(--ink-soft)",
};
