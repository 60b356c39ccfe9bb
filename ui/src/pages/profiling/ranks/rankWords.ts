// SPDX-License-Identifier: Apache-2.0
import { textOr } from "../../../i18n/i18n.svelte";
import { wordOf } from "../profileWords";

/** What a column of ranks or steps is called. */
export function metricName(name: string): string {
  return textOr(`ranks.metric_${name}`, wordOf("part", name));
}

export function bandwidthText(bandwidth: number): string {
  return Number.isFinite(bandwidth) ? `${bandwidth.toPrecision(3)}\u2009GB/s` : "–";
}
