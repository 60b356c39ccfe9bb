// SPDX-License-Identifier: Apache-2.0
import { formatSetting } from "../text/format";
import type { Brush } from "./brushes";

/** The brushes of a column for people: `0.001 ≤ lr ≤ 0.01`, `optimizer: Adam, SGD`. */
export function brushText(column: string, brushes: readonly Brush[]): string {
  return brushes.map((brush) => oneText(column, brush)).join(" ∪ ");
}

function oneText(column: string, brush: Brush): string {
  if ("values" in brush) return `${column}: ${brush.values.join(", ")}`;
  if ("gaps" in brush) return `${column}: ${brush.gaps.join(", ")}`;
  return `${formatSetting(brush.low)} ≤ ${column} ≤ ${formatSetting(brush.high)}`;
}
