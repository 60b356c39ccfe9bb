// SPDX-License-Identifier: Apache-2.0
import type { AxisScale } from "../../core/lineage/axisScale";
import { groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import { labelWidth } from "../frame/labelWidth";

const MARGIN = 8;

/** How many drawn runs have no place on an axis, and why: in one line if it fits, else in two. */
export function gapLabel({ gaps }: AxisScale, width: number): string[] {
  if (gaps.size === 0) return [];
  const count = groupDigits([...gaps.values()].reduce((sum, each) => sum + each, 0));
  const names = [...gaps.keys()].map((gap) => t(`coordinates.gap_${gap}`)).join(", ");
  const name = labelWidth(names) <= width - MARGIN ? names : t("coordinates.gap_several");
  const line = `${count} ${name}`;
  return labelWidth(line) <= width - MARGIN ? [line] : [count, name];
}

/** Each reason with its count. */
export function gapTitle({ gaps }: AxisScale): string {
  return [...gaps].map(([gap, count]) => `${groupDigits(count)} ${t(`coordinates.gap_${gap}`)}`).join(", ");
}
