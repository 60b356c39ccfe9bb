// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../../core/profiles/timeText";
import { textOr, t } from "../../../i18n/i18n.svelte";
import type { ProfileDiff } from "../../../state/data/profiles";
import { percent, wordOf } from "../profileWords";

const MINUS = "\u2212";

export const signedNs = (ns: number): string => (ns > 0 ? `+${formatNs(ns)}` : formatNs(ns));

export function signedPercent(share: number): string {
  return share === 0 ? percent(0) : `${share > 0 ? "+" : MINUS}${percent(Math.abs(share))}`;
}

export function stateText(state: string): string {
  return textOr(`diff.state_${state}`, state);
}

/** Slower is bad news, faster good news, whatever the reason. */
export function toneOf(change: number, state: string): "good" | "bad" | "soft" {
  if (state === "unchanged" || change === 0) return "soft";
  return change > 0 ? "bad" : "good";
}

/** What can't be compared, in the current language. */
export function noteText({ code, values, text }: ProfileDiff["notes"][number]): string {
  return textOr(`diff.note_${code}`, text, { ...values });
}

const MOST_REASONS = 3;
const LEAST_REASON = 0.05;

/** The change of a step in a sentence, with the parts that it comes from. */
export function headline({ step, parts }: ProfileDiff): string {
  const change = step.after - step.before;
  const values = {
    before: formatNs(step.before),
    after: formatNs(step.after),
    change: signedPercent(step.before ? change / step.before : 0),
  };
  if (Math.abs(change) <= 2 * step.error || change === 0) return t("diff.headline_same", { ...values, error: formatNs(2 * step.error) });
  const reasons = Object.entries(parts)
    .map(([part, { before, after }]) => ({ part, change: after - before }))
    .filter((each) => Math.abs(each.change) >= LEAST_REASON * Math.abs(change))
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
    .slice(0, MOST_REASONS)
    .map((each) => t("diff.reason", { part: wordOf("part", each.part), change: signedNs(each.change) }));
  if (reasons.length === 0) return t("diff.headline", values);
  return t("diff.headline_reasons", { ...values, reasons: reasons.join(t("diff.and")) });
}
