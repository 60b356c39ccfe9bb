// SPDX-License-Identifier: Apache-2.0
import { formatBytes, groupDigits } from "../../../core/text/format";
import { findingsTexts } from "../../../i18n/en/findings";
import type { Values } from "../../../i18n/fill";
import { addEnglish, type MessageKey } from "../../../i18n/i18n.svelte";
import type { DebugFailures } from "../../../state/data/debugFailures";
import type { DebugVerdict } from "../../../state/data/debugger";
import "../firstBad/firstBadWords"; // its texts

addEnglish(findingsTexts);

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;
export type DebugCrash = DebugFailures["crashes"][number];
type Mismatch = DebugFailures["mismatches"][number];

const BYTES = /(?:allocate|of size)\D{0,8}(?<count>\d{4,19})\b/i;
const ABOUT_NUMBERS = /\bnan\b|\binf(?:s|inite|inity|inities)?\b|non-?finite|not finite/i;
/** Kinds that say more than others. */
const MISMATCHES = ["missing", "type", "size", "dtype", "state"] as const;
const MOST_RANKS = 8;

/** Why a training ended, by its first cause. */
export function crashHead({ kind, errors, is_memory: isMemory }: DebugCrash, say: Say): string {
  return say(isMemory ? "findings.crash_memory" : `findings.crash_${kind}`, { error: errors.at(-1)!.error });
}

/** Where, and how much memory was requested. */
export function crashNotes({ rank, errors }: DebugCrash, say: Say): string[] {
  const bytes = BYTES.exec(errors.at(-1)!.error)?.groups?.count;
  return [
    ...(rank === null ? [] : [say("findings.crash_rank", { rank })]),
    ...(bytes === undefined ? [] : [say("findings.crash_bytes", { bytes: formatBytes(Number(bytes)) })]),
  ];
}

/** Whether the error says that a number was bad. */
export function isAboutNumbers({ errors }: DebugCrash): boolean {
  return errors.some(({ error }) => ABOUT_NUMBERS.test(error));
}

/** The collective on which ranks differ first; null where it may be that a record was lost. */
export function mismatchHead(mismatches: readonly Mismatch[], say: Say): string | null {
  const found = MISMATCHES.flatMap((kind) => mismatches.find((each) => each.kind === kind) ?? [])[0];
  if (!found) return null;
  const entries = Object.entries(found.values);
  const place = { n: groupDigits(found.sequence), group: found.group, kind: say(`debug.mismatch_${found.kind}`) };
  const present = entries.filter(([, value]) => value !== "");
  const absent = entries.filter(([, value]) => value === "");
  if (found.kind === "missing" && absent.length > 0 && present.length > 0) {
    return say("findings.mismatch_missing", { ...place, absent: ranksText(absent, say), present: ranksText(present, say) });
  }
  const values = entries.slice(0, MOST_RANKS).map(([rank, value]) => `${say("debug.of_rank", { rank })}: ${value || "–"}`);
  return say("findings.mismatch", { ...place, values: values.join("; ") });
}

function ranksText(entries: readonly (readonly [string, string])[], say: Say): string {
  const names = entries.slice(0, MOST_RANKS).map(([rank]) => say("debug.of_rank", { rank }));
  return `${names.join(", ")}${entries.length > MOST_RANKS ? " …" : ""}`;
}

/** How much there is to look at: 2 for a bad number, 1 for an end within a step. */
export function severity(verdict: DebugVerdict | undefined): number {
  const answer = verdict?.answer ?? null;
  if (answer === null) return 0;
  return answer.found !== null ? 2 : Number(answer.unfinished !== null);
}

/** The verdicts with bad numbers, then those with an end within a step, then the others. */
export function worstFirst(verdicts: readonly DebugVerdict[]): DebugVerdict[] {
  return verdicts.toSorted((one, other) => severity(other) - severity(one));
}

/** How many of several runs have a bad number; null if they are not searched. */
export function countText(verdicts: readonly DebugVerdict[], say: Say): string | null {
  const searched = verdicts.filter(({ answer }) => answer !== null);
  if (searched.length < 2) return null;
  const bad = searched.flatMap(({ answer }) => answer?.found ?? []);
  const kinds = new Set(bad.map(({ tensor: { figures } }) => ((figures.nan ?? 0) > 0 ? "NaN" : "Inf"))); // Inf turns into NaN soon
  const kind = kinds.size === 1 ? [...kinds][0]! : say("debug.verdict_both");
  return say("debug.verdict_count", { bad: bad.length, n: searched.length, kind });
}
