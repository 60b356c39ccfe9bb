// SPDX-License-Identifier: Apache-2.0
import { formatValue, groupDigits } from "../../core/text/format";
import { recommendationTexts } from "../../i18n/en/recommendations";
import type { Values } from "../../i18n/fill";
import { addEnglish, hasWords, type MessageKey } from "../../i18n/i18n.svelte";
import type { HitAlert } from "../../state/live/alerts.svelte";

addEnglish(recommendationTexts);

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;

/** The name of a recommended watchpoint, or the text of another one. */
export function hitTitle({ hits }: HitAlert, say: Say): string {
  const key = `watch.r_${hits.recommendation}`;
  return hits.recommendation === hits.watchpoint && hasWords(key) ? say(key) : hits.watchpoint;
}

/** The value of the first hit beside its limit; empty for a watchpoint that only says yes or no. */
export function hitValue({ hits, value, value_text: text }: HitAlert, say: Say): string {
  if (hits.comparison !== null && hits.set_value !== null) {
    const limit = String(Number(hits.set_value.toPrecision(6))).replaceAll("-", "−");
    return `${value === null ? (text ?? "–") : formatValue(value)} ${hits.comparison === ">=" ? "≥" : hits.comparison} ${limit}`;
  }
  return hits.parameter === null && value !== null ? say("alerts.non_finite", { n: groupDigits(value) }) : "";
}
