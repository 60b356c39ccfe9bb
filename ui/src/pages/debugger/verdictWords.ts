// SPDX-License-Identifier: Apache-2.0
import { groupDigits } from "../../core/text/format";
import type { Values } from "../../i18n/fill";
import type { MessageKey } from "../../i18n/i18n.svelte";
import type { DebugFirstBad, DebugFirstBadAnswer, DebugVerdict } from "../../state/data/debugger";
import { operatorName } from "./firstBad/firstBadWords";

/** Says a message in the language of the page. */
type Say = (key: MessageKey, values?: Values) => string;

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
  const bad = searched.filter(({ answer }) => answer!.found !== null);
  const kinds = new Set(bad.map(({ answer }) => kindOf(answer!.found!)));
  const kind = kinds.size === 1 ? [...kinds][0]! : say("debug.verdict_both");
  return say("debug.verdict_count", { bad: bad.length, n: searched.length, kind });
}

/** `first Inf in step 30, aten::div, gen.py:58`, or that nothing is bad; then where the training ended within a step. */
export function verdictTexts({ found, unfinished }: DebugFirstBadAnswer, say: Say): string[] {
  const ended = unfinished && say("debug.verdict_ended", { step: groupDigits(unfinished.step), operator: unfinished.operator });
  return [found ? badText(found, say) : say("debug.verdict_good"), ...(ended ? [ended] : [])];
}

/** Why a recording has no verdict; null where it has one. */
export function unsearchedText({ unsearched }: DebugVerdict, say: Say): string | null {
  if (unsearched === null) return null;
  if (unsearched.why === "failed") return say("debug.verdict_failed");
  return say("debug.verdict_large", { rows: groupDigits(unsearched.rows) });
}

function badText(found: DebugFirstBad, say: Say): string {
  const first = say("debug.verdict_bad", { kind: kindOf(found), step: groupDigits(found.step) });
  return [first, operatorName(found.operator, say), ...lineOf(found)].join(say("debug.verdict_comma"));
}

/** Inf turns into NaN soon after. */
function kindOf({ tensor: { figures } }: DebugFirstBad): string {
  return (figures.nan ?? 0) > 0 ? "NaN" : "Inf";
}

/** File and number of the line, without directory and text. */
function lineOf({ stack }: DebugFirstBad): string[] {
  const place = /^(?:.*[\\/])?([^\\/]+:\d+)(?: |$)/.exec(stack[0]?.split(" ", 1)[0] ?? "");
  return place ? [place[1]!] : [];
}
