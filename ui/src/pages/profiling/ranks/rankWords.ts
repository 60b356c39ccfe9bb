// SPDX-License-Identifier: Apache-2.0
import { hasWords, t } from "../../../i18n/i18n.svelte";
import { wordOf } from "../profileWords";

/** What a column of ranks or steps is called. */
export function metricName(name: string): string {
  const key = `ranks.metric_${name}`;
  return hasWords(key) ? t(key) : wordOf("part", name);
}

export function bandwidthText(bandwidth: number): string {
  return Number.isFinite(bandwidth) ? `${bandwidth.toPrecision(3)}\u2009GB/s` : "–";
}
